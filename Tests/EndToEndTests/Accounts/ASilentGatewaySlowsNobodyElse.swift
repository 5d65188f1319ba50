import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `beside an account whose gateway is silent, another keeps its rate`() async throws {
        let count = 5_000
        try await withTestbed(NeighbourScenario.settings()) { testbed in
            let report = try await NeighbourScenario(messages: count).run(in: testbed)
            // Without shares of room a fiftieth would be left: the silent account's time-outs would pace the
            // other. `pushload neighbours` says how much is.
            #expect(report.ratio >= 0.2)
            #expect(report.unanswered > 0)
        }
    }
}
