import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `what is urgent overtakes what waits of the same app, and low priorities wait for all others`()
        async throws
    {
        // A hundred requests in flight and 100 ms an answer: the low one takes 20 s at least.
        let count = 20_000
        var settings = HouseSettings()
        settings.room = 2_000
        settings.gateway.streams = 100
        settings.gateway.delayMilliseconds = 100
        try await withHouse(settings) { house in
            let subscribers = SyntheticSubscribers(count)
            try await house.createApp()
            try await house.importSubscribers(subscribers)
            try await house.startEngine()
            let low = try await house.submit(document(.all, "veryLow"))
            try await house.wait(for: low, "the low one to be prepared and on its way") {
                $0.counts.targeted == count && $0.counts.sent > 0
            }
            let normal = try await house.submit(document(.users(subscribers, 1...200), "normal"))
            let urgent = try await house.submit(document(.users(subscribers, 1...1), "veryHigh"))
            try await house.settle(urgent)
            try await house.settle(normal)
            let left = try await house.show(low).counts.pending
            #expect((1..<count).contains(left), "no faster than the gateway answers")
            try await house.settle(low)
            try await house.stopEngine()
            try await house.stopGateway()
            let order = try house.gatewayRequests().filter { $0.ending == .accepted }.compactMap { request in
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
