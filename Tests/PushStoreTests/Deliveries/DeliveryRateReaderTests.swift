import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryRateReaderTests {
    /// Sends to ten subscribers, whose messages are all answered after the given number of seconds.
    private static func deliver(
        to app: App, in seconds: Int64, _ fixture: TemporaryStore,
        _ adjust: (inout DeliveryOrder) -> Void = { _ in }
    ) throws {
        let id = try fixture.submit(apps: [app], adjust)
        let messages = try fixture.prepare(id).flatMap(\.ids)
        try fixture.accept(messages, of: id, at: TemporaryStore.noon.later(seconds: seconds))
        #expect(try fixture.state(id) == .finished)
    }

    @Test func `an app's rate is the best of its last deliveries that were sent at full speed`() throws {
        try TemporaryStore.with { fixture in
            let (app, other) = (try fixture.app(), try fixture.app("other"))
            for one in [app, other] { try fixture.subscribe(1...10, to: one) }
            let reader = fixture.store.deliveries
            #expect(try reader.recentRate(of: app.id) == nil)
            try Self.deliver(to: other, in: 1, fixture)
            #expect(try reader.recentRate(of: app.id) == nil)
            try Self.deliver(to: app, in: 5, fixture)
            #expect(try reader.recentRate(of: app.id) == 2)
            try Self.deliver(to: app, in: 2, fixture)
            try Self.deliver(to: app, in: 10, fixture)
            #expect(try reader.recentRate(of: app.id) == 5)
            try Self.deliver(to: app, in: 1, fixture) { $0.schedule.ratePerSecond = 10 }
            _ = try fixture.submit(apps: [app])
            #expect(try reader.recentRate(of: app.id) == 5)
            #expect(try reader.recentRate(of: other.id) == 10)
            // Old data does not influence the present rate.
            for _ in 1...10 { try Self.deliver(to: app, in: 10, fixture) }
            #expect(try reader.recentRate(of: app.id) == 1)
        }
    }
}
