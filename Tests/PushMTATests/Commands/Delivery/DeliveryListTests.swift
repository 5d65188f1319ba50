import Testing

struct DeliveryListTests {
    @Test func `the newest come first, in pages`() async throws {
        let workplace = try await Workplace.withApp()
        for label in ["one", "two", "three"] {
            try await workplace.succeed("delivery", "submit", "-", input: try Workplace.document(["label": label]))
        }
        func ids(_ options: String...) async throws -> [Int?] {
            let list = try await workplace.run(["delivery", "list", "--json"] + options)
            return try #require(try list.json() as? [[String: Any]]).map { $0["id"] as? Int }
        }
        #expect(try await ids() == [3, 2, 1])
        #expect(try await ids("--limit", "2") == [3, 2])
        #expect(try await ids("--before", "2") == [1])
        let text = try await workplace.succeed("delivery", "list")
        #expect(text.outputLines.count == 4)
        #expect(text.outputLines[1].contains("three"))
    }
}
