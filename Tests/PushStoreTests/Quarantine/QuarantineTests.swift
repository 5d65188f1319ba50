import PushModel
import PushStore
import Testing

/// Tests the operators' view of the quarantine, and how subscriptions leave it.
@Suite(.eachEngine) struct QuarantineTests {
    private let noon = TemporaryStore.noon

    /// Provides two apps with ten subscribers each. In each app, 1 and 2 are in quarantine, 3 has errors that
    /// count, and feedback has disabled 4.
    private func withQuarantine(_ story: (TemporaryStore, [App]) throws -> Void) throws {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            for app in apps {
                try fixture.subscribe(1...10, to: app)
                let (id, messages) = try fixture.deliver(to: app)
                try fixture.record(
                    try (1...3).map {
                        TemporaryStore.bad(try #require(messages[$0]), $0 == 3 ? .suspect : .dead)
                    },
                    accepted: 7, of: id)
                try fixture.settle()
                let step = try fixture.store.feedback.apply(
                    [(TemporaryStore.token(4), noon.time)], to: app.id, at: noon)
                #expect(step.disabled.count == 1)
            }
            try story(fixture, apps)
        }
    }

    private func pending(_ app: App, _ fixture: TemporaryStore) throws -> Int {
        try fixture.counts(try fixture.deliver(to: app).id).pending
    }

    @Test func `the quarantine is listed page by page and counted, for one app or for all apps`() throws {
        try withQuarantine { fixture, apps in
            let reader = fixture.store.quarantine
            #expect(
                try fixture.quarantine(of: apps[0]) == [
                    1: .quarantined, 2: .quarantined, 3: .counting, 4: .disabled,
                ])
            var entries: [QuarantineEntry] = []
            var after: SubscriptionID?
            repeat {
                let page = try reader.list(after: after, limit: 3)
                #expect(page.entries.count <= 3)
                entries += page.entries
                after = page.next
            } while after != nil
            #expect(entries == (try reader.list().entries) && entries.count == 8)
            #expect(Set(entries.map(\.token)) == Set((1...4).map(TemporaryStore.token)))
            #expect(try reader.list(app: apps[1].id, state: .counting).entries.map(\.userKey) == ["user-3"])
            var counts = QuarantineCounts()
            (counts.quarantined, counts.counting, counts.disabled) = (2, 1, 1)
            #expect(try reader.counts() == [apps[0].id: counts, apps[1].id: counts])
            #expect(try reader.counts(of: apps[1].id) == [apps[1].id: counts])
            let disabled = try #require(entries.first { $0.state == .disabled })
            #expect(
                disabled.source == .feedback && disabled.delivery == nil && disabled.lastError == noon.time)
        }
    }

    @Test func `quarantining by an operator keeps errors, skips excluded devices, and lasts after a restart`()
        throws
    {
        try withQuarantine { fixture, apps in
            let app = apps[0]
            func add(_ number: Int, reason: String = "why") throws -> QuarantinedByHand? {
                try fixture.store.quarantineWriter.add(
                    app.id, token: TemporaryStore.token(number), reason: reason, at: noon)
            }
            let first = try #require(try add(5))
            #expect(first.isChanged && first.userKey == "user-5" && first.state == .quarantined)
            #expect(try add(5, reason: "again")?.isChanged == false)
            let disabled = try #require(try add(4))
            #expect(!disabled.isChanged && disabled.state == .disabled)
            #expect(try add(3)?.isChanged == true)
            #expect(try add(77) == nil)
            #expect(
                try fixture.quarantine(of: app) == [
                    1: .quarantined, 2: .quarantined, 3: .quarantined, 4: .disabled, 5: .quarantined,
                ])
            let entries = try fixture.store.quarantine.list(app: app.id).entries
            let counted = try #require(entries.first { $0.userKey == "user-3" })
            let new = try #require(entries.first { $0.userKey == "user-5" })
            #expect(counted.errors == 1 && counted.source == .byHand && counted.reason == "why")
            #expect(new.errors == 0 && new.source == .byHand && new.reason == "why" && new.delivery == nil)
            #expect(try pending(app, fixture) == 5 && pending(apps[1], fixture) == 7)
            #expect(try fixture.store.quarantineWriter.release(app.id, userKey: "user-5").released == 1)
            #expect(try pending(app, fixture) == 6)
        }
    }

    @Test func `an app's subscribers are listed page by page, and subscribers with errors separately`() throws
    {
        try withQuarantine { fixture, apps in
            let finder = fixture.store.subscriberFinder
            let all = try finder.page(of: apps[1].id, after: nil, withErrors: false)
            #expect(all.next == nil && all.subscribers.count == 10)
            #expect(Set(all.subscribers.map(\.userKey)) == Set((1...10).map { "user-\($0)" }))
            let rest = try finder.page(
                of: apps[1].id, after: all.subscribers[6].subscription, withErrors: false)
            #expect(rest.subscribers == Array(all.subscribers[7...]))
            let some = try finder.page(of: apps[0].id, after: nil, withErrors: true)
            #expect(some.next == nil)
            #expect(
                Dictionary(uniqueKeysWithValues: some.subscribers.map { ($0.userKey, $0.state) }) == [
                    "user-1": .quarantined, "user-2": .quarantined, "user-3": .counting, "user-4": .disabled,
                ])
            let last = try finder.page(
                of: apps[0].id, after: some.subscribers[2].subscription, withErrors: true)
            #expect(last.subscribers == [some.subscribers[3]])
            let more = (11...1_010).map {
                SubscriberRecord(token: TemporaryStore.token($0), userKey: "more", parametersJSON: nil)
            }
            _ = try fixture.store.subscriberImporter.upsert(more, into: apps[0].id, at: noon)
            let first = try finder.page(of: apps[0].id, after: nil, withErrors: false)
            #expect(first.subscribers.count == SubscriberFinder.limit)
            let second = try finder.page(of: apps[0].id, after: first.next, withErrors: false)
            #expect(second.subscribers.count == 10 && second.next == nil)
        }
    }

    @Test func `named tokens are released, and other tokens stay in quarantine`() throws {
        try withQuarantine { fixture, apps in
            let step = try fixture.store.quarantineWriter.release(
                apps[0].id, tokens: [1, 3, 4, 9, 77].map(TemporaryStore.token))
            #expect(step.released == 2 && step.forgiven == 1 && !step.hasMore)
            #expect(try fixture.quarantine(of: apps[0]) == [2: .quarantined])
            #expect(try pending(apps[0], fixture) == 9 && pending(apps[1], fixture) == 7)
            let tooMany = Array(repeating: "x", count: QuarantineWriter.subscriptionsPerCall + 1)
            guard
                case .limitReached = cause(of: {
                    _ = try fixture.store.quarantineWriter.release(apps[0].id, tokens: tooMany)
                })
            else {
                Issue.record("accepted")
                return
            }
        }
    }

    @Test func `all of a user's devices, or all of an app's devices, can be released`() throws {
        try withQuarantine { fixture, apps in
            let writer = fixture.store.quarantineWriter
            #expect(try writer.release(apps[0].id, userKey: "user-2").released == 1)
            #expect(try writer.release(apps[0].id, userKey: "user-9") == ReleaseStep())
            #expect(try fixture.quarantine(of: apps[0])[2] == nil)
            let step = try writer.releaseAll(of: apps[0].id)
            #expect(step.released == 2 && step.forgiven == 1 && !step.hasMore)
            #expect(try fixture.quarantine(of: apps[0]) == [:] && fixture.quarantine(of: apps[1]).count == 4)
            #expect(try pending(apps[0], fixture) == 10)
        }
    }

    @Test func `many subscriptions are released in several chunks`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let kiosk = (1...2_300).map {
                SubscriberRecord(token: TemporaryStore.token($0), userKey: "kiosk", parametersJSON: nil)
            }
            _ = try fixture.store.subscriberImporter.upsert(kiosk, into: app.id, at: noon)
            func disable() throws {
                for start in stride(from: 1, through: 2_300, by: 2_000) {
                    let numbers = start...min(start + 1_999, 2_300)
                    _ = try fixture.store.feedback.apply(
                        numbers.map { (TemporaryStore.token($0), noon.time) }, to: app.id, at: noon)
                }
                #expect(try fixture.store.quarantine.counts()[app.id]?.disabled == 2_300)
            }
            func release(_ body: () throws -> ReleaseStep) throws -> (released: Int, calls: Int) {
                var total = ReleaseStep()
                var calls = 0
                repeat {
                    total += try body()
                    calls += 1
                } while total.hasMore && calls < 100
                return (total.released, calls)
            }
            try disable()
            #expect(try release { try fixture.store.quarantineWriter.releaseAll(of: app.id) } == (2_300, 3))
            try disable()
            #expect(
                try release { try fixture.store.quarantineWriter.release(app.id, userKey: "kiosk") } == (
                    2_300, 3
                ))
            #expect(try fixture.store.quarantine.counts() == [:])
        }
    }

    @Test func `a release also removes waiting verdicts and does not count as a registration`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(try (1...2).map { TemporaryStore.bad(try #require(messages[$0])) }, of: id)
            let step = try fixture.store.quarantineWriter.release(app.id, tokens: [TemporaryStore.token(1)])
            #expect(step == ReleaseStep())
            #expect(try fixture.settle().quarantined == 1)
            #expect(try fixture.quarantine(of: app) == [2: .quarantined])
            #expect(
                try fixture.query("SELECT DISTINCT updated_at || '' FROM subscription") == [
                    "\(noon.time.secondsSince1970)"
                ])
        }
    }

    @Test func `a registration lifts the quarantine, whether or not it changes anything else`() throws {
        try withQuarantine { fixture, apps in
            let later = noon.later(seconds: 60)
            let records = [
                SubscriberRecord(token: TemporaryStore.token(1), userKey: "user-1", parametersJSON: nil),
                SubscriberRecord(token: TemporaryStore.token(3), userKey: "user-3", parametersJSON: nil),
                SubscriberRecord(token: TemporaryStore.token(4), userKey: "somebody", parametersJSON: nil),
            ]
            let counts = try fixture.store.subscriberImporter.upsert(records, into: apps[0].id, at: later)
            #expect(counts.unchanged == 2 && counts.updated == 1 && counts.inserted == 0)
            #expect(try fixture.quarantine(of: apps[0]) == [2: .quarantined])
            #expect(try fixture.quarantine(of: apps[1]).count == 4)
            #expect(try pending(apps[0], fixture) == 9)
            #expect(
                try fixture.query(
                    "SELECT user_key FROM subscription WHERE updated_at = \(later.time.secondsSince1970) ORDER BY 1"
                )
                    == ["somebody", "user-1", "user-3"])
        }
    }

    @Test func `a device for which the gateway reports a different token is valid under that token`() throws {
        try withQuarantine { fixture, apps in
            let (_, messages) = try fixture.deliver(to: apps[0])
            let message = try #require(messages[1])
            #expect(try fixture.store.tokens.rename(subscriberOf: message, to: "canonical:1", at: noon))
            #expect(try fixture.quarantine(of: apps[0]) == [2: .quarantined, 3: .counting, 4: .disabled])
            #expect(try pending(apps[0], fixture) == 8)
            // A token that is already taken changes nothing, including the quarantine.
            let taken = try #require(messages[2])
            #expect(try !fixture.store.tokens.rename(subscriberOf: taken, to: "canonical:1", at: noon))
            #expect(try fixture.quarantine(of: apps[0])[2] == .quarantined)
        }
    }

    @Test func `deleting an app also deletes its quarantine entries and its waiting verdicts`() throws {
        try withQuarantine { fixture, apps in
            func acceptTheRest() throws {
                for summary in try fixture.store.deliveries.list(limit: 10) where !summary.state.isFinal {
                    try fixture.accept(
                        try fixture.log(summary.id).filter { !$0.state.isFinal }.map(\.message),
                        of: summary.id)
                }
            }
            try acceptTheRest()
            let (id, messages) = try fixture.deliver(to: apps[0])
            let bad = try #require(messages[5])
            try fixture.accept(messages.values.filter { $0 != bad }, of: id)
            // The others are excluded messages, which do not wait, so only this message is left.
            try fixture.record([TemporaryStore.bad(bad)], of: id)
            #expect(try fixture.store.trust.trust(of: TemporaryStore.mark)?.waiting == 1)
            try fixture.writer.deleteApp(apps[0].id, at: noon)
            #expect(try fixture.store.trust.trust(of: TemporaryStore.mark)?.waiting == 0)
            #expect(try fixture.quarantine(of: apps[0]) == [:] && fixture.quarantine(of: apps[1]).count == 4)
        }
    }
}
