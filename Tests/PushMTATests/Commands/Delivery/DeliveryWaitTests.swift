import Foundation
import PushModel
import PushStore
import Testing
import pushmta

struct DeliveryWaitTests {
    private static func waiting() async throws -> (Workspace, RunningCommand) {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        let wait = try workspace.start(
            ["delivery", "submit", "-", "--wait"], input: try Workspace.document())
        // The id is printed once the delivery is on disk. It is followed by the hint that no master is
        // running.
        try await wait.waitForOutput("no master")
        #expect(try wait.outputSoFar() == "1\n")
        return (workspace, wait)
    }

    @Test func `wait ends with status 0 when the delivery has finished`() async throws {
        let (workspace, wait) = try await Self.waiting()
        try workspace.settle(DeliveryID(rawValue: 1)) { place in
            place == 0 ? .failed(.hard, .userUnknown, providerReason: "Unregistered") : .sent(providerID: nil)
        }
        let finished = try await wait.finished()
        #expect(finished.status == 0)
        #expect(finished.output == "1\n")
        #expect(finished.errorLines.last?.hasPrefix("sent 2 of 3, 1 failed") == true)
    }

    @Test func `wait ends with status 1 if no message was sent`() async throws {
        for change in [
            MessageRecord.Change.failed(.hard, .userUnknown, providerReason: "Unregistered"),
            .cancelled(.undefined, why: "the validity period is over"),
        ] {
            let (workspace, wait) = try await Self.waiting()
            try workspace.settle(DeliveryID(rawValue: 1)) { _ in change }
            let finished = try await wait.finished()
            #expect(finished.status == 1 && finished.output == "1\n")
            #expect(finished.errorLines.contains { $0.hasPrefix("sent 0 of 3, 3 ") })
            #expect(finished.errorLines.last?.hasPrefix("no message was sent: ") == true)
        }
    }

    @Test func `a wait ends with status 1 if no master runs, and the messages remain`() async throws {
        let (workspace, wait) = try await Self.waiting()
        let send = try workspace.start([
            "send", "--app", "ios", "--user-key", "user1", "--title", "x", "--wait",
        ])
        let finished = try await wait.finished()
        #expect(finished.status == 1 && finished.output == "1\n")
        let end = "pushmta: no master has run for \(MasterAbsence.maxSeconds) s, so the wait ends; "
        let rest = "'pushmta delivery show 1' shows when the delivery is sent\n"
        #expect(finished.errors == Workspace.noMaster + end + rest)
        let sent = try await send.finished()
        #expect(sent.status == 1 && sent.output.isEmpty)
        #expect(sent.errors.hasPrefix(Workspace.noMaster + end + "'pushmta message show "))
        let shown = try await workspace.succeed("delivery", "show", "1", "--json").json() as? [String: Any]
        #expect(shown?["state"] as? String == "startPending")
    }

    @Test func `a wait continues if a master starts within the limit`() async throws {
        let (workspace, wait) = try await Self.waiting()
        try await workspace.withMaster { _ in
            let finished = try await wait.finished()
            #expect(finished.status == 0 && finished.output == "1\n")
            #expect(finished.errors.hasPrefix(Workspace.noMaster) && finished.errors.contains("sent 3 of 3"))
        }
    }

    @Test func `interrupting a wait leaves the delivery unchanged`() async throws {
        let (workspace, wait) = try await Self.waiting()
        wait.signal(SIGINT)
        let finished = try await wait.finished()
        #expect(finished.status == -SIGINT)
        #expect(finished.errorLines.last?.contains("continues") == true)
        let show = try await workspace.succeed("delivery", "show", "1", "--json")
        #expect((try show.json() as? [String: Any])?["state"] as? String == "startPending")
    }

    @Test func `wait reports what delays the delivery`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(12))
        try await workspace.storm()
        let wait = try workspace.start(
            ["delivery", "submit", "-", "--wait"], input: try Workspace.document())
        try await wait.waitForOutput("no master")
        _ = try workspace.openStore().preparation.prepareChunk(of: DeliveryID(rawValue: 2), at: Workspace.now)
        try await wait.waitForOutput("is stopped: ")
        wait.signal(SIGINT)
        let finished = try await wait.finished()
        #expect(finished.errorLines.count { $0.contains("is stopped: ") } == 1)
    }

    @Test func `wait ends immediately if there are no recipients`() async throws {
        let workspace = try await Workspace.withApp()
        let wait = try workspace.start(
            ["delivery", "submit", "-", "--wait"], input: try Workspace.document())
        try await wait.waitForOutput("no master")
        try workspace.settle(DeliveryID(rawValue: 1))
        let finished = try await wait.finished()
        #expect(finished.errorLines.last?.hasPrefix("sent 0 of 0") == true)
    }

    @Test func `wait ends with status 1 if a storm is undecided, and reports the storm in one line`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(12))
        let account = try await workspace.account(of: "ios")
        let wait = try workspace.start(
            ["delivery", "submit", "-", "--wait"], input: try Workspace.document())
        try await wait.waitForOutput("no master")
        let store = try workspace.openStore()
        let id = DeliveryID(rawValue: 1)
        let part = try #require(try store.preparation.prepareChunk(of: id, at: Workspace.now).part)
        func refuse(_ messages: ClosedRange<Int64>) throws {
            var batch = OutcomeBatch(delivery: id)
            batch.others = messages.map {
                MessageRecord(
                    message: MessageID(rawValue: $0),
                    change: .failed(.hard, .userUnknown, providerReason: "Unregistered"), countsAttempt: true,
                    tokenVerdict: TokenVerdict(gravity: .dead, deadSince: nil, account: account))
            }
            batch.answers = [AccountAnswers(account: account, aboutTokens: messages.count)]
            _ = try store.outcomes.record([batch], at: Workspace.now, judge: { _ in .storm })
        }
        let (first, last) = (part.messages.lowerBound.rawValue, part.messages.upperBound.rawValue)
        try refuse(first...(last - 1))
        // While waiting, the command names the cause of the delay. At the end it reports that the storm is
        // undecided.
        try await wait.waitForOutput("is stopped: ")
        try refuse(last...last)
        let finished = try await wait.finished()
        #expect(finished.status == 1)
        let told = finished.errorLines.filter { $0.contains("storm: most answers to") }
        #expect(told.count == 1 && finished.errorLines.last == told.first)
        #expect(told.first?.contains("pushmta delivery retry-failed 1") == true)
    }
}
