import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct TokenWriterTests {
    @Test func `a device is followed to its new token`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...3, to: app)
            let id = try house.submit(apps: [app])
            let messages = try house.prepare(id)[0].ids
            let isChanged = try house.store.tokens.rename(
                subscriberOf: messages[1], to: "canonical:APA91b", at: TemporaryStore.noon)
            #expect(isChanged)
            #expect(
                try house.store.deliveries.log(of: id).map(\.token).filter { $0 == "canonical:APA91b" }.count
                    == 1)
            #expect(try house.store.subscribers.count(of: app.id) == 3)
        }
    }

    @Test func `a token that another subscription of the app has is left to it`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...2, to: app)
            let id = try house.submit(apps: [app])
            try house.prepare(id)
            let log = try house.log(id)
            let isChanged = try house.store.tokens.rename(
                subscriberOf: log[0].message, to: log[1].token, at: TemporaryStore.noon)
            #expect(!isChanged)
            #expect(Set(try house.store.deliveries.log(of: id).map(\.token)).count == 2)
        }
    }
}
