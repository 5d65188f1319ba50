import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct TokenWriterTests {
    @Test func `a device keeps its subscription when its token changes`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(apps: [app])
            let messages = try fixture.prepare(id)[0].ids
            let isChanged = try fixture.store.tokens.rename(
                subscriberOf: messages[1], to: "canonical:APA91b", at: TemporaryStore.noon)
            #expect(isChanged)
            #expect(
                try fixture.store.deliveries.log(of: id).map(\.token).filter { $0 == "canonical:APA91b" }
                    .count
                    == 1)
            #expect(try fixture.store.subscribers.count(of: app.id) == 3)
        }
    }

    @Test func `a token that belongs to another subscription of the app stays with that subscription`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let id = try fixture.submit(apps: [app])
            try fixture.prepare(id)
            let log = try fixture.log(id)
            let isChanged = try fixture.store.tokens.rename(
                subscriberOf: log[0].message, to: log[1].token, at: TemporaryStore.noon)
            #expect(!isChanged)
            #expect(Set(try fixture.store.deliveries.log(of: id).map(\.token)).count == 2)
        }
    }
}
