import Foundation
import PushModel
import PushStore
import Testing

/// Tests the checks of a delivery before it is sent.
struct DeliveryAnalysisTests {
    /// Creates a workplace with five subscribers `user1`… and `delivery.json`.
    private static func workspace(_ changes: [String: Any] = [:]) async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(5))
        try workspace.write(try Workspace.document(changes), to: "delivery.json")
        return workspace
    }

    private static func deliveries(in workspace: Workspace) async throws -> Int? {
        (try await workspace.succeed("delivery", "list", "--json").json() as? [Any])?.count
    }

    @Test func `a dry run prints the expected result and stores nothing`() async throws {
        let workspace = try await Self.workspace()
        let text = try await workspace.succeed("delivery", "submit", "delivery.json", "--dry-run")
        #expect(text.errors.isEmpty)
        let lines = text.outputLines.map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        #expect(lines.contains(["targeted", "5"]) && lines.contains(["excluded", "0"]))
        #expect(
            lines.contains(["app", "ios"])
                && lines.contains { $0.starts(with: ["time", "to", "send", "unknown:"]) })
        #expect(text.output.contains(#"{"aps":{"alert":{"title":"Hello","body":"Paris from 99 EUR"}}"#))
        #expect(text.output.contains(" of 4 096 bytes"))

        let json = try await workspace.succeed("delivery", "submit", "delivery.json", "--dry-run", "--json")
        let answer = try #require(try json.json() as? [String: Any])
        #expect(
            Set(answer.keys) == [
                "label", "environments", "targeted", "excluded", "exclusions", "tooLarge", "shortened",
                "missingValues", "listedRecipients", "unknownRecipients", "list", "estimatedSeconds",
                "estimatedBy", "isLeast", "apps", "releases", "lastReleaseAt", "warnings",
            ])
        #expect(answer["targeted"] as? Int == 5 && answer["estimatedSeconds"] is NSNull)
        let app = try #require((answer["apps"] as? [[String: Any]])?.first)
        #expect(
            Set(app.keys) == [
                "app", "environment", "targeted", "excluded", "exclusions", "tooLarge", "shortened",
                "missingValues", "sample", "languages", "warnings", "messagesPerSecond",
            ])
        let sample = try #require(app["sample"] as? [String: Any])
        #expect(Set(sample.keys) == ["payload", "bytes", "limitBytes"])
        #expect(try await Self.deliveries(in: workspace) == 0)
        // The next delivery gets the first id.
        #expect(try await workspace.succeed("delivery", "submit", "delivery.json").output == "1\n")
    }

    @Test func `a dry run reads user keys from a file, and is refused for the same reasons as a submission`()
        async throws
    {
        let workspace = try await Self.workspace(["target": NSNull()])
        try workspace.write("user1\nuser3\ntypo\n", to: "keys.txt")
        let some = try await workspace.succeed(
            "delivery", "submit", "delivery.json", "--dry-run", "--user-keys", "keys.txt", "--json")
        let found = try #require(try some.json() as? [String: Any])
        #expect(found["targeted"] as? Int == 2)
        #expect(found["listedRecipients"] as? Int == 3 && found["unknownRecipients"] as? Int == 1)
        let shown = try await workspace.succeed(
            "delivery", "submit", "delivery.json", "--dry-run", "--user-keys", "keys.txt")
        #expect(shown.output.contains("2 of 3 listed recipients; no subscriber has the other 1\n"))
        let wrong = try Workspace.document(["label": 1, "tracking": "yes"])
        let submitted = try await workspace.run("delivery", "submit", "-", input: wrong)
        let dry = try await workspace.run("delivery", "submit", "-", "--dry-run", input: wrong)
        #expect(submitted.status == 3 && dry.status == 3)
        #expect(dry.output.isEmpty && dry.errors == submitted.errors && dry.errorLines.count == 2)
        let nobody = try await workspace.succeed(
            "delivery", "submit", "-", "--dry-run",
            input: try Workspace.document(["target": ["userKeys": ["typo"]]]))
        #expect(nobody.errors == "warning: the target contains no subscriber\n")
        #expect(nobody.output.contains("no device would receive one"))
        for option in [["--wait"], ["--idempotency-key", "k"]] {
            let useless = try await workspace.run(
                ["delivery", "submit", "delivery.json", "--dry-run"] + option)
            #expect(useless.status == 2 && useless.output.isEmpty)
        }
        #expect(try await Self.deliveries(in: workspace) == 0)
    }

    @Test func `a dry run shows how many messages would be sent if some devices lack a value`() async throws {
        let workspace = try await Self.workspace(["content": ["title": "Hello {{firstName}}"]])
        try await workspace.succeed(
            "subscribers", "add", "--app", "ios", "--token", String(repeating: "ab", count: 32), "--user-key",
            "anna", "--parameter", "firstName=Anna")
        let text = try await workspace.succeed("delivery", "submit", "delivery.json", "--dry-run").output
        #expect(text.contains("5 have no value for firstName"), "\(text)")
        let lines = text.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("to be sent ") && $0.hasSuffix(" 1") }, "\(text)")
    }

    @Test func `a dry run uses the throughput of earlier deliveries, with and without a master`() async throws
    {
        let workspace = try await Self.workspace()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving ")
            try await workspace.succeed("delivery", "submit", "delivery.json", "--wait")
            let json = try await workspace.succeed(
                "delivery", "submit", "delivery.json", "--dry-run", "--json")
            let answer = try #require(try json.json() as? [String: Any])
            #expect((answer["estimatedSeconds"] as? Int ?? 0) >= 1)
            #expect(answer["estimatedBy"] as? String == "throughput" && answer["isLeast"] as? Bool == false)
        }
        let text = try await workspace.succeed("delivery", "submit", "delivery.json", "--dry-run").output
        #expect(text.contains("at the throughput of earlier deliveries"), "\(text)")
    }

    @Test func `a preview shows what each device of one person would receive`() async throws {
        let workspace = try await Self.workspace()
        let text = try await workspace.succeed("delivery", "preview", "delivery.json", "--user-key", "user2")
        #expect(text.errors.isEmpty)
        #expect(text.output.contains(#""_mId":"2147483647","_dId":"2147483647"}"#))
        #expect(text.output.contains("apns-push-type") && text.output.contains(" of 4 096 bytes"))
        let token = String(repeating: "0", count: 63) + "3"
        let json = try await workspace.succeed(
            "delivery", "preview", "-", "--token", token, "--app", "ios", "--json",
            input: try Workspace.document(["target": NSNull()]))
        let answer = try #require(try json.json() as? [String: Any])
        #expect(Set(answer.keys) == ["devices", "warnings"])
        let device = try #require((answer["devices"] as? [[String: Any]])?.first)
        #expect(
            Set(device.keys) == [
                "app", "environment", "token", "userKey", "state", "language", "message", "fault",
                "headers",
            ])
        #expect(device["userKey"] as? String == "user3" && device["fault"] is NSNull)
        #expect((device["headers"] as? [String: String])?["apns-priority"] == "10")

        let nobody = try await workspace.run("delivery", "preview", "delivery.json", "--user-key", "typo")
        #expect(nobody.status == 3 && nobody.output.isEmpty && nobody.errorLines.count == 1)
        let other = try await workspace.run(
            "delivery", "preview", "delivery.json", "--user-key", "user1", "--app", "droid")
        #expect(other.status == 3 && other.errors.contains("its apps are: ios"))
        #expect(try await workspace.run("delivery", "preview", "delivery.json").status == 2)
        #expect(try await Self.deliveries(in: workspace) == 0)
    }

    @Test func `a proof is sent to a few people, as a separate delivery`() async throws {
        let workspace = try await Self.workspace(["schedule": ["start": "2099-01-01T00:00:00Z"]])
        let proof = try await workspace.succeed(
            "delivery", "proof", "delivery.json", "--user-keys", "user1, user2", "--user-keys", "user4,typo")
        #expect(proof.output == "1\n")
        #expect(proof.errorLines.count == 2 && proof.errors.hasPrefix("warning: user key \"typo\": "))
        #expect(proof.errors.hasSuffix(Workspace.noMaster))
        let id = DeliveryID(rawValue: 1)
        let order = try #require(try workspace.openStore().deliveries.delivery(id)).order
        #expect(
            order.target.base == .userKeys(["user1", "user2", "user4", "typo"])
                && order.target.ignoresFrequencyCap && order.schedule.start == nil)
        try workspace.settle(id)
        let shown = try await workspace.succeed("delivery", "show", "1", "--json").json() as? [String: Any]
        #expect(shown?["label"] as? String == "proof: Spring sale" && shown?["priority"] as? String == "high")
        #expect((shown?["counts"] as? [String: Any])?["sent"] as? Int == 3)
        #expect(try await workspace.succeed("delivery", "list").output.contains("proof: Spring sale"))
        let json = try await workspace.succeed(
            "delivery", "proof", "delivery.json", "--user-keys", "user1", "--json")
        #expect((try json.json() as? [String: Any])?["id"] as? Int == 2)

        let nobody = try await workspace.run("delivery", "proof", "delivery.json", "--user-keys", "typo")
        #expect(nobody.status == 3 && nobody.output.isEmpty && nobody.errorLines.count == 1)
        for keys in [[], ["--user-keys", ""], ["--user-keys", " , "]] {
            let none = try await workspace.run(["delivery", "proof", "delivery.json"] + keys)
            #expect(none.status == 2)
        }
        let many = (0...100).map { "u\($0)" }.joined(separator: ",")
        let refused = try await workspace.run("delivery", "proof", "delivery.json", "--user-keys", many)
        #expect(refused.status == 3 && refused.errors.contains("found 101"))
        #expect(try await Self.deliveries(in: workspace) == 2)
    }
}
