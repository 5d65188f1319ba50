import Testing

struct ServiceShowTests {
    @Test func `a service is shown with its apps`() async throws {
        let workspace = try await Workspace.withApp()
        let show = try await workspace.succeed("service", "show", "neotrips", "--json")
        let service = try #require(try show.json() as? [String: Any])
        #expect(service["label"] as? String == "Neo Trips")
        #expect(service["apps"] as? [String] == ["ios"])
        #expect(
            try await workspace.succeed("service", "show", "neotrips").output.contains(
                #/label +Neo Trips\n/#))
    }

    @Test func `a misspelled service name is refused, and the error names the existing services`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let show = try await workspace.run("service", "show", "neotrip")
        #expect(show.status == 3)
        #expect(show.errors == "pushmta: there is no service neotrip; existing services: neotrips\n")
    }
}
