import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test
    func `an urgent message overtakes waiting messages from its app, and low priorities wait for all others`()
        async throws
    {
        // A hundred requests in flight and 100 ms per answer: the low-priority delivery takes at least 20 s.
        let count = 20_000
        var settings = TestbedSettings()
        settings.capacity = 2_000
        settings.gateway.streams = 100
        settings.gateway.delayMilliseconds = 100
        try await withTestbed(settings) { testbed in
            let subscribers = SyntheticSubscribers(count)
            try await testbed.createApp()
            try await testbed.importSubscribers(subscribers)
            try await testbed.startEngine()
            let low = try await testbed.submit(document(.all, "veryLow"))
            try await testbed.wait(for: low, "the low one to be prepared and on its way") {
                $0.counts.targeted == count && $0.counts.sent > 0
            }
            let normal = try await testbed.submit(document(.users(subscribers, 1...200), "normal"))
            let urgent = try await testbed.submit(document(.users(subscribers, 1...1), "veryHigh"))
            try await testbed.settle(urgent)
            try await testbed.settle(normal)
            let left = try await testbed.show(low).counts.pending
            #expect((1..<count).contains(left), "no faster than the gateway answers")
            try await testbed.settle(low)
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let order = try testbed.gatewayRequests().filter { $0.ending == .accepted }.compactMap {
                request in
                [urgent, normal, low].firstIndex { request.body.contains("\"_dId\":\"\($0)\"") }
            }
            #expect(order.count == count + 201)
            let first = try #require(order.firstIndex(of: 0))
            #expect(order[first...].count { $0 == 2 } >= left)
            let lastNormal = try #require(order.lastIndex(of: 1))
            #expect(order[lastNormal...].count { $0 == 2 } >= left)
            #expect(try #require(order.firstIndex(of: 1)) < lastNormal)
        }
    }

    private enum Target {
        case all
        case users(SyntheticSubscribers, ClosedRange<Int>)

        var json: String {
            switch self {
            case .all: #"{"all": true}"#
            case .users(let subscribers, let range):
                "{\"userKeys\": [\(range.map { "\"\(subscribers.userKey($0))\"" }.joined(separator: ", "))]}"
            }
        }
    }

    private func document(_ target: Target, _ priority: String) -> DeliveryText {
        var text = DeliveryText()
        text.target = target.json
        text.priority = priority
        return text
    }
}
