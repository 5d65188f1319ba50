import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a delivery that was accepted while no master ran is sent by the next one`() async throws {
        let count = 1_000
        try await withHouse { house in
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            let status = try await house.pushmta(["status"])
            #expect(status.ending.status == 1)
            try await house.startEngine()
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
