import Testing

struct ServiceCreateTests {
    @Test func `the label is the name where none is given`() async throws {
        let workplace = try Workplace()
        try await workplace.succeed("service", "create", "neotrips")
        try await workplace.succeed("service", "create", "other", "--label", "Another one")
        let list = try await workplace.succeed("service", "list", "--json")
        let services = try #require(try list.json() as? [[String: Any]])
        #expect(services.map { $0["name"] as? String } == ["neotrips", "other"])
        #expect(services.map { $0["label"] as? String } == ["neotrips", "Another one"])
    }

    @Test func `a name is given once`() async throws {
        let workplace = try Workplace()
        try await workplace.succeed("service", "create", "neotrips")
        let again = try await workplace.run("service", "create", "neotrips")
        #expect(again.status == 3)
        #expect(again.errorLines.count == 1)
        #expect(again.errors.contains("neotrips"))
    }
}
