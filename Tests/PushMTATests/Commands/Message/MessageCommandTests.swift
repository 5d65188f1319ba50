import Foundation
import PushModel
import TestSupport
import Testing

struct MessageCommandTests {
    private static func workspace() async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        return workspace
    }

    private static func send(
        _ workspace: Workspace, to user: String, _ options: String...
    ) async throws -> String {
        let sent = try await workspace.succeed(
            ["send", "--app", "ios", "--user-key", user, "--title", "Hello"] + options)
        return try #require(sent.outputLines.first)
    }

    private static func shown(_ id: String, _ workspace: Workspace) async throws -> [String: Any] {
        let shown = try await workspace.succeed("message", "show", id, "--json")
        return try #require(try shown.json() as? [String: Any])
    }

    /// Returns the time the given number of seconds from now.
    private static func time(in seconds: TimeInterval) -> String {
        ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: seconds))
    }

    @Test(.eachEngine) func `messages are listed, newest first, by app, person and state`() async throws {
        let workspace = try await Self.workspace()
        #expect(try await workspace.succeed("message", "list").outputLines.count == 1)
        var sent: [String] = []
        for user in ["user1", "user2", "user1"] {
            sent.insert(try await Self.send(workspace, to: user), at: 0)
        }
        try await workspace.succeed("message", "cancel", sent[1])
        func ids(_ options: String...) async throws -> [String] {
            let list = try await workspace.succeed(["message", "list", "--json"] + options)
            return try #require(try list.json() as? [[String: Any]]).compactMap { $0["id"] as? String }
        }
        #expect(try await ids() == sent)
        #expect(try await ids("--limit", "1") == [sent[0]])
        #expect(try await ids("--user-key", "user1", "--app", "ios") == [sent[0], sent[2]])
        #expect(try await ids("--state", "cancelled") == [sent[1]])
        let lines = try await workspace.succeed("message", "list").outputLines
        #expect(lines.count == 4 && lines[1].hasPrefix(sent[0]) && lines[2].contains("cancelled"))
        for (options, status) in [
            (["--app", "none"], 3), (["--state", "x"], 2), (["--limit", "0"], 2),
            (["--token", "a", "--user-key", "b"], 2),
        ] {
            #expect(try await workspace.run(["message", "list"] + options).status == status, "\(options)")
        }
    }

    @Test(.eachEngine)
    func `messages of deliveries are listed for one person, and shown by the id that the device received`()
        async throws
    {
        let workspace = try await Self.workspace()
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        try workspace.settle(DeliveryID(rawValue: 1)) { .sent(providerID: "0:15%31bd\($0)") }
        let single = try await Self.send(workspace, to: "user1")
        let list = try await workspace.succeed("message", "list", "--user-key", "user1", "--json").json()
        let messages = try #require(list as? [[String: Any]])
        #expect(messages.map { $0["delivery"] as? Int } == [2, 1])
        #expect(messages.first?["id"] as? String == single)
        let campaign = try #require(messages.last)
        #expect(campaign["state"] as? String == "sent" && campaign["clicks"] as? Int == 0)
        let singles = try await workspace.succeed("message", "list", "--app", "ios", "--single", "--json")
        #expect((try singles.json() as? [Any])?.count == 1)
        let all = try await workspace.succeed("message", "list", "--app", "ios")
        #expect(all.outputLines.count == 5 && all.outputLines[0].contains("DELIVERY"))

        let id = try #require(campaign["messageId"] as? String)
        let shown = try await workspace.succeed("message", "show", id, "--delivery", "1", "--json").json()
        #expect((shown as? [String: Any])?["id"] as? String == campaign["id"] as? String)
        let given = try #require((shown as? [String: Any])?["providerId"] as? String)
        let named = try await workspace.succeed("message", "show", "projects/p/messages/\(given)", "--json")
        #expect((try named.json() as? [String: Any])?["messageId"] as? String == id)
        let text = try await workspace.succeed("message", "show", id, "--delivery", "1")
        #expect(text.outputLines.contains { $0.hasPrefix("_mId") && $0.hasSuffix(id) })
        for (arguments, why) in [
            ([id], "--delivery ID"), ([id, "--delivery", "9"], "there is no delivery 9"),
            ([single, "--delivery", "1"], "belongs to delivery 2"),
        ] {
            let wrong = try await workspace.run(["message", "show"] + arguments)
            #expect(wrong.status == 3 && wrong.errors.contains(why), "\(wrong.errors)")
        }
        let nobody = try await workspace.run("message", "list", "--user-key", "nobody")
        #expect(nobody.status == 1 && nobody.errors.contains("has this user key"))
    }

    @Test func `a message that is cancelled before its start stays cancelled`() async throws {
        let workspace = try await Self.workspace()
        let start = Self.time(in: 86_400)
        let id = try await Self.send(workspace, to: "user1", "--start-at", start)
        #expect(try await Self.shown(id, workspace)["sendAt"] as? String == start)
        #expect(try await Self.shown(id, workspace)["state"] as? String == "scheduled")
        let text = try await workspace.succeed("message", "show", id)
        #expect(text.output.contains("sent at"))
        let list = try await workspace.succeed("message", "list", "--state", "scheduled")
        #expect(list.outputLines.count == 2 && list.output.contains("sent at \(start)"))
        #expect(try await workspace.succeed("message", "cancel", id).output == "message \(id) is cancelled\n")
        #expect(
            try await workspace.succeed("message", "cancel", id).output
                == "message \(id) is cancelled already\n")
        #expect(try await Self.shown(id, workspace)["state"] as? String == "cancelled")
        #expect(try await workspace.run("message", "cancel", "x").status == 3)
        for wrong in ["soon", Self.time(in: -3_600), Self.time(in: 400 * 86_400)] {
            let refused = try await workspace.run(
                "send", "--app", "ios", "--user-key", "user1", "--title", "x", "--send-at", wrong)
            #expect(refused.status == 3 && refused.errors.contains("sendAt: "), "\(wrong)")
        }
    }

    @Test(.eachEngine) func `messages in a file are accepted or refused individually`() async throws {
        let workspace = try await Self.workspace()
        try workspace.write(
            #"""
            [{"app": "ios", "userKey": "user1", "content": {"title": "x"}},
             {"app": "ios", "userKey": "nobody", "content": {"title": "x"}},
             {"app": "ios", "userKey": "user2", "content": {"title": "{{code}}"}, "variables": {"code": 1},
              "sendAt": "\#(Self.time(in: 86_400))"}]
            """#, to: "messages.json")
        let mixed = try await workspace.run("send", "--messages", "messages.json", "--idempotency-key", "k")
        #expect(mixed.status == 3 && mixed.outputLines.count == 2)
        #expect(mixed.errors.hasPrefix("pushmta: message 1: no such recipient"))
        let again = try await workspace.run(
            "send", "--messages", "messages.json", "--idempotency-key", "k", "--json")
        let items = try #require((try again.json() as? [String: Any])?["items"] as? [[String: Any]])
        #expect(items.map { $0["isRepeated"] as? Bool } == [true, false, true])
        let one = #"{"app": "ios", "userKey": "user3", "content": {"title": "x"}}"#
        #expect(try await workspace.succeed("send", "--messages", "-", input: one).outputLines.count == 1)
        #expect(try await workspace.run("send", "--messages", "-", input: "{").status == 3)
        #expect(try await workspace.run("send", "--messages", "-", "--app", "ios", input: one).status == 2)
    }

    @Test(.eachEngine)
    func `the running master sends a message at its start time, and never sends a cancelled message`()
        async throws
    {
        let workspace = try await Self.workspace()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            let start = Self.time(in: 4)
            let cancelled = try await Self.send(workspace, to: "user1", "--send-at", start)
            let kept = try await Self.send(workspace, to: "user2", "--send-at", start)
            let json = try await workspace.succeed("message", "cancel", cancelled, "--json")
            #expect((try json.json() as? [String: Any])?["changed"] as? Bool == true)
            #expect(try await Self.shown(kept, workspace)["state"] as? String == "scheduled")
            let waited = try await workspace.succeed(
                "send", "--app", "ios", "--user-key", "user3", "--title", "x", "--send-at", start, "--wait")
            #expect(waited.output.hasSuffix(" sent\n"))
            try await eventually("its time comes") {
                try await Self.shown(kept, workspace)["state"] as? String == "sent"
            }
            #expect(try await Self.shown(cancelled, workspace)["state"] as? String == "cancelled")
            let refused = try await workspace.run("message", "cancel", kept)
            #expect(refused.status == 3 && refused.errors.contains("it is sent"))
            let list = try await workspace.succeed("delivery", "list", "--json")
            let counts = (try list.json() as? [[String: Any]])?.first?["counts"] as? [String: Int]
            #expect(counts?["sent"] == 2 && counts?["cancelled"] == 1 && counts?["pending"] == 0)
        }
    }

    @Test func `a message from a paused delivery waits, and is cancelled while the master is running`()
        async throws
    {
        let workspace = try await Self.workspace()
        let first = try await Self.send(workspace, to: "user1")
        let second = try await Self.send(workspace, to: "user2")
        try await workspace.succeed("delivery", "pause", "1")
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            let done = try await workspace.succeed("message", "cancel", first)
            #expect(done.output == "message \(first) is cancelled\n")
            try await workspace.succeed("delivery", "resume", "1")
            try await eventually("the other one is sent") {
                try await Self.shown(second, workspace)["state"] as? String == "sent"
            }
            #expect(try await Self.shown(first, workspace)["state"] as? String == "cancelled")
        }
    }
}
