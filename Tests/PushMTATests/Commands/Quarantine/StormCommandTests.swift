import Foundation
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests the operator's decision about a storm of bad tokens: `quarantine storm show`, `confirm`, `discard`.
struct StormCommandTests {
    private static func workspace(_ count: Int = 12) async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(count))
        return workspace
    }

    private static func count(_ workspace: Workspace) async throws -> String {
        try await workspace.succeed("subscribers", "count", "--app", "ios").output
    }

    @Test func `if there is no storm, there is nothing to decide`() async throws {
        let workspace = try await Self.workspace()
        #expect(
            try await workspace.succeed("quarantine", "storm", "show").output
                == "no storm waits for a decision\n")
        #expect(try await workspace.succeed("quarantine", "storm", "show", "--json").output == "[]\n")
        for judgement in ["confirm", "discard"] {
            let finished = try await workspace.run("quarantine", "storm", judgement, "ios")
            #expect(finished.status == 1)
            #expect(finished.errorLines == ["pushmta: no storm waits for a decision"])
        }
        // Verdicts that are not believed yet do not form a storm, but an operator can decide about them.
        try await workspace.refuseEverybody()
        #expect(try await workspace.succeed("quarantine", "storm", "show", "--json").output == "[]\n")
        let unknown = try await workspace.run("quarantine", "storm", "confirm", "nobody")
        #expect(unknown.status == 1)
        #expect(try await Self.count(workspace) == "12\n")
    }

    @Test(arguments: [("confirm", "12 tokens quarantined"), ("discard", "12 verdicts discarded")])
    func `verdicts that wait without a storm are shown with their reason, and can be confirmed or discarded`(
        judgement: String, answer: String
    ) async throws {
        let workspace = try await Self.workspace()
        let mark = try await workspace.refuseEverybody()
        for command in [["status"], ["delivery", "show", "1"]] {
            // Without a master, `status` ends with exit status 1.
            let text = try await workspace.run(command).output
            #expect(
                text.contains("12 verdicts of \(mark)") && text.contains("wait for a decision"), "\(text)")
            #expect(text.contains("pushmta quarantine storm confirm ios"), "\(text)")
            let json = try await workspace.run(command + ["--json"]).json() as? [String: Any]
            let waiting = try #require((json?["waitingVerdicts"] as? [[String: Any]])?.first)
            #expect(waiting["account"] as? String == mark.rawValue && waiting["held"] as? Int == 12)
            #expect(waiting["apps"] as? [String] == ["ios"] && waiting["cause"] as? String == "unproved")
            #expect(waiting["appliesAt"] == nil || waiting["appliesAt"] is NSNull)
        }
        let decided = try await workspace.succeed("quarantine", "storm", judgement, "ios")
        #expect(decided.output.hasPrefix(answer), "\(decided.output)")
        #expect(!(try await workspace.run("status").output.contains("VERDICTS")))
        #expect(try await workspace.run("quarantine", "storm", judgement, "ios").status == 1)
    }

    @Test func `a storm is shown with its subject and with the possible decisions`() async throws {
        let workspace = try await Self.workspace()
        let mark = try await workspace.storm()
        let show = try await workspace.succeed("quarantine", "storm", "show")
        for part in [
            mark.rawValue, "12 of 12 reject tokens", "held verdicts  12", "apps           ios",
            "deliveries     1",
            "pushmta quarantine storm discard ios", "pushmta quarantine storm confirm ios",
        ] { #expect(show.output.contains(part), "\(part): \(show.output)") }
        let json = try await workspace.succeed("quarantine", "storm", "show", "--json").json()
        let storm = try #require((json as? [[String: Any]])?.first)
        #expect(
            Set(storm.keys) == ["account", "since", "accepted", "aboutTokens", "held", "apps", "deliveries"])
        #expect(storm["held"] as? Int == 12)
        #expect(storm["apps"] as? [String] == ["ios"])
    }

    @Test func `discarding a storm affects no device`() async throws {
        let workspace = try await Self.workspace()
        try await workspace.storm()
        let discard = try await workspace.succeed("quarantine", "storm", "discard", "ios")
        #expect(discard.output == "12 verdicts discarded; no token was affected\n")
        #expect(try await Self.count(workspace) == "12\n")
        #expect(try await workspace.run("quarantine", "storm", "discard", "ios").status == 1)
    }

    @Test func `confirming a storm quarantines its tokens, except those that have registered again`()
        async throws
    {
        let workspace = try await Self.workspace(2_500)
        let mark = try await workspace.storm()
        // Registers a known device with another user key.
        let token = String(repeating: "0", count: 63) + "1"
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", "--lift-quarantine",
            input: "registrationToken,userKey\n\(token),again\n")
        let confirm = try await workspace.succeed("quarantine", "storm", "confirm", mark.rawValue)
        #expect(confirm.output.hasPrefix("2 499 tokens quarantined, 0 errors counted, "))
        #expect(try await Self.count(workspace) == "1 valid, 2499 quarantined, 0 disabled\n")
        #expect(try workspace.openStore().trust.storms().isEmpty)
    }

    @Test func `an unknown storm name is refused, and the error names the existing storms`() async throws {
        let workspace = try await Self.workspace()
        try await workspace.succeed(Workspace.stubApp("other"))
        let mark = try await workspace.storm()
        let wrong = try await workspace.run("quarantine", "storm", "confirm", "nobody")
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains(mark.rawValue))
        #expect(try await Self.count(workspace) == "12\n")
    }

    @Test func `a delivery that waits for a stopped account names the account and the reason`() async throws {
        let workspace = try await Self.workspace()
        let mark = try await workspace.storm()
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        // The second delivery is not prepared yet, so it has no waiting messages.
        #expect(try await !workspace.succeed("delivery", "show", "2").output.contains("waits"))
        _ = try workspace.openStore().preparation.prepareChunk(of: .init(rawValue: 2), at: Workspace.now)
        let show = try await workspace.succeed("delivery", "show", "2")
        let line = try #require(show.outputLines.first { $0.hasPrefix("waits") })
        #expect(line.contains("is stopped") && line.contains("waits for a decision"))
        let json = try await workspace.succeed("delivery", "show", "2", "--json").json()
        let holds = try #require((json as? [String: Any])?["waitsFor"] as? [[String: Any]])
        #expect(holds.map { $0["state"] as? String } == ["stopped"])
        #expect(mark.rawValue.hasPrefix(try #require(holds[0]["account"] as? String)))
        // The first delivery has ended.
        #expect(try await !workspace.succeed("delivery", "show", "1").output.contains("waits"))
    }

    @Test(arguments: ["discard", "confirm"])
    func `after a decision, a running master resumes the account immediately`(judgement: String) async throws
    {
        let workspace = try await Self.workspace()
        try await workspace.storm()
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        try await workspace.withMaster { _ in
            // A storm that an earlier master recorded also stops the account for this master.
            try await eventually("the delivery waits for its account") {
                let show =
                    try await workspace.succeed("delivery", "show", "2", "--json").json() as? [String: Any]
                let hold = (show?["waitsFor"] as? [[String: Any]])?.first
                return hold?["state"] as? String == "stopped"
            }
            let status = try await workspace.succeed("status")
            let stopped = try #require(status.outputLines.first { $0.contains(" is stopped: ") })
            #expect(stopped.contains("quarantine storm show"))
            #expect(try await workspace.succeed("explain", "ios").output.contains("storm "))

            try await workspace.succeed("quarantine", "storm", judgement, "ios")
            var delivery: [String: Any] = [:]
            try await eventually("the delivery ends") {
                let show = try await workspace.succeed("delivery", "show", "2", "--json").json()
                delivery = try #require(show as? [String: Any])
                return delivery["state"] as? String == "finished"
            }
            // Its messages were prepared before any device was in quarantine.
            #expect((delivery["counts"] as? [String: Int])?["sent"] == 12)
            #expect(delivery["waitsFor"] == nil)
            let left = judgement == "discard" ? "12\n" : "0 valid, 12 quarantined, 0 disabled\n"
            #expect(try await Self.count(workspace) == left)
        }
    }
}
