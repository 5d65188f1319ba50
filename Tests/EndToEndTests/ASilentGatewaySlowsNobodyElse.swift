import Testing
import pushload

extension EndToEnd {
    @Test func `beside an account whose gateway is silent, another keeps its rate`() async throws {
        let count = 5_000
        try await withHouse(NeighbourScenario.settings()) { house in
            let report = try await NeighbourScenario(messages: count).run(in: house)
            // A busy machine wavers; without shares of room next to nothing would be left. `pushload neighbours` is
            // exact.
            #expect(report.ratio >= 0.6)
            #expect(report.alone > 100)
            #expect(report.unanswered > 0)
        }
    }
}
