import Testing
import pushload

extension EndToEnd.Chaos {
    @Test
    func `100 000 mutated requests neither end, hang nor grow the service, and change nothing for others`()
        async throws
    {
        // `pushload fuzz` is the long form, which also leaves requests to the service's time-outs.
        var scenario = FuzzScenario(seed: .random(in: 1...999_999), requests: 100_000)
        scenario.waitsForTimeouts = false
        try await withTestbed(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed)
            for finding in report.findings { #expect(finding.holds, "seed \(scenario.seed): \(finding)") }
            #expect(report.answers[400, default: 0] > 0 && report.answers[404, default: 0] > 0)
            Self.expectThatTheJudgeSees(report)
        }
    }

    /// Of a run in which all is well, one thing changed at a time.
    private static func expectThatTheJudgeSees(_ report: FuzzReport) {
        func broken(_ change: (inout FuzzReport) -> Void) -> [String] {
            var report = report
            change(&report)
            return report.findings.filter { !$0.holds }.map(\.what)
        }
        #expect(
            broken { $0.hasEnded = true } == ["the service is the same process from beginning to end"])
        #expect(broken { $0.hung = 1 } == ["every connection is answered or closed in time"])
        #expect(broken { $0.unanswered = 1 } == ["what is one request of HTTP has one answer"])
        #expect(broken { $0.errors = 1 } == ["no answer is the service's own error"])
        #expect(broken { $0.wronglyAnswered = 1 } == ["honest requests in between are answered as ever"])
        #expect(
            broken { $0.late?.residentMegabytes += FuzzReport.slackMegabytes * 2 } == ["memory is flat"])
        #expect(broken { $0.late?.openFiles += FuzzReport.slackFiles * 2 } == ["open files are flat"])
        let subscribers = "subscribers are those that were answered 200, and nobody else"
        #expect(broken { $0.registry.stored -= 1 } == [subscribers])
        #expect(broken { $0.registry.strange = 1 } == [subscribers])
        #expect(broken { $0.shownReceived += 1 } == ["reports that count are those of real messages"])
        #expect(broken { $0.complaints = ["a line"] } == ["the log has no line of an error"])
    }
}
