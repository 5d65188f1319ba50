import PushModel
import PushStore
import Testing

/// Tests the removal of data other than messages: quarantined subscribers, verdicts, user keys of removed
/// subscribers.
@Suite(.eachEngine) struct LeftoversTests {
    private let noon = TemporaryStore.noon

    @Test func `a subscriber is removed only if the token has been in quarantine for a long time`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...300, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            func bad(_ numbers: ClosedRange<Int>, _ gravity: TokenVerdict.Gravity = .dead, at now: WallMoment)
                throws
            {
                try fixture.record(
                    try numbers.map { TemporaryStore.bad(try #require(messages[$0]), gravity) },
                    accepted: 500,
                    of: id, at: now)
                try fixture.settle(at: now)
            }
            try bad(1...250, at: noon)
            try bad(251...252, at: TemporaryStore.noon(afterDays: 1))
            try bad(253...254, .suspect, at: noon)
            _ = try fixture.store.feedback.apply(
                [(TemporaryStore.token(255), noon.later(seconds: 1).time)], to: app.id,
                at: noon.later(seconds: 2))
            try fixture.accept((255...300).map { messages[$0]! }, of: id)
            #expect(try fixture.quarantine(of: app).count == 255)

            let rules = TemporaryStore.retention
            let end = TemporaryStore.noon(afterDays: 90)
            #expect(try !fixture.store.retention.look(rules, at: end).kinds.contains(.subscribers))
            let steps = try fixture.retain(at: end.later(seconds: 3))
            #expect(steps.allSatisfy { $0.subscribers <= 100 })
            #expect(steps.reduce(0) { $0 + $1.subscribers } == 251)
            // Subscribers of the next day remain, and so do those whose errors are still counting.
            #expect(try fixture.quarantine(of: app).keys.sorted() == [251, 252, 253, 254])
            #expect(try fixture.store.subscribers.count(of: app.id) == 49)
            #expect(try fixture.store.subscriberFinder.find(userKey: "user-7", in: app.id).isEmpty)
            #expect(try fixture.rows("user_key") == 49)
            // With the setting 0, they remain forever.
            var never = rules
            never.quarantineSeconds = 0
            #expect(
                try !fixture.store.retention.look(never, at: TemporaryStore.noon(afterDays: 9_999)).kinds
                    .contains(.subscribers))
            // Like any other removed device, it may register again.
            try fixture.subscribe(7...7, to: app)
            #expect(try fixture.store.subscribers.count(of: app.id) == 50)
        }
    }

    @Test func `a valid token is not removed, whatever its quarantine entry`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(messages.values.map { TemporaryStore.bad($0) }, accepted: 500, of: id)
            try fixture.settle()
            try fixture.alter("UPDATE subscription SET disabled = 0 WHERE user_key = 'user-1'")
            #expect(try fixture.retainAll(at: TemporaryStore.noon(afterDays: 91)).subscribers == 1)
            #expect(try fixture.store.subscribers.count(of: app.id) == 1 && fixture.rows("quarantine") == 0)
        }
    }

    @Test func `a removed subscriber's key is deleted when no part can refer to it`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let first = try fixture.finished(apps: [app])
            func remove(_ number: Int, afterDays days: Int64) throws {
                let found = try fixture.store.subscriberFinder.find(userKey: "user-\(number)", in: app.id)
                _ = try fixture.store.subscriberRemover.remove(
                    found.map(\.subscription), at: TemporaryStore.noon(afterDays: days))
            }
            try remove(1, afterDays: 2)
            let second = try fixture.finished(apps: [app], at: TemporaryStore.noon(afterDays: 10))
            try remove(2, afterDays: 12)

            #expect(try fixture.retainAll(at: TemporaryStore.noon(afterDays: 29)).isEmpty)
            #expect(try fixture.log(first).map(\.userKey).sorted() == ["user-1", "user-2", "user-3"])
            var sums = try fixture.retainAll(at: TemporaryStore.noon(afterDays: 30))
            #expect(sums.deliveries == 1 && sums.names == 1)
            #expect(try fixture.log(second).map(\.userKey).sorted() == ["user-2", "user-3"])
            // With the last part, the last key is removed.
            sums = try fixture.retainAll(at: TemporaryStore.noon(afterDays: 40))
            #expect(sums.deliveries == 1 && sums.names == 1 && sums.messages == 2)
            #expect(try fixture.rows("removed_subscription") == 0)
        }
    }

    @Test
    func `verdicts that were never believed are removed, but a storm's verdicts wait for its decision`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...50, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let other = AccountKey(rawValue: "androidPushConnectorV2 production project 0123abcd")
            func hold(_ numbers: ClosedRange<Int>, _ account: AccountKey, at now: WallMoment) throws {
                try fixture.record(
                    try numbers.map { TemporaryStore.bad(try #require(messages[$0]), account: account) },
                    of: id, at: now,
                    account: account)
            }
            try hold(1...10, TemporaryStore.mark, at: noon)
            try hold(11...20, other, at: noon)
            try hold(21...30, TemporaryStore.mark, at: TemporaryStore.noon(afterDays: 5))
            try fixture.storm(other)
            #expect(try fixture.retainAll(at: TemporaryStore.noon(afterDays: 30)).verdicts == 0)
            #expect(try fixture.retainAll(at: TemporaryStore.noon(afterDays: 31)).verdicts == 10)
            #expect(try fixture.store.trust.trust(of: TemporaryStore.mark)?.waiting == 10)
            #expect(try fixture.store.trust.trust(of: other)?.waiting == 10)
        }
    }
}
