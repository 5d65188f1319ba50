import Testing

struct AppDeleteTests {
    @Test func `an app is deleted with its subscribers`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        let delete = try await workspace.succeed("app", "delete", "ios", "--yes")
        #expect(delete.output == "app ios deleted with 3 subscribers\n")
        #expect(try await workspace.run("app", "show", "ios").status == 3)
    }

    @Test func `an app that a delivery needs is not deleted`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let delete = try await workspace.run("app", "delete", "ios", "--yes")
        #expect(delete.status == 3)
        #expect(delete.errorLines.count == 1)
        try await workspace.succeed("app", "show", "ios")
    }

    @Test func `without a terminal, delete requires --yes and states what it would delete`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        let delete = try await workspace.run("app", "delete", "ios", input: "y\n")
        #expect(delete.status == 3)
        #expect(delete.output.isEmpty && delete.errorLines.count == 1)
        #expect(delete.errors.contains("3 subscribers") && delete.errors.contains("--yes"))
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "3\n")
    }

    @Test func `the JSON output states what was deleted`() async throws {
        let workspace = try await Workspace.withApp()
        let delete = try await workspace.succeed("app", "delete", "ios", "--yes", "--json")
        #expect((try delete.json() as? [String: Any])?["subscribers"] as? Int == 0)
    }
}
