import Testing
import pushload

extension EndToEnd {
    @Test func `after kill -9 of the master amid a delivery, a new run sends again within two seconds`() async throws {
        let count = 20_000
        try await withHouse(RecoveryScenario.settings) { house in
            let report = try await RecoveryScenario(messages: count).run(in: house)
            #expect(report.untilFirstRequest <= .seconds(2))
            #expect(report.untilFullWindow <= .seconds(3))
            #expect(report.pending > count / 2)
        }
    }
}
