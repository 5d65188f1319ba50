import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct VerdictWriterTests {
    private let noon = TemporaryStore.noon
    private let mark = TemporaryStore.mark
    private static let day: Int64 = 86_400

    /// Provides an app with the given number of subscribers and a delivery to them.
    private func with(
        _ count: Int, _ story: (TemporaryStore, App, DeliveryID, [Int: MessageID]) throws -> Void
    ) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...count, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try story(fixture, app, id, messages)
        }
    }

    @Test
    func `dead tokens are quarantined when their verdicts are believed, and the account's counts restart`()
        throws
    {
        try with(20) { fixture, app, id, messages in
            try fixture.record(
                try (1...5).map { TemporaryStore.bad(try #require(messages[$0])) }, accepted: 15, of: id)
            let later = noon.later(seconds: 60)
            let step = try fixture.settle(at: later)
            #expect(step.quarantined == 5 && step.counted == 0 && step.ignored == 0)
            let trust = try #require(try fixture.store.trust.trust(of: mark))
            #expect(trust.evidence.accepted == TrustEvidence.inheritedAcceptances)
            #expect(trust.evidence.aboutTokens == 0 && trust.waiting == 0 && trust.hasAccepted)
            #expect(try fixture.store.trust.trusts() == [])
            let entry = try #require(try fixture.store.quarantine.list(app: app.id).entries.first)
            #expect(entry.state == .quarantined && entry.source == .answer && entry.reason == "Unregistered")
            #expect(entry.delivery == id && entry.errors == 1 && entry.since == later.time)
            #expect(entry.lastError == noon.time && entry.app == app.id)

            let next = try fixture.deliver(to: app)
            let excluded = try fixture.log(next.id).filter { $0.state == .excluded }
            #expect(excluded.map(\.userKey).sorted() == (1...5).map { "user-\($0)" })
            #expect(excluded.allSatisfy { $0.failureType == .hard && $0.failureReason == .inQuarantine })
            #expect(Set(excluded.map(\.providerReason)) == ["in quarantine"])
            // A repeated call has no effect.
            #expect(try fixture.settle() == VerdictStep())
        }
    }

    @Test func `many verdicts are decided in chunks, and a store that is opened in between continues`() throws
    {
        try with(2_400) { fixture, app, id, messages in
            try fixture.record(messages.values.map { TemporaryStore.bad($0) }, accepted: 9_000, of: id)
            try fixture.believe()
            var total = VerdictStep()
            var calls = 0
            repeat {
                let store = try fixture.reopened()
                total += try store.verdicts.settleCleared(mark, rules: TemporaryStore.rules, at: noon)
                #expect(store.inspection.largestWrite <= 5_000)
                try fixture.checkVerdicts()
                calls += 1
                #expect(try fixture.store.trust.trust(of: mark)?.waiting == 2_400 - total.quarantined)
            } while total.hasMore
            #expect(calls == 3 && total.quarantined == 2_400)
            #expect(try fixture.store.quarantine.counts()[app.id]?.quarantined == 2_400)
        }
    }

    @Test func `suspect tokens are quarantined after enough errors that are far enough apart`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            func fail(_ numbers: [Int], after seconds: Int64) throws -> VerdictStep {
                let now = noon.later(seconds: seconds)
                let (id, messages) = try fixture.deliver(to: app, at: now)
                try fixture.record(
                    try numbers.map { TemporaryStore.bad(try #require(messages[$0]), .suspect) }, of: id,
                    at: now)
                return try fixture.settle(at: now)
            }
            #expect(try fail([1, 2], after: 0).counted == 2)
            #expect(try fail([1], after: 3_600).counted == 1)
            #expect(try fail([1], after: Self.day).counted == 1)
            #expect(try fixture.quarantine(of: app) == [1: .counting, 2: .counting])
            #expect(try fixture.store.quarantine.list(app: app.id).entries.map(\.errors).sorted() == [1, 2])
            #expect(Set(try fixture.store.quarantine.list(app: app.id).entries.map(\.since)) == [noon.time])
            #expect(try fail([1], after: 2 * Self.day).quarantined == 1)
            // Each state has its own start time.
            let entries = try fixture.store.quarantine.list(app: app.id).entries
            #expect(entries.first { $0.userKey == "user-1" }?.since == noon.later(seconds: 2 * Self.day).time)
            #expect(entries.first { $0.userKey == "user-1" }?.errors == 3)
            // The other subscriber had no error for more than ten days, so the second error counts as the
            // first.
            #expect(try fail([2], after: 10 * Self.day + 1).counted == 1)
            #expect(try fail([2], after: 11 * Self.day + 1).counted == 1)
            #expect(try fixture.quarantine(of: app) == [1: .quarantined, 2: .counting])
        }
    }

    @Test func `if there are two verdicts for one token, the first sufficient one counts`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let (first, second) = (try fixture.deliver(to: app), try fixture.deliver(to: app))
            func record(
                _ gravities: [Int: TokenVerdict.Gravity],
                of delivery: (id: DeliveryID, messages: [Int: MessageID])
            ) throws {
                try fixture.record(
                    try gravities.sorted { $0.key < $1.key }
                        .map { TemporaryStore.bad(try #require(delivery.messages[$0.key]), $0.value) },
                    accepted: 9, of: delivery.id)
            }
            try record([1: .dead, 2: .dead, 3: .suspect], of: first)
            try record([1: .suspect, 2: .dead, 3: .dead], of: second)
            let step = try fixture.settle()
            #expect(step.quarantined == 3 && step.ignored == 2 && step.counted == 1)
            #expect(Set(try fixture.quarantine(of: app).values) == [.quarantined])
        }
    }

    @Test func `a device that has registered again is left unchanged`() throws {
        try with(6) { fixture, app, id, messages in
            let before = noon.later(seconds: -100)
            // The gateway reports when the token became invalid: before the registration, in the same second,
            // after it, or not at all.
            try fixture.record(
                [
                    TemporaryStore.bad(try #require(messages[1]), deadSince: before),
                    TemporaryStore.bad(try #require(messages[2]), deadSince: noon),
                    TemporaryStore.bad(try #require(messages[3]), deadSince: noon.later(seconds: 5)),
                    TemporaryStore.bad(try #require(messages[4])),
                    TemporaryStore.bad(try #require(messages[5]), .suspect),
                    TemporaryStore.bad(try #require(messages[6]), .suspect, deadSince: before),
                ], accepted: 100, of: id, at: noon.later(seconds: 10))
            // One registration in the same second as the verdict, and one later.
            _ = try fixture.store.subscriberImporter.upsert(
                [SubscriberRecord(token: TemporaryStore.token(4), userKey: "user-4", parametersJSON: nil)],
                into: app.id, at: noon.later(seconds: 10))
            #expect(try fixture.store.trust.trust(of: mark)?.waiting == 5)
            let step = try fixture.settle(at: noon.later(seconds: 20))
            #expect(step.quarantined == 2 && step.ignored == 2 && step.counted == 1)
            #expect(try fixture.quarantine(of: app) == [2: .quarantined, 3: .quarantined, 5: .counting])
        }
    }

    @Test
    func `a verdict is ignored if the device has registered since, or if the subscription is gone`() throws {
        try with(3) { fixture, app, id, messages in
            try fixture.record(try (1...3).map { TemporaryStore.bad(try #require(messages[$0])) }, of: id)
            try fixture.alter(
                """
                UPDATE subscription SET updated_at = updated_at + 1 WHERE user_key = 'user-1';
                DELETE FROM subscription WHERE user_key = 'user-2'
                """)
            let step = try fixture.settle()
            #expect(step.quarantined == 1 && step.ignored == 2)
            #expect(try fixture.quarantine(of: app) == [3: .quarantined])
        }
    }

    @Test func `each account waits for its own decision`() throws {
        try with(4) { fixture, app, id, messages in
            let other = AccountKey(rawValue: "iosHTTP2 production TEAM:KEY ffffffff")
            try fixture.record([TemporaryStore.bad(try #require(messages[1]))], of: id)
            try fixture.record(
                [TemporaryStore.bad(try #require(messages[2]), account: other)], of: id, account: other)
            #expect(try fixture.settle(other).quarantined == 1)
            #expect(try fixture.quarantine(of: app) == [2: .quarantined])
            #expect(try fixture.store.trust.trusts().map(\.mark) == [mark])
            let nobody = AccountKey(rawValue: "nobody")
            #expect(try fixture.settleCleared(nobody) == VerdictStep())
            #expect(try fixture.store.verdicts.judgeWhole(nobody, at: noon) { _ in .believe } == nil)
            #expect(try fixture.store.trust.trust(of: nobody) == nil)
        }
    }

    @Test func `errors for tokens that had none for ten days are forgotten`() throws {
        try with(3) { fixture, app, id, messages in
            try fixture.record(
                try (1...2).map { TemporaryStore.bad(try #require(messages[$0]), .suspect) }, of: id)
            try fixture.record([TemporaryStore.bad(try #require(messages[3]))], of: id)
            try fixture.settle()
            let quiet = noon.later(seconds: QuarantineRules.quietSeconds)
            #expect(try fixture.store.verdicts.forgetQuietErrors(at: quiet) == 0)
            #expect(try fixture.store.verdicts.forgetQuietErrors(at: quiet.later(seconds: 1)) == 2)
            #expect(try fixture.quarantine(of: app) == [3: .quarantined])
        }
    }

    @Test func `verdicts keep waiting while another process has locked the store`() throws {
        try with(2) { fixture, app, id, messages in
            try fixture.record([TemporaryStore.bad(try #require(messages[1]))], of: id)
            try fixture.believe()
            let impatient = try fixture.reopened(busyTimeoutMilliseconds: 50)
            let other = try fixture.reopened()
            try other.writeEngine(name: "other").transaction(group: 1) { () throws(StoreError) in
                // Takes the lock and changes nothing.
                _ = try other.verdicts.discardStorm(AccountKey(rawValue: "nobody"))
                expect(.busy) {
                    _ = try impatient.verdicts.settleCleared(mark, rules: TemporaryStore.rules, at: noon)
                }
                expect(.busy) { _ = try impatient.verdicts.judgeWhole(mark, at: noon) { _ in .storm } }
                expect(.busy) { try fixture.judge(mark, .storm, in: impatient) }
                expect(.busy) { _ = try impatient.verdicts.discardStorm(mark) }
                let waiting = try impatient.trust.trust(of: mark)?.waiting
                #expect(waiting == 1)
            }
            #expect(try fixture.settleCleared(in: impatient).quarantined == 1)
        }
    }
}
