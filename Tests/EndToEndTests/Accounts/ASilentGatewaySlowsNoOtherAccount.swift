import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `an account keeps its rate while another account's gateway is silent`() async throws {
        let count = 5_000
        let scenario = try NeighbourScenario.with {
            ($0.messages, $0.streams, $0.capacity) = (count, 50, 1_000)
        }
        try await withTestbed(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed)
            // If accounts did not share capacity, the ratio would be a fiftieth, because the silent account's
            // timeouts would limit the other account. `pushload neighbours` reports the actual ratio.
            #expect(report.ratio >= 0.2)
            #expect(report.unanswered > 0)
        }
    }
}
