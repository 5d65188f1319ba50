import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryRateReaderTests {
    /// Sends to ten subscribers. The messages are answered after the given numbers of seconds, in order.
    @discardableResult
    private static func deliver(
        to app: App, in seconds: [Int64], _ fixture: TemporaryStore,
        _ adjust: (inout DeliveryOrder) -> Void = { _ in }
    ) throws -> DeliveryID {
        let id = try fixture.submit(apps: [app], adjust)
        let messages = try fixture.prepare(id).flatMap(\.ids)
        for (place, message) in messages.enumerated() {
            let time = seconds[min(place, seconds.count - 1)]
            try fixture.accept([message], of: id, at: TemporaryStore.noon.later(seconds: time))
        }
        #expect(try fixture.state(id) == .finished)
        return id
    }

    @Test func `the latest deliveries from an app at full speed are measured, newest first`() throws {
        try TemporaryStore.with { fixture in
            let (app, other) = (try fixture.app(), try fixture.app("other"))
            for one in [app, other] { try fixture.subscribe(1...10, to: one) }
            let reader = fixture.store.deliveries
            func measured(_ app: App, size: Int = 1) throws -> [Double] {
                try reader.measured(of: app.id, size: size).map { Double($0.messages) / $0.seconds }
            }
            #expect(try measured(app).isEmpty)
            try Self.deliver(to: other, in: [1], fixture)
            #expect(try measured(app).isEmpty)
            try Self.deliver(to: app, in: [5], fixture)
            try Self.deliver(to: app, in: [2], fixture)
            #expect(try measured(app) == [5, 2])
            try Self.deliver(to: app, in: [1], fixture) { $0.schedule.ratePerSecond = 10 }
            _ = try fixture.submit(apps: [app])
            #expect(try measured(app) == [5, 2] && measured(other) == [10])
            #expect(try measured(app, size: 10) == [5, 2] && measured(app, size: 11).isEmpty)
            for _ in 1...10 { try Self.deliver(to: app, in: [10], fixture) }
            #expect(try measured(app) == Array(repeating: 1, count: 10))
        }
    }

    @Test func `a late retry at the end of a delivery does not count in the measurement`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            try Self.deliver(to: app, in: [2, 2, 2, 2, 2, 2, 2, 2, 3, 3_000], fixture)
            let one = try #require(try fixture.store.deliveries.measured(of: app.id, size: 1).first)
            #expect(one == MeasuredDelivery(messages: 9, seconds: 3.5))
            // The part of a delivery that is measured must be large enough, too.
            #expect(try fixture.store.deliveries.measured(of: app.id, size: 10).isEmpty)
        }
    }
}
