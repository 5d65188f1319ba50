import Testing

struct AppDeleteTests {
    @Test func `an app is deleted with its subscribers`() async throws {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workplace.subscribers(3))
        let delete = try await workplace.succeed("app", "delete", "ios", "--yes")
        #expect(delete.output == "app ios deleted with 3 subscribers\n")
        #expect(try await workplace.run("app", "show", "ios").status == 3)
    }

    @Test func `an app that a delivery needs is not deleted`() async throws {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed("delivery", "submit", "-", input: try Workplace.document())
        let delete = try await workplace.run("app", "delete", "ios", "--yes")
        #expect(delete.status == 3)
        #expect(delete.errorLines.count == 1)
        try await workplace.succeed("app", "show", "ios")
    }

    @Test func `without a terminal, delete requires --yes and states what it would delete`() async throws {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workplace.subscribers(3))
        let delete = try await workplace.run("app", "delete", "ios", input: "y\n")
        #expect(delete.status == 3)
        #expect(delete.output.isEmpty && delete.errorLines.count == 1)
        #expect(delete.errors.contains("3 subscribers") && delete.errors.contains("--yes"))
        #expect(try await workplace.succeed("subscribers", "count", "--app", "ios").output == "3\n")
    }

    @Test func `the JSON output states what was deleted`() async throws {
        let workplace = try await Workplace.withApp()
        let delete = try await workplace.succeed("app", "delete", "ios", "--yes", "--json")
        #expect((try delete.json() as? [String: Any])?["subscribers"] as? Int == 0)
    }
}
