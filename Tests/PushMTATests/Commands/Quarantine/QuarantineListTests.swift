import Foundation
import PushModel
import Testing

struct QuarantineListTests {
    private static func workspace(_ count: Int = 3) async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(count))
        return workspace
    }

    @Test func `an empty quarantine is reported as empty, also in JSON`() async throws {
        let workspace = try await Self.workspace()
        #expect(
            try await workspace.succeed("quarantine", "list").output == "no subscriber is in quarantine\n")
        #expect(try await workspace.succeed("quarantine", "list", "--json").output == "[]\n")
    }

    @Test func `the table shortens tokens, and shows complete tokens on request`() async throws {
        let workspace = try await Self.workspace()
        try await workspace.quarantineEverybody()
        let token = String(repeating: "0", count: 63) + "2"
        let table = try await workspace.succeed("quarantine", "list", "--app", "ios")
        #expect(table.outputLines.count == 4)
        #expect(table.outputLines[0].hasPrefix("APP  TOKEN"))
        let row = try #require(table.outputLines.first { $0.contains("user2") })
        #expect(row.contains("00000000…") && row.contains("quarantined") && row.contains("Unregistered"))
        #expect(!table.output.contains(token))
        #expect(try await workspace.succeed("quarantine", "list", "--whole-tokens").output.contains(token))

        let json = try await workspace.succeed("quarantine", "list", "--json").json()
        let entries = try #require(json as? [[String: Any]])
        #expect(entries.count == 3)
        #expect(
            Set(entries[0].keys) == [
                "app", "token", "userKey", "state", "errors", "since", "lastErrorAt", "source",
                "reason",
                "delivery",
            ])
        #expect(entries[1]["token"] as? String == token)
        #expect(entries[1]["source"] as? String == "answer")
        #expect(entries[1]["delivery"] as? Int == 1)
    }

    @Test func `the list is empty for a state or an app without quarantined devices`() async throws {
        let workspace = try await Self.workspace()
        try await workspace.succeed(Workspace.stubApp("other"))
        try await workspace.quarantineEverybody()
        for filter in [["--state", "disabled"], ["--state", "counting"], ["--app", "other"]] {
            let list = try await workspace.run(["quarantine", "list"] + filter)
            #expect(list.output == "no subscriber is in quarantine\n")
        }
        #expect(
            try await workspace.run("quarantine", "list", "--state", "quarantined").outputLines.count == 4)
        #expect(try await workspace.run("quarantine", "list", "--state", "dead").status == 2)
        #expect(try await workspace.run("quarantine", "list", "--app", "nobody").status == 3)
    }

    @Test func `a result with more than one page is printed as one list`() async throws {
        let workspace = try await Self.workspace(2_100)
        try await workspace.quarantineEverybody()
        #expect(try await workspace.succeed("quarantine", "list").outputLines.count == 2_101)
        let json = try await workspace.succeed("quarantine", "list", "--json").json()
        #expect((json as? [Any])?.count == 2_100)
    }
}
