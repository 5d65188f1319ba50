import Testing
import pushload

extension EndToEnd.Chaos {
    @Test func `mutated requests change nothing, and valid requests are answered as usual`() async throws {
        // `pushload fuzz` runs the same scenario for longer. It also includes connections that only the
        // engine's timeouts end.
        let scenario = try FuzzScenario.with {
            ($0.seed, $0.requests, $0.waitsForTimeouts) = (20_261_123, 100_000, false)
        }
        try await expectThatAllHolds(in: scenario) { report in
            Self.expectThatTheJudgeSees(try #require(report))
        }
    }

    /// Takes a report on a run without faults, and changes one value at a time.
    private static func expectThatTheJudgeSees(_ report: FuzzReport) {
        func broken(_ change: (inout FuzzReport) -> Void) -> Int {
            var report = report
            change(&report)
            return report.findings.count { !$0.holds }
        }
        #expect(broken { $0.hasEnded = true } == 1)
        #expect(broken { $0.hung = 1 } == 1)
        #expect(broken { $0.unanswered = 1 } == 1)
        #expect(broken { $0.errors = 1 } == 1)
        #expect(broken { $0.wronglyAnswered = 1 } == 1)
        #expect(broken { $0.registry.missing = 1 } == 1)
        #expect(broken { $0.registry.strange = 1 } == 1)
        #expect(broken { $0.complaints = ["level=error"] } == 1)
    }
}
