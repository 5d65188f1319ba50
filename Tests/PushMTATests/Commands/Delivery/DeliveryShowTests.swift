import Foundation
import PushModel
import PushStore
import Testing

struct DeliveryShowTests {
    @Test func `the document that delivery show prints can be submitted again`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        let document = try Workspace.document([
            "target": ["userKeys": ["user1", "user2"]], "schedule": ["validity": "2h", "priority": "low"],
        ])
        try await workspace.succeed("delivery", "submit", "-", input: document)
        let written = try await workspace.succeed("delivery", "document", "1")
        #expect(written.errors.isEmpty && written.output.contains("\"user2\""))
        try await workspace.succeed("delivery", "submit", "-", input: written.output)
        #expect(try await workspace.succeed("delivery", "document", "2").output == written.output)
        let json = try await workspace.succeed("delivery", "document", "2", "--json")
        #expect(Set(try #require(json.json() as? [String: Any]).keys) == ["id", "document", "recipients"])

        let many = (1...10_001).map { "key\($0)\n" }.joined() + "user1\n"
        try workspace.write(many, to: "keys")
        try await workspace.succeed(
            "delivery", "submit", "-", "--user-keys", "keys",
            input: try Workspace.document(["target": NSNull()]))
        let apart = try await workspace.succeed("delivery", "document", "3")
        #expect(!apart.output.contains("target"))
        #expect(
            apart.errors == "the recipients were in a separate file: 10 002 user keys\n")
        try await workspace.succeed(
            "delivery", "submit", "-", "--user-keys", "keys", input: apart.output)

        #expect(try await workspace.run("delivery", "document", "99").status == 3)
        try await workspace.succeed("send", "--app", "ios", "--user-key", "user1", "--title", "x")
        let single = try await workspace.run("delivery", "document", "5")
        #expect(single.status == 3 && single.errors.contains("consists of single messages"))
    }

    @Test func `the JSON output has exactly the documented keys`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(4))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let before = try #require(
            try await workspace.succeed("delivery", "show", "1", "--json").json() as? [String: Any])
        #expect(before["state"] as? String == "startPending")
        #expect(before["startedAt"] is NSNull)
        try workspace.settle(DeliveryID(rawValue: 1)) { place in
            place == 0 ? .failed(.hard, .userUnknown, providerReason: "Unregistered") : .sent(providerID: nil)
        }

        let shown = try await workspace.succeed("delivery", "show", "1", "--json")
        let delivery = try #require(try shown.json() as? [String: Any])
        #expect(
            Set(delivery.keys)
                == [
                    "id", "label", "state", "environments", "counts", "createdAt",
                    "startedAt", "finishedAt",
                    "messagesPerSecond",
                    "verifyMode",
                    "service", "apps", "startAt", "validitySeconds", "expiresAt", "priority", "ratePerSecond",
                    "target", "listedRecipients", "unknownRecipients", "list",
                    "content",
                    "failures", "exclusions", "nextRetryAt", "storms", "waitingVerdicts", "retentionDays",
                    "messagesKeptUntil",
                    "template", "templateVersion",
                    "messagesRemovedAt",
                ])
        #expect(delivery["id"] as? Int == 1)
        #expect(delivery["label"] as? String == "Spring sale")
        #expect(delivery["state"] as? String == "finished")
        let counts = try #require(delivery["counts"] as? [String: Int])
        #expect(
            counts == [
                "targeted": 4, "excluded": 0, "pending": 0, "sent": 3, "retrying": 0, "failed": 1,
                "cancelled": 0,
                "received": 0, "clicked": 0,
            ])
        for key in ["startedAt", "finishedAt"] {
            let moment = try #require(delivery[key] as? String)
            #expect(moment.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        }

        let text = try await workspace.succeed("delivery", "show", "1")
        #expect(text.output.contains("state      finished\n"))
        #expect(text.output.contains("sent       3\n"))
        let failure = "User unknown: Unregistered; see Docs/Reference/GatewayAnswers.md#apns-unregistered"
        #expect(text.outputLines.contains { $0.hasPrefix("failures") && $0.hasSuffix(failure) })
    }

    @Test func `messages that may have arrived twice are counted if requested`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let delivery = DeliveryID(rawValue: 1)
        let store = try workspace.openStore()
        let part = try #require(try store.preparation.prepareChunk(of: delivery, at: Workspace.now).part)
        let first = part.messages.lowerBound.rawValue
        // The first message received no answer once, the second was permanently refused, and the third was
        // sent at once.
        func record(_ place: Int64, _ change: MessageRecord.Change) throws {
            var batch = OutcomeBatch(delivery: delivery)
            batch.others = [
                MessageRecord(
                    message: MessageID(rawValue: first + place), change: change, countsAttempt: true)
            ]
            _ = try store.outcomes.record([batch], at: Workspace.now)
        }
        try record(0, .retrying(due: Workspace.now.time, .soft, .unreachable, providerReason: "no answer"))
        try record(0, .sent(providerID: nil))
        try record(1, .failed(.hard, .userUnknown, providerReason: "Unregistered"))
        try record(2, .sent(providerID: nil))
        let plain = try await workspace.succeed("delivery", "show", "1")
        #expect(!plain.output.contains("duplicates"))
        let text = try await workspace.succeed("delivery", "show", "1", "--duplicates")
        #expect(
            text.outputLines.contains(
                "possible duplicates  1 sent again, and messages that a child held when it died"))
        let json = try await workspace.succeed("delivery", "show", "1", "--duplicates", "--json").json()
        #expect((json as? [String: Any])?["possibleDuplicates"] as? Int == 1)
    }

    @Test func `an unknown delivery is refused`() async throws {
        for command in ["show", "log"] {
            let finished = try await Workspace.withApp().run("delivery", command, "7")
            #expect(finished.status == 3)
            #expect(finished.output.isEmpty)
            #expect(finished.errorLines.count == 1)
        }
    }
}
