import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `beside an account whose gateway is silent, another keeps its rate`() async throws {
        let count = 5_000
        let scenario = try NeighbourScenario.with {
            ($0.messages, $0.streams, $0.capacity) = (count, 50, 1_000)
        }
        try await withTestbed(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed)
            // Without shares of room a fiftieth would be left: the silent account's time-outs would pace the
            // other. `pushload neighbours` says how much is.
            #expect(report.ratio >= 0.2)
            #expect(report.unanswered > 0)
        }
    }
}
