import FoundationEssentials
import Testing
import pushload

/// Tests an assumption of the random scenarios with real processes and of the measured rates: their checks
/// detect each fault.
@Suite struct TheControlJudgeSeesEveryFault {
    @Test func `the check reports nothing for a successful run`() throws {
        #expect(try broken { _ in } == [])
        #expect(try broken { $0.report.state = "stopped" } == [])
    }

    @Test func `the check finds a message that is missing or exists twice`() throws {
        #expect(try broken { $0.rows.removeLast() }.contains("delivery 7 contains each device once"))
        #expect(try broken { $0.rows[1] = $0.rows[0] }.contains("delivery 7 contains each device once"))
    }

    @Test func `the check finds a stuck message, and counts that differ from the messages`() throws {
        let name = "delivery 7: the messages match the counts"
        #expect(try broken { $0.rows[0].state = "retrying" } == [name])
        #expect(
            try broken { $0.report.counts.sent -= 1 } == ["delivery 7 has ended and its counts add up", name])
        #expect(
            try broken { $0.report.state = "inProgress" } == ["delivery 7 has ended and its counts add up"])
    }

    @Test func `the check finds a message that is reported as sent although no gateway accepted it`() throws {
        #expect(
            try broken { $0.requests.removeFirst() } == ["delivery 7: the gateway accepted all sent messages"]
        )
    }

    @Test
    func `the check finds more requests after the answer to a stop than there were messages on the wire`()
        throws
    {
        func stopped(_ onTheWire: Int) throws -> [String] {
            try broken(.init(answered: 101, onTheWire: onTheWire)) { chapter in
                chapter.report.state = "stopped"
            }
        }
        #expect(try stopped(2) == [])
        #expect(try stopped(1) == ["delivery 7: no request begins after the answer to the stop"])
    }

    @Test func `the check finds messages that are cancelled although nothing was stopped`() throws {
        let said = try broken { chapter in
            chapter.rows[3].state = "cancelled"
            chapter.report.counts.failed -= 1
            chapter.report.counts.cancelled += 1
        }
        #expect(said == ["delivery 7: messages are cancelled only by a stop"])
    }

    @Test
    func `each window spans ten consecutive seconds and contains neither the first nor the last second`() {
        let counted = [3] + [Int](repeating: 50, count: 11) + [20]
        #expect(RateScenario.windows(of: counted) == [500, 500])
        #expect(RateScenario.windows(of: Array(counted.prefix(11))) == [])
        #expect(RateScenario.windows(of: []) == [])
        let slow = [0] + [Int](repeating: 50, count: 9) + [20, 80, 50, 0]
        let report = RateScenario.Report(rate: 50, messages: 600, counted: slow)
        #expect(report.windows == [470, 500, 500] && report.range == 47...50)
        #expect(abs(report.deviation - 0.06) < 1e-9)
    }

    /// Three of four devices were reached, at 100, 101… ms; the fourth was refused.
    private func broken(
        _ stop: ControlScenario.Stop? = nil, _ change: (inout DeliveryComparison) -> Void
    ) throws -> [String] {
        let rows = try (0..<4).map { number in
            let state = number < 3 ? "sent" : "failed"
            let text = """
                {"messageId": "\(number)", "userKey": "user-\(number)", "token": "token-\(number)", "app": "a",
                 "state": "\(state)", "attempts": 1, "failureType": "", "failureReason": "", "providerReason": "",
                 "providerId": "", "updatedAt": ""}
                """
            return try JSONDecoder().decode(MessageRow.self, from: Data(text.utf8))
        }
        let text = """
            {"id": 7, "label": "x", "state": "finished", "counts": {"targeted": 4, "excluded": 0, "pending": 0, "sent": 3,
             "retrying": 0, "failed": 1, "cancelled": 0, "received": 0, "clicked": 0}}
            """
        let log = (0..<4).map { number in
            [
                "\(100 + number)", "1", "\(number)", number < 3 ? "accepted" : "rejected",
                number < 3 ? "200" : "400", "-", "token-\(number)", "-", "-", "-", "-", "-", "-",
                #"{"_dId":"7"}"#,
            ].joined(separator: "\t")
        }
        let columns =
            "#at_ms connection stream ending status reason token apns_id topic push_type priority expiration "
            + "collapse_id body"
        let head = columns.split(separator: " ").joined(separator: "\t")
        let lines = ([head] + log).joined(separator: "\n") + "\n"
        var chapter = DeliveryComparison(
            report: try JSONDecoder().decode(DeliveryReport.self, from: Data(text.utf8)), rows: rows,
            all: try GatewayRequest.parse(Array(lines.utf8), file: "log"))
        change(&chapter)
        let scenario = try ControlScenario.with { $0.devices = 4 }
        return scenario.verdict(on: .init([chapter], stop.map { [7: $0] } ?? [:])).findings.filter {
            !$0.holds
        }.map(\.what)
    }
}
