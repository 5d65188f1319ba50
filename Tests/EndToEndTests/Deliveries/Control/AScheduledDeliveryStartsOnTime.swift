import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a delivery with a start in the future is sent at that time and not before`() async throws {
        let count = 500
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let (deliveries, start) = try await submitAhead(testbed)
            let delivery = try #require(deliveries.last)
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery, among: deliveries) == .everyoneOnce(count))
            let mark = "\"_dId\":\"\(delivery)\""
            let times = try testbed.gatewayRequests().filter { $0.body.contains(mark) }.map(\.time)
            let first = try #require(times.min())
            #expect(first >= Int(start.timeIntervalSince1970 * 1_000))
        }
    }

    /// Submits a delivery with a later start, and checks it before its start. If the commands took too long,
    /// submits another delivery with an even later start.
    /// - Returns: All submitted deliveries. The last one was checked in time.
    private func submitAhead(_ testbed: Testbed) async throws -> (deliveries: [Int], start: Date) {
        var deliveries: [Int] = []
        for seconds in [4.0, 16, 64] {
            let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + seconds).rounded(.down))
            var document = DeliveryText()
            document.start = start.formatted(.iso8601)
            let delivery = try await testbed.submit(document)
            deliveries.append(delivery)
            let before = try await testbed.show(delivery)
            if Date() < start {
                #expect(before.state == "startPending" && before.counts.sent == 0)
                return (deliveries, start)
            }
            try await testbed.settle(delivery)
        }
        throw LoadError("two commands took more than a minute")
    }
}
