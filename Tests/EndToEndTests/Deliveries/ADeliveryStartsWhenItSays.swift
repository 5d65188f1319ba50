import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a delivery with a start in the future is sent then and not before`() async throws {
        let count = 500
        try await withHouse { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 4).rounded(.down))
            var document = DeliveryText()
            document.start = start.formatted(.iso8601)
            let delivery = try await house.submit(document)
            let before = try await house.show(delivery)
            #expect(before.state == "startPending" && before.counts.sent == 0)
            try await house.settle(delivery)
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
            let first = try #require(try house.gatewayRequests().map(\.time).min())
            let due = Int(start.timeIntervalSince1970 * 1_000)
            #expect(first >= due)
            #expect(first < due + 3_000)
        }
    }
}
