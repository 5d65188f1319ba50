import Testing

struct ServiceDeleteTests {
    @Test func `a service can be relabelled, and can be deleted once it has no apps`() async throws {
        let workspace = try await Workspace.withApp()
        let update = try await workspace.succeed("service", "update", "neotrips", "--label", "New trips")
        #expect(update.output == "service neotrips updated\n")
        #expect(try await workspace.succeed("service", "show", "neotrips").output.contains("New trips"))

        let refused = try await workspace.run("service", "delete", "neotrips")
        #expect(refused.status == 3)
        #expect(refused.errors == "pushmta: service neotrips has app ios; delete its apps first\n")
        try await workspace.succeed("app", "delete", "ios", "--yes")
        let deleted = try await workspace.succeed("service", "delete", "neotrips")
        #expect(deleted.output == "service neotrips deleted\n")
        #expect(try await workspace.run("service", "show", "neotrips").status == 3)
        // The name is available again.
        let created = try await workspace.succeed("service", "create", "neotrips", "--json")
        #expect((try created.json() as? [String: Any])?["apps"] as? [String] == [])
    }
}
