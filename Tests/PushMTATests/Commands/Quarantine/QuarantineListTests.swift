import Foundation
import PushModel
import Testing

struct QuarantineListTests {
    private static func workplace(_ count: Int = 3) async throws -> Workplace {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workplace.subscribers(count))
        return workplace
    }

    @Test func `an empty quarantine is reported, in JSON too`() async throws {
        let workplace = try await Self.workplace()
        #expect(
            try await workplace.succeed("quarantine", "list").output == "no subscriber is in quarantine\n")
        #expect(try await workplace.succeed("quarantine", "list", "--json").output == "[]\n")
    }

    @Test func `the table shortens tokens, and shows whole tokens on request`() async throws {
        let workplace = try await Self.workplace()
        try await workplace.quarantineEverybody()
        let token = String(repeating: "0", count: 63) + "2"
        let table = try await workplace.succeed("quarantine", "list", "--app", "ios")
        #expect(table.outputLines.count == 4)
        #expect(table.outputLines[0].hasPrefix("APP  TOKEN"))
        let row = try #require(table.outputLines.first { $0.contains("user2") })
        #expect(row.contains("00000000…") && row.contains("quarantined") && row.contains("Unregistered"))
        #expect(!table.output.contains(token))
        #expect(try await workplace.succeed("quarantine", "list", "--whole-tokens").output.contains(token))

        let json = try await workplace.succeed("quarantine", "list", "--json").json()
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

    @Test func `a state or an app without quarantined devices lists none`() async throws {
        let workplace = try await Self.workplace()
        try await workplace.succeed(Workplace.stubApp("other"))
        try await workplace.quarantineEverybody()
        for filter in [["--state", "disabled"], ["--state", "counting"], ["--app", "other"]] {
            let list = try await workplace.run(["quarantine", "list"] + filter)
            #expect(list.output == "no subscriber is in quarantine\n")
        }
        #expect(
            try await workplace.run("quarantine", "list", "--state", "quarantined").outputLines.count == 4)
        #expect(try await workplace.run("quarantine", "list", "--state", "dead").status == 2)
        #expect(try await workplace.run("quarantine", "list", "--app", "nobody").status == 3)
    }

    @Test func `more than one page appears as one list`() async throws {
        let workplace = try await Self.workplace(2_100)
        try await workplace.quarantineEverybody()
        #expect(try await workplace.succeed("quarantine", "list").outputLines.count == 2_101)
        let json = try await workplace.succeed("quarantine", "list", "--json").json()
        #expect((json as? [Any])?.count == 2_100)
    }
}
