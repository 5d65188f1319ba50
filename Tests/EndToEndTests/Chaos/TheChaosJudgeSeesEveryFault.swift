import FoundationEssentials
import Testing
import pushload

/// Tests an assumption of the chaos scenario: its check detects each fault.
@Suite struct TheChaosJudgeSeesEveryFault {
    @Test func `the check reports nothing for a successful run, except faults that never occurred`() throws {
        #expect(try broken { _ in } == ["every fault happened"])
        #expect(try broken(wantsAllFaults: false) { _ in } == [])
    }

    @Test func `the check finds a stuck message`() throws {
        let said = try broken(wantsAllFaults: false) { $0.set(0, state: "retrying") }
        #expect(said.contains("delivery 7: every message is in one final state, and none is lost or stuck"))
    }

    @Test func `the check finds a missing message`() throws {
        let said = try broken(wantsAllFaults: false) { $0.rows.removeLast() }
        #expect(said.contains("delivery 7: every message is in one final state, and none is lost or stuck"))
    }

    @Test func `the check finds a message that is reported as sent although no gateway accepted it`() throws {
        #expect(
            try broken(wantsAllFaults: false) { $0.requests.removeFirst() } == ["delivery 7: sent ⊆ accepted"]
        )
    }

    @Test func `the check finds an accepted message that is neither reported as sent nor was ever undecided`()
        throws
    {
        let said = try broken(wantsAllFaults: false) {
            $0.set(0, state: "failed")
            $0.rows[0].attempts = 0
        }
        #expect(said.contains("delivery 7: accepted but not sent ⊆ undecided at least once"))
    }

    @Test(arguments: ["failed", "excluded"])
    func `the check finds a working device whose message failed or was excluded`(state: String) throws {
        let said = try broken(wantsAllFaults: false) { $0.set(0, state: state) }
        #expect(said.contains("delivery 7: only dead devices fail or are excluded"))
    }

    @Test func `the check finds a dead device whose message is reported as sent`() throws {
        let said = try broken(wantsAllFaults: false) { story in
            guard let index = story.rows.firstIndex(where: { $0.state == "failed" }) else { return }
            story.set(index, state: "sent")
        }
        #expect(said.contains("delivery 7: only dead devices fail or are excluded"))
        #expect(said.contains("delivery 7: sent ⊆ accepted"))
    }

    @Test func `the check finds counts that differ from the rows`() throws {
        let said = try broken(wantsAllFaults: false) { story in
            story.sentSaid = -1
        }
        #expect(said.contains("delivery 7: statistics = recount"))
    }

    @Test func `the check finds an unexplained duplicate, but accepts a duplicate of an undecided message`()
        throws
    {
        let name =
            "repeated acceptances ≤ undecided attempts that were repeated + messages unrecorded at the kills"
        #expect(try broken(wantsAllFaults: false) { $0.requests.append($0.requests[0]) } == [name])
        let explained = try broken(wantsAllFaults: false) {
            $0.requests.append($0.requests[0])
            $0.rows[0].attempts = 2
        }
        #expect(explained == [])
    }

    @Test
    func `the check finds an orphan, a kill without effect, an unexpected message and a protocol violation`()
        throws
    {
        let kills = "every kill was carried out, and no child outlived its master by 2 s"
        #expect(try broken(wantsAllFaults: false) { $0.orphan = .seconds(3) } == [kills])
        #expect(try broken(wantsAllFaults: false) { $0.kills = [] } == [kills])
        let requests = "every request belongs to a delivery and follows the protocol"
        #expect(try broken(wantsAllFaults: false) { $0.strays = 1 } == [requests])
        #expect(try broken(wantsAllFaults: false) { $0.protocolErrors = 1 } == [requests])
    }

    // MARK: The story

    /// Every device except the dead one was reached once, and one kill took effect.
    private struct Story {
        var rows: [MessageRow] = []
        var requests: [GatewayRequest] = []
        var kills: [ChaosScenario.Victim] = [.child]
        var orphan: Duration = .zero
        var strays = 0
        var protocolErrors = 0
        /// The number of messages reported as sent in addition to those that the rows confirm.
        var sentSaid = 0

        mutating func set(_ index: Int, state: String) { rows[index].state = state }
    }

    private func broken(wantsAllFaults: Bool = true, _ change: (inout Story) -> Void) throws -> [String] {
        let scenario = try ChaosScenario.with {
            ($0.seed, $0.devices, $0.kills, $0.deadOneIn) = (1, 10, 1, 5)
            $0.allowsMissingFaults = !wantsAllFaults
        }
        var story = Story()
        for platform in Testbed.Platform.allCases {
            let subscribers = scenario.subscribers(of: platform)
            let dead = scenario.dead(of: platform)
            for index in 0..<subscribers.count {
                let token = subscribers.token(index)
                let lives = !dead.contains(token)
                story.rows.append(try row(token, number: story.rows.count, state: lives ? "sent" : "failed"))
                if lives { story.requests += try request(token, number: story.rows.count - 1) }
            }
        }
        change(&story)
        func count(_ state: String) -> Int { story.rows.count { $0.state == state } }
        let sent = count("sent") + story.sentSaid
        let failed = count("failed")
        let retrying = count("retrying")
        let text = #"""
            {"id":7,"label":"x","state":"finished","createdAt":"2026-11-21T10:00:00.000Z",
            "startedAt":null,"finishedAt":null,"messagesPerSecond":null,
             "counts":{"targeted":\#(sent + failed + retrying),"excluded":\#(count("excluded")),"pending":0,
             "sent":\#(sent),"retrying":\#(retrying),"failed":\#(failed),"cancelled":0,"received":0,"clicked":0}}
            """#
        var report = ChaosReport(scenario)
        report.kills = story.kills
        report.longestOrphan = story.orphan
        report.strays = story.strays
        report.summary.protocolErrors = story.protocolErrors
        report.chapters = [
            DeliveryComparison(
                report: try JSONDecoder().decode(DeliveryReport.self, from: Data(text.utf8)),
                rows: story.rows,
                all: story.requests)
        ]
        return report.findings.filter { !$0.holds }.map(\.what)
    }

    private func row(_ token: String, number: Int, state: String) throws -> MessageRow {
        let text = #"""
            {"messageId":"\#(number)","userKey":"u","token":"\#(token)","app":"x","state":"\#(state)",
             "attempts":1,"failureType":"","failureReason":"","providerReason":"","providerId":"","updatedAt":""}
            """#
        return try JSONDecoder().decode(MessageRow.self, from: Data(text.utf8))
    }

    /// A request to the binary gateway, which has no ids of its own.
    private func request(_ token: String, number: Int) throws -> [GatewayRequest] {
        let log =
            "#at_ms\tconnection\tstream\tending\tstatus\treason\tapi\tcommand\tidentifier\ttoken\texpiration"
            + "\tpriority\tbody\n1\t1\t1\taccepted\t0\t-\tbinary\t2\t1\t\(token)\t0\t10"
            + #"\#t{"aps":{},"_mId":"\#(number)","_dId":"7"}"# + "\n"
        return try GatewayRequest.parse(Array(log.utf8), file: "log")
    }
}
