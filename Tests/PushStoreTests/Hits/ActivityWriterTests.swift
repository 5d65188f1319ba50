import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct ActivityWriterTests {
    private static let noon = TemporaryStore.noon

    private func click(_ message: MessageID, of delivery: DeliveryID, app: App, after seconds: Int64)
        -> HitRecord
    {
        HitRecord(
            delivery: delivery, message: message, number: 1, app: app.id, kind: .clicked,
            at: Self.noon.later(seconds: seconds))
    }

    private func active(_ number: Int, _ app: App, _ fixture: TemporaryStore) throws -> Int64? {
        try fixture.store.subscriberFinder.find(token: TemporaryStore.token(number), in: app.id).first
            .map { $0.lastActive.seconds(since: Self.noon.time) }
    }

    @Test func `a click is the last activity of its subscriber, with a precision of an hour`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...50, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            func message(_ number: Int) throws -> MessageID { try #require(messages[number]) }
            func click(_ number: Int, after seconds: Int64) throws -> HitRecord {
                self.click(try message(number), of: id, app: app, after: seconds)
            }
            #expect(try active(1, app, fixture) == 0)
            let unknown = self.click(MessageID(rawValue: 1 << 40), of: id, app: app, after: 5)
            try fixture.store.activity.record([
                try click(2, after: 60), unknown, try click(1, after: 120), try click(1, after: 100),
            ])
            #expect(try active(1, app, fixture) == 120 && active(2, app, fixture) == 60)
            #expect(try active(3, app, fixture) == 0)
            try fixture.store.activity.record([try click(1, after: 3_719), try click(2, after: 3_660)])
            #expect(try active(1, app, fixture) == 120 && active(2, app, fixture) == 3_660)
            // A later registration counts as well.
            _ = try fixture.store.registrations.register([
                TemporaryStore.registration(
                    1, with: app, user: "user-1", at: Self.noon.later(seconds: 900))
            ])
            #expect(try active(1, app, fixture) == 900)
        }
    }

    @Test func `the times of removed subscribers are removed and are not created again`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let clicks = messages.values.map { click($0, of: id, app: app, after: 60) }
            try fixture.store.activity.record(clicks)
            #expect(try fixture.query("SELECT count(*) || '' FROM activity") == ["3"])
            let found = try fixture.store.subscriberFinder.find(userKey: "user-1", in: app.id)
            _ = try fixture.store.subscriberRemover.remove(found.map(\.subscription), at: Self.noon)
            try fixture.store.activity.record(clicks)
            #expect(try fixture.query("SELECT count(*) || '' FROM activity") == ["2"])
        }
    }
}
