import Foundation
import Testing

struct SendTests {
    private static func workspace() async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        return workspace
    }

    @Test func `send prints an id by which the message can be found`() async throws {
        let workspace = try await Self.workspace()
        let sent = try await workspace.succeed(
            "send", "--app", "ios", "--user-key", "user2", "--title", "Hello")
        #expect(sent.outputLines.count == 1 && sent.errors == Workspace.noMaster)
        let id = try #require(sent.outputLines.first)
        #expect(id.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
        let shown = try await workspace.succeed("message", "show", id, "--json").json() as? [String: Any]
        #expect(shown?["state"] as? String == "pending" && shown?["userKey"] as? String == "user2")
        let text = try await workspace.succeed("message", "show", id)
        #expect(text.output.contains("pending") && text.output.contains("valid until"))
        let deliveries = try await workspace.succeed("delivery", "list")
        #expect(deliveries.output.contains("messages of neotrips "))
    }

    @Test func `the running master sends a message immediately, and send reports the result`() async throws {
        let workspace = try await Self.workspace()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            let waited = try await workspace.succeed(
                "send", "--service", "neotrips", "--user-key", "user1", "--body", "1234", "--wait")
            #expect(waited.output.hasSuffix(" sent\n") && waited.errors.isEmpty)
            try workspace.write(#"{"title": "Hello", "variables": {"code": "77"}}"#, to: "content.json")
            let keyed = [
                "send", "--app", "ios", "--user-key", "user3", "--content", "content.json",
                "--idempotency-key", "k", "--json",
            ]
            let first = try await workspace.succeed(keyed).json() as? [String: Any]
            let again = try await workspace.succeed(keyed).json() as? [String: Any]
            #expect(first?["isRepeated"] as? Bool == false && again?["isRepeated"] as? Bool == true)
            let conflict = try await workspace.run([
                "send", "--app", "ios", "--user-key", "user3", "--title", "x", "--idempotency-key", "k",
            ])
            #expect(conflict.status == 3 && conflict.errors.contains("idempotencyKey"))
        }
    }

    @Test func `a warning after the id reports content that the device cannot receive as intended`()
        async throws
    {
        let workspace = try await Self.workspace()
        try workspace.write(#"{"title": "Hello", "ios": {"sound": "chime"}}"#, to: "content.json")
        let options = ["send", "--app", "ios", "--user-key", "user1", "--content", "content.json"]
        let sent = try await workspace.succeed(options)
        #expect(sent.outputLines.count == 1 && sent.errors.hasPrefix("warning: app ios: sound \"chime\""))
        let json = try await workspace.succeed(options + ["--json"]).json() as? [String: Any]
        #expect((json?["warnings"] as? [String])?.count == 1)
    }

    @Test(arguments: [
        ["--app", "ios", "--title", "x"], ["--user-key", "u", "--title", "x"],
        ["--app", "ios", "--user-key", "u"],
        ["--app", "ios", "--user-key", "u", "--token", "t", "--title", "x"],
        ["--app", "ios", "--user-key", "u", "--title", "x", "--content", "f"],
    ])
    func `send without a recipient or without content is wrong usage`(options: [String]) async throws {
        #expect(try await Workspace().run(["send"] + options).status == 2)
    }

    @Test func `an unknown recipient, and content that no gateway accepts, are refused`() async throws {
        let workspace = try await Self.workspace()
        for options in [
            ["--app", "ios", "--token", "nobody's", "--title", "x"],
            ["--app", "other", "--user-key", "user1", "--title", "x"],
            ["--app", "ios", "--user-key", "user1", "--body", String(repeating: "x", count: 9_000)],
            ["--app", "ios", "--user-key", "user1", "--title", "x", "--priority", "urgent"],
            ["--app", "ios", "--user-key", "user1", "--title", "x", "--validity", "soon"],
        ] {
            let refused = try await workspace.run(["send"] + options)
            #expect(refused.status == 3 && refused.output.isEmpty && !refused.errors.isEmpty, "\(options)")
            #expect(!refused.errors.contains("nobody's"))
        }
        #expect(try await workspace.run(["message", "show", "1"]).status == 3)
    }
}
