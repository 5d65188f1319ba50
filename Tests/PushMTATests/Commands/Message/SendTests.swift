import Foundation
import Testing

struct SendTests {
    private static func workplace() async throws -> Workplace {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workplace.subscribers(3))
        return workplace
    }

    @Test func `send prints an id by which the message is found`() async throws {
        let workplace = try await Self.workplace()
        let sent = try await workplace.succeed(
            "send", "--app", "ios", "--user-key", "user2", "--title", "Hello")
        let id = try #require(sent.outputLines.first)
        #expect(id.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
        let shown = try await workplace.succeed("message", "show", id, "--json").json() as? [String: Any]
        #expect(shown?["state"] as? String == "pending" && shown?["userKey"] as? String == "user2")
        let text = try await workplace.succeed("message", "show", id)
        #expect(text.output.contains("pending") && text.output.contains("valid until"))
        let deliveries = try await workplace.succeed("delivery", "list")
        #expect(deliveries.output.contains("messages of neotrips "))
    }

    @Test func `the running master sends a message at once, and send reports the result`() async throws {
        let workplace = try await Self.workplace()
        try await workplace.withMaster { master in
            try await master.says("serving")
            let waited = try await workplace.succeed(
                "send", "--service", "neotrips", "--user-key", "user1", "--body", "1234", "--wait")
            #expect(waited.output.hasSuffix(" sent\n"))
            try workplace.write(#"{"title": "Hello", "variables": {"code": "77"}}"#, to: "content.json")
            let keyed = [
                "send", "--app", "ios", "--user-key", "user3", "--content", "content.json",
                "--idempotency-key", "k", "--json",
            ]
            let first = try await workplace.succeed(keyed).json() as? [String: Any]
            let again = try await workplace.succeed(keyed).json() as? [String: Any]
            #expect(first?["isRepeated"] as? Bool == false && again?["isRepeated"] as? Bool == true)
            let conflict = try await workplace.run([
                "send", "--app", "ios", "--user-key", "user3", "--title", "x", "--idempotency-key", "k",
            ])
            #expect(conflict.status == 3 && conflict.errors.contains("idempotencyKey"))
        }
    }

    @Test func `a warning after the id reports content that the device does not receive as intended`()
        async throws
    {
        let workplace = try await Self.workplace()
        try workplace.write(#"{"title": "Hello", "ios": {"sound": "chime"}}"#, to: "content.json")
        let options = ["send", "--app", "ios", "--user-key", "user1", "--content", "content.json"]
        let sent = try await workplace.succeed(options)
        #expect(sent.outputLines.count == 1 && sent.errors.hasPrefix("warning: app ios: sound \"chime\""))
        let json = try await workplace.succeed(options + ["--json"]).json() as? [String: Any]
        #expect((json?["warnings"] as? [String])?.count == 1)
    }

    @Test(arguments: [
        ["--app", "ios", "--title", "x"], ["--user-key", "u", "--title", "x"],
        ["--app", "ios", "--user-key", "u"],
        ["--app", "ios", "--user-key", "u", "--token", "t", "--title", "x"],
        ["--app", "ios", "--user-key", "u", "--title", "x", "--content", "f"],
    ])
    func `send without a recipient or content is wrong usage`(options: [String]) async throws {
        #expect(try await Workplace().run(["send"] + options).status == 2)
    }

    @Test func `an unknown recipient, and content that no gateway accepts, are refused`() async throws {
        let workplace = try await Self.workplace()
        for options in [
            ["--app", "ios", "--token", "nobody's", "--title", "x"],
            ["--app", "other", "--user-key", "user1", "--title", "x"],
            ["--app", "ios", "--user-key", "user1", "--body", String(repeating: "x", count: 9_000)],
            ["--app", "ios", "--user-key", "user1", "--title", "x", "--priority", "urgent"],
            ["--app", "ios", "--user-key", "user1", "--title", "x", "--validity", "soon"],
        ] {
            let refused = try await workplace.run(["send"] + options)
            #expect(refused.status == 3 && refused.output.isEmpty && !refused.errors.isEmpty, "\(options)")
            #expect(!refused.errors.contains("nobody's"))
        }
        #expect(try await workplace.run(["message", "show", "1"]).status == 3)
    }
}
