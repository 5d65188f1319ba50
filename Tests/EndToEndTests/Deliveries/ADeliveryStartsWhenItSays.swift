import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a delivery with a start in the future is sent then and not before`() async throws {
        let count = 500
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 4).rounded(.down))
            var document = DeliveryText()
            document.start = start.formatted(.iso8601)
            let delivery = try await testbed.submit(document)
            let before = try await testbed.show(delivery)
            #expect(before.state == "startPending" && before.counts.sent == 0)
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
            let first = try #require(try testbed.gatewayRequests().map(\.time).min())
            let due = Int(start.timeIntervalSince1970 * 1_000)
            #expect(first >= due)
            #expect(first < due + 3_000)
        }
    }
}
