import PushModel
import PushStore
import Testing

struct DeliveryListTests {
    @Test func `the newest deliveries come first, in pages`() async throws {
        let workspace = try await Workspace.withApp()
        for label in ["one", "two", "three"] {
            try await workspace.succeed(
                "delivery", "submit", "-", input: try Workspace.document(["label": label]))
        }
        func ids(_ options: String...) async throws -> [Int?] {
            let list = try await workspace.run(["delivery", "list", "--json"] + options)
            return try #require(try list.json() as? [[String: Any]]).map { $0["id"] as? Int }
        }
        #expect(try await ids() == [3, 2, 1])
        #expect(try await ids("--limit", "2") == [3, 2])
        #expect(try await ids("--before", "2") == [1])
        let text = try await workspace.succeed("delivery", "list")
        #expect(text.outputLines.count == 4)
        #expect(text.outputLines[1].contains("three"))
    }

    @Test func `filters select the listed deliveries`() async throws {
        let workspace = try await Workspace.withApp()
        for label in ["spring one", "spring two", "summer"] {
            try await workspace.succeed(
                "delivery", "submit", "-", input: try Workspace.document(["label": label]))
        }
        try await workspace.succeed("delivery", "pause", "1")
        func ids(_ options: String...) async throws -> [Int?] {
            let list = try await workspace.run(["delivery", "list", "--json"] + options)
            return try #require(try list.json() as? [[String: Any]]).map { $0["id"] as? Int }
        }
        #expect(try await ids("--label", "spring") == [2, 1])
        #expect(try await ids("--label", "spring", "--limit", "1") == [2])
        #expect(try await ids("--state", "paused", "--service", "neotrips") == [1])
        #expect(try await ids("--since", "2020-01-01T00:00:00Z", "--before", "3") == [2, 1])
        #expect(try await ids("--until", "2020-01-01T00:00:00Z") == [])
        let unknown = try await workspace.run("delivery", "list", "--service", "none")
        #expect(unknown.status == 3 && unknown.errors.contains("existing services: neotrips"))
        for wrong in [["--state", "x"], ["--since", "yesterday"], ["--limit", "0"], ["--before", "x"]] {
            #expect(try await workspace.run(["delivery", "list"] + wrong).status == 2, "\(wrong)")
        }
    }

    @Test func `a delivery to a sandbox is marked`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        #expect(try await !workspace.succeed("delivery", "list").output.contains("ENVIRONMENT"))
        let pair = try await workspace.succeed(
            "app", "create", "neo", "--service", "neotrips", "--platform", "ios", "--integration-key", "k",
            "--connector", "stub", "--pair")
        #expect(pair.output == "app neo created\napp neo-sandbox created\n")
        let document = try Workspace.document(["apps": ["neo-sandbox"]])
        try await workspace.succeed("delivery", "submit", "-", input: document)
        let list = try await workspace.succeed("delivery", "list").outputLines
        #expect(list[0].hasSuffix("ENVIRONMENT"))
        #expect(list[1].hasSuffix(" sandbox") && list[2].hasSuffix(" production"))
        let show = try await workspace.succeed("delivery", "show", "2").outputLines
        #expect(show.contains { $0.hasPrefix("environment ") && $0.hasSuffix(" sandbox") })
        // No master is running.
        #expect(try await workspace.run("status").output.contains(" sandbox"))
    }

    @Test func `numbers in the table consist only of digits, so that awk can read them`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(1_234))
        try await workspace.succeed(
            "delivery", "submit", "-", input: try Workspace.document(["label": "Sale"]))
        _ = try workspace.openStore().preparation.prepareChunk(of: .init(rawValue: 1), at: Workspace.now)
        let row = try await workspace.succeed("delivery", "list").outputLines[1]
        let columns = row.split(separator: " ").map(String.init)
        #expect(columns.prefix(7) == ["1", "Sale", "inProgress", "1234", "0", "0", "1234"])
        let counts = try await workspace.succeed("subscribers", "count").outputLines[1]
        #expect(counts.split(separator: " ").map(String.init) == ["ios", "1234", "1234", "0", "0", "0"])
    }
}
