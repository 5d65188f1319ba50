import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct TargetWalkTests {
    private struct Found: Equatable {
        var targeted = 0
        var excluded = 0
        var pages = 0
        var apps: [AppID] = []
        var tokens: [String] = []
    }

    private static func walk(
        _ order: DeliveryOrder, _ store: Store, wanting wanted: TargetWalk.Wanted = .nobody
    ) throws -> Found {
        var found = Found()
        try store.targetWalk.forEachPage(of: order, at: TemporaryStore.noon.time, wanting: { _ in wanted }) {
            page in
            found.targeted += page.targeted
            found.excluded += page.quarantined + page.disabled
            found.pages += 1
            if found.apps.last != page.app { found.apps.append(page.app) }
            found.tokens += page.recipients.map { String(decoding: $0.token, as: UTF8.self) }
        }
        return found
    }

    @Test func `walking through a target finds the same recipients as preparation`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try fixture.subscribe(1...11_000, to: one)
            try fixture.subscribe(1...20, to: two)
            let parameters = (20_001...20_030).map {
                SubscriberRecord(
                    token: TemporaryStore.token($0), userKey: "user-\($0)",
                    parametersJSON: $0 % 3 == 0 ? #"{"city":"Paris"}"# : nil)
            }
            _ = try fixture.store.subscriberImporter.upsert(parameters, into: one.id, at: TemporaryStore.noon)
            try fixture.alter(
                "UPDATE subscription SET disabled = 1 WHERE user_key IN ('user-3', 'user-5000', 'user-20001')"
            )
            let targets: [Target] = [
                .all, .userKeys((1...7_000).map { "user-\($0)" } + ["nobody", "user-1"]),
                .tokens([TemporaryStore.token(3), TemporaryStore.token(4), "no token"]),
                .parameters(["city": "Paris"]), .parameters(["city": "Rome"]),
            ]
            for target in targets {
                let order = fixture.order(target, apps: [one, two, one])
                let found = try Self.walk(order, fixture.store)
                let id = try fixture.submit(target, apps: [one, two])
                try fixture.prepare(id)
                let counts = try fixture.counts(id)
                #expect(found.targeted == counts.targeted && found.excluded == counts.excluded, "\(target)")
                #expect(found.apps == [one.id, two.id] && found.tokens.isEmpty)
            }
            #expect(try Self.walk(fixture.order(.all, apps: [one]), fixture.store).pages >= 3)
        }
    }

    @Test
    func `walking through a target distinguishes states, and returns eligible recipients' registrations`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let records = (1...6_000).map {
                SubscriberRecord(
                    token: TemporaryStore.token($0), userKey: "user-\($0)",
                    parametersJSON: $0 == 2 ? #"{"city":"Paris"}"# : nil)
            }
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
            let quarantined = QuarantineState.quarantined.rawValue
            try fixture.alter("UPDATE subscription SET disabled = \(quarantined) WHERE user_key = 'user-1'")
            let order = fixture.order(.all, apps: [app])
            let first = try Self.walk(order, fixture.store, wanting: .first)
            #expect(first.targeted == 5_999 && first.excluded == 1)
            // Subscriptions are in the order of the import.
            let sentTo = Set((2...6_000).map(TemporaryStore.token))
            #expect(first.tokens.count == first.pages && Set(first.tokens).count == first.pages)
            #expect(sentTo.isSuperset(of: first.tokens))
            let everybody = try Self.walk(order, fixture.store, wanting: .everybody)
            let tokens = Set(everybody.tokens)
            #expect(tokens.count == everybody.tokens.count && tokens == sentTo)
            var parameters: [String] = []
            let two = fixture.order(.userKeys(["user-2", "user-4", "user-1"]), apps: [app])
            var states: [Int] = []
            try fixture.store.targetWalk.forEachPage(
                of: two, at: TemporaryStore.noon.time, wanting: { _ in .everybody }
            ) { page in
                parameters += page.recipients.map { String(decoding: $0.parameters, as: UTF8.self) }
                states += [page.targeted, page.quarantined, page.disabled]
            }
            #expect(Set(parameters) == [#"{"city":"Paris"}"#, ""] && parameters.count == 2)
            #expect(states.prefix(3) == [2, 1, 0] && states.dropFirst(3).allSatisfy { $0 == 0 })
        }
    }

    @Test func `walking through a target writes nothing`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...100, to: app)
            func rows() throws -> [[String]] {
                try StoreTable.all.map {
                    try fixture.query("SELECT CAST(count(*) AS TEXT) FROM \"\($0.name)\"")
                }
            }
            let before = try rows()
            let order = fixture.order(.userKeys(["user-1"]), apps: [app])
            #expect(try Self.walk(order, fixture.store).targeted == 1)
            #expect(try rows() == before)
        }
    }
}
