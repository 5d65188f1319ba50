import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct RegisteredDevicesTests {
    private func register(_ number: Int, with app: App, _ fixture: TemporaryStore) throws {
        var facts = DeviceFacts()
        facts.model = "model \(number)"
        let record = TemporaryStore.registration(number, with: app, user: "user-\(number)", device: facts)
        #expect(try fixture.store.registrations.register([record]) == [.inserted])
    }

    @Test func `devices that register for the first time are found in order, and imported ones are not`()
        throws
    {
        try TemporaryStore.with { fixture in
            let (app, other) = (try fixture.app(), try fixture.app("other"))
            let reader = fixture.store.subscribers
            #expect(try reader.newest(of: app.id) == nil)
            try register(1, with: app, fixture)
            let before = try #require(try reader.newest(of: app.id))
            try register(2, with: other, fixture)
            try fixture.subscribe(10...14, to: app)
            try register(3, with: app, fixture)
            try register(4, with: app, fixture)
            let all = try reader.devices(registeredWith: app.id, after: before, limit: 100)
            #expect(all.devices.map(\.userKey) == ["user-3", "user-4"])
            #expect(all.devices.map(\.model) == ["model 3", "model 4"])
            #expect(all.devices.map(\.token) == [3, 4].map(TemporaryStore.token))
            #expect(try all.last == reader.newest(of: app.id))
            // The five imported subscribers fill the first page.
            var (last, found): (SubscriptionID?, [String]) = (before, [])
            for _ in 0..<3 {
                let page = try reader.devices(registeredWith: app.id, after: last, limit: 5)
                (last, found) = (page.last, found + page.devices.map(\.userKey))
            }
            #expect(found == ["user-3", "user-4"] && last == all.last)
        }
    }

    @Test func `the reports about a message are counted by kind`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.finished(apps: [app])
            let part = try #require(try fixture.store.hitReader.parts(of: id)?.parts.first)
            let message = MessageID(rawValue: part.message.rawValue + 1)
            func hit(_ kind: HitKind) throws {
                let record = HitRecord(
                    delivery: id, message: message, number: part.number + 1, app: app.id, kind: kind,
                    at: TemporaryStore.noon)
                _ = try fixture.store.hits.record([record])
            }
            func hits(_ message: MessageID) throws -> MessageHits? {
                try fixture.store.hitReader.hits(on: message, in: id)
            }
            #expect(try hits(message) == nil)
            try hit(.clicked)
            #expect(try hits(message)?.receipts == 0 && hits(message)?.clicks == 1)
            try hit(.received)
            #expect(try hits(message)?.receipts == 1 && hits(message)?.clicks == 1)
            #expect(try hits(part.message) == nil)
            #expect(try hits(MessageID(rawValue: 0)) == nil)
        }
    }
}
