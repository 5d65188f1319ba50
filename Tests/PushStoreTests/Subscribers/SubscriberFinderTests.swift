import PushModel
import PushStore
import TestSupport
import Testing

/// Tests how one search finds a person's or a device's subscriptions in many apps.
@Suite(.eachEngine) struct SubscriberFinderTests {
    private static func record(_ token: Int, _ userKey: String) -> SubscriberRecord {
        SubscriberRecord(token: TemporaryStore.token(token), userKey: userKey, parametersJSON: nil)
    }

    private static func numbers(_ found: [SubscriberFacts]) -> [Int64] { found.map(\.subscription.rawValue) }

    @Test func `a person's devices in several apps are found in the order of their numbers`() throws {
        try TemporaryStore.with { fixture in
            let apps = try (1...40).map { try fixture.app("app-\($0)") }
            let finder = fixture.store.subscriberFinder
            for app in [apps[30], apps[2]] {
                _ = try fixture.store.subscriberImporter.upsert(
                    [Self.record(1, "anna"), Self.record(2, "bert"), Self.record(3, "anna")], into: app.id,
                    at: TemporaryStore.noon)
            }
            // The order of the given apps does not matter.
            let found = try finder.find(userKey: "anna", in: apps.reversed().map(\.id))
            #expect(found.map(\.app) == [apps[2], apps[2], apps[30], apps[30]].map(\.id))
            #expect(found.allSatisfy { $0.userKey == "anna" })
            #expect(Self.numbers(found) == Self.numbers(found).sorted())
            let rest = try finder.find(
                userKey: "anna", in: apps.map(\.id), after: found[1].subscription)
            #expect(rest == Array(found[2...]))
            #expect(try finder.find(userKey: "anna", in: apps[3...29].map(\.id)) == [])
            #expect(try finder.find(userKey: "anna", in: []) == [])
            // A hint can remain although the subscription has another user key.
            _ = try fixture.store.subscriberImporter.upsert(
                [Self.record(3, "cleo")], into: apps[2].id, at: TemporaryStore.noon)
            #expect(try finder.find(userKey: "anna", in: apps.map(\.id)).count == 3)
        }
    }

    @Test func `a token in several apps is found, with each app's opt-out`() throws {
        try TemporaryStore.with { fixture in
            let apps = try (1...3).map { try fixture.app("app-\($0)") }
            let finder = fixture.store.subscriberFinder
            for app in apps { try fixture.subscribe(1...4, to: app) }
            for (app, time) in zip([apps[0], apps[2]], [60, 120]) {
                let device = try finder.find(token: TemporaryStore.token(2), in: app.id).map(\.subscription)
                _ = try fixture.store.optOutWriter.set(
                    true, of: device, at: TemporaryStore.noon.later(seconds: Int64(time)))
            }
            let found = try finder.find(token: TemporaryStore.token(2), in: apps.map(\.id))
            #expect(found.map(\.app) == apps.map(\.id))
            #expect(
                found.map { $0.optOut?.since } == [
                    TemporaryStore.noon.later(seconds: 60).time, nil,
                    TemporaryStore.noon.later(seconds: 120).time,
                ])
            let rest = try finder.find(
                token: TemporaryStore.token(2), in: apps.map(\.id), after: found[0].subscription)
            #expect(rest == Array(found[1...]))
            #expect(try finder.find(token: TemporaryStore.token(9), in: apps.map(\.id)) == [])
        }
    }

    @Test func `a person with more devices than a page has room for is read page by page`() throws {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("app-1"), try fixture.app("app-2")]
            for (app, numbers) in zip(apps, [1...700, 1...500]) {
                _ = try fixture.store.subscriberImporter.upsert(
                    numbers.map { Self.record($0, "all") }, into: app.id, at: TemporaryStore.noon)
            }
            let finder = fixture.store.subscriberFinder
            let first = try finder.find(userKey: "all", in: apps.map(\.id))
            #expect(first.count == SubscriberFinder.limit)
            let second = try finder.find(
                userKey: "all", in: apps.map(\.id), after: first.last?.subscription)
            #expect(second.count == 200 && second.allSatisfy { $0.app == apps[1].id })
            #expect(Set(Self.numbers(first + second)).count == 1_200)
        }
    }

    @Test func `the next app with subscribers is found`() throws {
        try TemporaryStore.with { fixture in
            let apps = try (1...4).map { try fixture.app("app-\($0)") }
            let finder = fixture.store.subscriberFinder
            #expect(try finder.firstApp(from: apps[0].id) == nil)
            for app in [apps[1], apps[2]] { try fixture.subscribe(1...2, to: app) }
            let expected = [apps[1].id, apps[1].id, apps[2].id, nil]
            #expect(try apps.map { try finder.firstApp(from: $0.id) } == expected)
        }
    }
}
