import Testing

struct AppDeleteTests {
    @Test func `an app goes with its subscribers`() async throws {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed("subscribers", "import", "--app", "ios", "-", input: Workplace.subscribers(3))
        let delete = try await workplace.succeed("app", "delete", "ios")
        #expect(delete.output == "app ios deleted with 3 subscribers\n")
        #expect(try await workplace.run("app", "show", "ios").status == 3)
    }

    @Test func `not while a delivery needs it`() async throws {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed("delivery", "submit", "-", input: try Workplace.document())
        let delete = try await workplace.run("app", "delete", "ios")
        #expect(delete.status == 3)
        #expect(delete.errorLines.count == 1)
        try await workplace.succeed("app", "show", "ios")
    }
}
