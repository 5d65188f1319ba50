import FoundationEssentials
import Testing
import pushload

/// Tests an assumption of the scenario with several hosts: its check detects each fault.
@Suite struct TheHostsJudgeSeesEveryFault {
    private static let lease = "no request begins 15 s or more after its host last renewed its lease"
    private static let takeOver = "a take-over begins within 25 s"
    private static let orderly = "after an orderly end another host leads immediately"
    private static let struck = "every fault occurred during a delivery, and no other host ended"
    private static let doubled =
        "repeated acceptances ≤ undecided attempts that were repeated + messages held unrecorded by victims"

    @Test func `the check reports nothing for a successful run`() throws {
        #expect(try broken { _ in } == [])
    }

    @Test func `the check finds a message that is stuck, missing, or reported as sent and never accepted`()
        throws
    {
        let final = "delivery 7: every message is in one final state, and none is lost or stuck"
        #expect(try broken { $0.rows[0].state = "retrying" }.contains(final))
        #expect(try broken { $0.rows.removeLast() }.contains(final))
        #expect(try broken { $0.requests[0].removeFirst() } == ["delivery 7: sent ⊆ accepted"])
    }

    @Test func `the check finds a duplicate of a message that was not with a killed host`() throws {
        #expect(try broken { $0.requests[1].append($0.requests[0][0]) } == [Self.doubled])
        let explained = try broken {
            $0.requests[1].append($0.requests[0][0])
            $0.injectedFaults[0].unrecorded = 1
        }
        #expect(explained == [])
    }

    @Test func `the check finds a request after its host's lease has ended, or before the host has reported`()
        throws
    {
        // The dead host last wrote its row at 20 000.
        #expect(try broken { $0.requests[0][0].time = 35_000 } == [])
        #expect(try broken { $0.requests[0][0].time = 36_100 } == [], "it may have been on its way")
        #expect(try broken { $0.requests[0][0].time = 36_201 } == [Self.lease])
        #expect(try broken { $0.requests[0][0].time = 59_000 } == [Self.lease])
        #expect(try broken { $0.requests[1][0].time = 999 } == [Self.lease])
        // A request that was cut off with its connection received no answer, and ended when the connection
        // ended.
        let cut = try broken {
            var request = $0.requests[0][0]
            (request.ending, request.time) = (.cut, 59_000)
            $0.requests[0].append(request)
        }
        #expect(cut == [])
    }

    @Test func `the check finds a takeover that is late or missing`() throws {
        #expect(try broken { $0.set("lost", at: 46_000) } == [Self.takeOver])
        #expect(try broken { story in story.samples.removeAll { $0.state == "lost" } } == [Self.takeOver])
        // If other programs use the machine, the takeover may be later, but it must not be missing.
        #expect(try broken(isBusy: true) { $0.set("lost", at: 46_000) } == [])
        #expect(try broken(isBusy: true) { story in story.samples.removeAll { $0.state == "lost" } } != [])
    }

    @Test
    func
        `the check finds a slow change of leader after an orderly end, and a host that ended without notice`()
        throws
    {
        let late = try broken { story in
            for place in story.samples.indices
            where story.samples[place].host == "c" && story.samples[place].at >= 70_000 {
                story.samples[place].at += 4_000
            }
        }
        #expect(late == [Self.orderly])
        #expect(try broken { story in story.samples.removeAll { $0.state == "gone" } } == [Self.orderly])
    }

    @Test func `the check finds an exceeded quota, unless the gateways were busy`() throws {
        // 3 000 in ten seconds are allowed, with a tolerance of one twentieth.
        #expect(try broken { $0.unread = 3_150 } == [])
        let quota = "FCM's quota is never above 105 % over ten seconds"
        #expect(try broken { $0.unread = 3_151 } == [quota])
        #expect(try broken(isBusy: true) { $0.unread = 3_151 } == [])
        #expect(HostsReport.mostInAWindow([0, 1, 9_999, 10_000, 10_001]) == 3)
        #expect(HostsReport.mostInAWindow([]) == 0)
    }

    @Test func `the check finds an exceeded delivery rate`() throws {
        // 1 500 in ten seconds are allowed, with a tolerance of one twentieth.
        for (requests, findings) in [(1_575, 0), (1_576, 1)] {
            let said = try broken { story in
                story.rowsAreLimited = true
                story.rows.removeFirst(6)
                let tokens = Set(story.rows.map(\.token))
                for place in story.requests.indices {
                    story.requests[place].removeAll { !tokens.contains($0.token) }
                }
                // Temporary refusals count as requests too.
                var refused = try #require(story.requests[0].first)
                (refused.ending, refused.time) = (.rejected, 10_001)
                story.requests[0] += Array(repeating: refused, count: requests - 6)
            }
            #expect(said.count == findings, "\(said)")
        }
    }

    @Test
    func `the check finds unexpected requests, violations, faults without effect, early ends and stalls`()
        throws
    {
        let requests = "every request belongs to a delivery and follows the protocol"
        #expect(try broken { $0.requests[2][0].body = "{}" }.contains(requests))
        #expect(try broken { $0.protocolErrors = 1 } == [requests])
        #expect(try broken { $0.injectedFaults[0].left = 0 } == [Self.struck])
        #expect(try broken { $0.injectedFaults.removeLast() }.contains(Self.struck))
        #expect(try broken { $0.unexpected = ["host 3: it ended"] } == [Self.struck])
        let stalled = "only frozen or disconnected hosts are stalled"
        #expect(try broken { $0.stalled = ["host 3: an account is stalled"] } == [stalled])
    }

    // MARK: The story

    /// Three hosts that each sent at least one message. The first host was killed at 20 500, and another host
    /// took over at 40 000. The second host led and ended in order at 70 000.
    private struct Story {
        var rows: [MessageRow] = []
        var requests: [[GatewayRequest]] = [[], [], []]
        var samples: [HostsReport.HostSample] = []
        var injectedFaults: [HostsReport.InjectedFault] = []
        var unexpected: [String] = []
        var stalled: [String] = []
        var protocolErrors = 0
        /// Requests from the first host that FCM rejected before it read them, all within one second.
        var unread = 0
        /// Whether the delivery was sent only to Android and had a rate.
        var rowsAreLimited = false

        mutating func set(_ state: String, at moment: Int) {
            for place in samples.indices where samples[place].state == state { samples[place].at = moment }
        }
    }

    private func story(_ scenario: HostsScenario) throws -> Story {
        var story = Story()
        for platform in [Testbed.Platform.ios, .android] {
            let subscribers = scenario.subscribers(of: platform)
            for index in 0..<subscribers.count {
                let (number, token) = (story.rows.count, subscribers.token(index))
                story.rows.append(try row(token, number: number))
                story.requests[number % 3].append(try request(token, number: number))
            }
        }
        for (host, end) in [("a", 20_000), ("b", 70_000), ("c", 90_000)] {
            for moment in stride(from: 1_000, through: end, by: 1_000) {
                let leads = host == "b" || host == "c" && moment > 70_000
                story.samples.append(
                    .init(
                        at: moment, host: host, session: host, state: leads ? "serving" : "sending",
                        said: moment))
            }
        }
        story.samples.append(.init(at: 40_000, host: "a", session: "a", state: "lost", said: 20_000))
        story.samples.append(.init(at: 70_000, host: "b", session: "b", state: "gone", said: 70_000))
        story.samples.sort { $0.at < $1.at }
        var kill = HostsReport.InjectedFault(.kill, on: "a", at: 20_500, left: 10)
        kill.isTakenOver = true
        var end = HostsReport.InjectedFault(.end, on: "b", at: 69_900, left: 10)
        end.leads = true
        story.injectedFaults = [kill, end]
        return story
    }

    private func broken(isBusy: Bool = false, _ change: (inout Story) throws -> Void) throws -> [String] {
        let scenario = try HostsScenario.with {
            ($0.seed, $0.devices, $0.deadOneIn, $0.faults) = (1, 6, 100, [.kill, .end])
            $0.isBusy = isBusy
        }
        var story = try story(scenario)
        try change(&story)
        func count(_ state: String) -> Int { story.rows.count { $0.state == state } }
        let text = #"""
            {"id":7,"label":"x","state":"finished","createdAt":"2026-11-21T10:00:00.000Z",
            "startedAt":null,"finishedAt":null,"messagesPerSecond":null,
             "counts":{"targeted":\#(story.rows.count),"excluded":0,"pending":0,"sent":\#(count("sent")),
             "retrying":\#(count("retrying")),"failed":0,"cancelled":0,"received":0,"clicked":0}}
            """#
        var report = HostsReport(scenario)
        (report.samples, report.injectedFaults, report.unexpected) = (
            story.samples, story.injectedFaults, story.unexpected
        )
        report.stalled = story.stalled
        report.summary.protocolErrors = story.protocolErrors
        for (host, requests) in zip(["a", "b", "c"], story.requests) {
            report.requests.append((host, requests))
        }
        report.requests[2].requests += try unread(story.unread)
        report.chapters = [
            DeliveryComparison(
                report: try JSONDecoder().decode(DeliveryReport.self, from: Data(text.utf8)),
                rows: story.rows, all: report.requests.flatMap(\.requests))
        ]
        if story.rowsAreLimited { report.limited = [7] }
        return report.findings.filter { !$0.holds }.map(\.what)
    }

    private func row(_ token: String, number: Int) throws -> MessageRow {
        let text = #"""
            {"messageId":"\#(number)","userKey":"u","token":"\#(token)","app":"x","state":"sent",
             "attempts":1,"failureType":"","failureReason":"","providerReason":"","providerId":"","updatedAt":""}
            """#
        return try JSONDecoder().decode(MessageRow.self, from: Data(text.utf8))
    }

    /// A request at 10 000 to the binary gateway, which has no ids of its own.
    private func request(_ token: String, number: Int) throws -> GatewayRequest {
        let log =
            "#at_ms\tconnection\tstream\tending\tstatus\treason\tapi\tcommand\tidentifier\ttoken\texpiration"
            + "\tpriority\tbody\n10000\t1\t1\taccepted\t0\t-\tbinary\t2\t1\t\(token)\t0\t10"
            + #"\#t{"aps":{},"_mId":"\#(number)","_dId":"7"}"# + "\n"
        return try #require(try GatewayRequest.parse(Array(log.utf8), file: "log").first)
    }

    private func unread(_ count: Int) throws -> [GatewayRequest] {
        let header =
            "#at_ms\tconnection\tstream\tending\tstatus\treason\tapi\tresult\ttoken\tvalidate_only\tbody\n"
        let line = "50000\t1\t1\trejected\t429\tQUOTA_EXCEEDED\tv1\t-\t-\tno\t{}\n"
        let log = header + String(repeating: line, count: count)
        return try GatewayRequest.parse(Array(log.utf8), file: "log")
    }
}
