import Testing

struct ServiceCreateTests {
    @Test func `the label of a service defaults to its name`() async throws {
        let workspace = try Workspace()
        try await workspace.succeed("service", "create", "neotrips")
        try await workspace.succeed("service", "create", "other", "--label", "Another one")
        let list = try await workspace.succeed("service", "list", "--json")
        let services = try #require(try list.json() as? [[String: Any]])
        #expect(services.map { $0["name"] as? String } == ["neotrips", "other"])
        #expect(services.map { $0["label"] as? String } == ["neotrips", "Another one"])
    }

    @Test func `a duplicate name is refused`() async throws {
        let workspace = try Workspace()
        try await workspace.succeed("service", "create", "neotrips")
        let again = try await workspace.run("service", "create", "neotrips")
        #expect(again.status == 3)
        #expect(again.errorLines.count == 1)
        #expect(again.errors.contains("neotrips"))
    }

    @Test func `a service's frequency cap is set, shown, changed and removed`() async throws {
        let workspace = try Workspace()
        try await workspace.succeed("service", "create", "neotrips", "--frequency-cap", "3 in 7d")
        #expect(try await workspace.succeed("service", "list").output.contains("3 in 7d"))
        #expect(
            try await workspace.succeed("service", "show", "neotrips").output.contains(
                "frequency cap  3 in 7d"))
        try await workspace.succeed("service", "update", "neotrips", "--frequency-cap", "1 in 1d")
        #expect(
            try await workspace.succeed("service", "show", "neotrips").output.contains(
                "frequency cap  1 in 1d"))
        try await workspace.succeed("service", "update", "neotrips", "--frequency-cap", "none")
        let show = try await workspace.succeed("service", "show", "neotrips")
        #expect(show.output.contains("frequency cap  none"))
        let wrong = try await workspace.run("service", "update", "neotrips", "--frequency-cap", "often")
        #expect(wrong.status == 2 && wrong.errors.contains("--frequency-cap"))
        // An update without changes succeeds.
        try await workspace.succeed("service", "update", "neotrips")
        #expect(try await workspace.succeed("service", "show", "neotrips").output == show.output)
    }

    @Test func `a service's description is set, shown, changed and removed`() async throws {
        let workspace = try Workspace()
        try await workspace.succeed("service", "create", "neotrips", "--description", "Trips of travellers")
        #expect(try await description(in: workspace) == "Trips of travellers")
        try await workspace.succeed("service", "update", "neotrips", "--description", "Offers")
        try await workspace.succeed("service", "update", "neotrips", "--label", "Trips")
        #expect(try await description(in: workspace) == "Offers")
        try await workspace.succeed("service", "update", "neotrips", "--description", "")
        #expect(try await description(in: workspace) == nil)
        let wrong = try await workspace.run("service", "update", "neotrips", "--description", "two\nlines")
        #expect(wrong.status == 3 && wrong.errors.contains("the description"))
    }

    private func description(in workspace: Workspace) async throws -> String? {
        let shown = try await workspace.succeed("service", "show", "neotrips", "--json").json()
        return try #require(shown as? [String: Any])["description"] as? String
    }
}
