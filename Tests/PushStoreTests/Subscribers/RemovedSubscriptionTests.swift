import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct RemovedSubscriptionTests {
    private let noon = TemporaryStore.noon

    @Test func `logs keep a removed subscriber's user key, but not the token`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(apps: [app])
            try fixture.accept(try fixture.prepare(id)[0].ids, of: id)
            let finder = fixture.store.subscriberFinder
            let found = try finder.find(userKey: "user-2", in: app.id).map(\.subscription)
            #expect(try fixture.store.subscriberRemover.remove(found, at: noon) == 1)
            // A subscriber that was already removed changes nothing.
            #expect(try fixture.store.subscriberRemover.remove(found, at: noon) == 0)
            let log = try fixture.log(id)
            #expect(Set(log.map(\.userKey)) == ["user-1", "user-2", "user-3"])
            #expect(log.filter { $0.token.isEmpty }.map(\.userKey) == ["user-2"])
            // The same device, registered again, is another subscription.
            try fixture.subscribe(2...2, to: app)
            let again = try finder.find(userKey: "user-2", in: app.id).map(\.subscription)
            #expect(again != found)
            #expect(try fixture.log(id) == log)
        }
    }

    @Test
    func `logs keep a deleted app's user keys, which takes short transactions, and numbers are never reused`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let records = [
                SubscriberRecord(token: TemporaryStore.token(9_999), userKey: "", parametersJSON: nil)
            ]
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: noon)
            let id = try fixture.submit(apps: [app])
            for part in try fixture.prepare(id) {
                try fixture.accept(Array(part.ids.prefix(4_000)), of: id)
                try fixture.accept(Array(part.ids.dropFirst(4_000)), of: id)
            }
            let before = try fixture.log(id)
            try fixture.writer.deleteApp(app.id, at: noon)
            let after = try fixture.log(id)
            #expect(after.map(\.userKey) == before.map(\.userKey))
            #expect(after.allSatisfy { $0.token.isEmpty } && after.map(\.appName) == before.map(\.appName))
            // No subscriber is looked up by an empty key.
            #expect(try fixture.query("SELECT count(*) || '' FROM removed_subscription") == ["6000"])
            let next = try fixture.app()
            try fixture.subscribe(1...1, to: next)
            let numbers = try fixture.store.subscriberFinder.find(userKey: "user-1", in: next.id).map(
                \.subscription)
            #expect(numbers.allSatisfy { $0.rawValue >> 40 == next.id.rawValue } && next.id != app.id)
        }
    }

    @Test func `replacing a token does not change the user key`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let id = try fixture.submit(apps: [app])
            let messages = try fixture.prepare(id)[0].ids
            try fixture.accept(messages, of: id)
            let keys = try fixture.log(id).map(\.userKey)
            #expect(try fixture.store.tokens.rename(subscriberOf: messages[0], to: "another", at: noon))
            #expect(try fixture.log(id).map(\.userKey) == keys)
        }
    }
}
