import PushModel
import PushStore
import Testing

/// Tests a storm of verdicts that waits until an operator has decided.
@Suite(.eachEngine) struct StormTests {
    private let noon = TemporaryStore.noon
    private let mark = TemporaryStore.mark

    /// Provides the given number of verdicts from one account about two apps, in a storm.
    private func withStorm(
        _ count: Int, _ story: (TemporaryStore, [App], [DeliveryID]) throws -> Void
    ) throws {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            var deliveries: [DeliveryID] = []
            for app in apps {
                try fixture.subscribe(1...count / 2, to: app)
                let (id, messages) = try fixture.deliver(to: app)
                deliveries.append(id)
                for start in stride(from: 1, through: count / 2, by: 2_000) {
                    let numbers = start...min(start + 1_999, count / 2)
                    try fixture.record(
                        try numbers.map { TemporaryStore.bad(try #require(messages[$0])) }, of: id)
                }
            }
            try fixture.storm()
            try story(fixture, apps, deliveries)
        }
    }

    @Test func `nothing is decided during a storm, and the storm lists its apps and deliveries`() throws {
        try withStorm(150) { fixture, apps, deliveries in
            #expect(try fixture.settle() == VerdictStep())
            // A later declaration of the storm does not start another one.
            try fixture.storm(at: noon.later(seconds: 60))
            #expect(
                try fixture.store.trust.storms() == [
                    StormSummary(
                        account: mark, since: noon, held: 150, apps: apps.map(\.id), deliveries: deliveries)
                ])
            let trust = try #require(try fixture.store.trust.trusts().first)
            #expect(trust.stormSince == noon && trust.waiting == 150 && trust.evidence.aboutTokens == 150)
            #expect(try fixture.store.quarantine.counts() == [:])
        }
    }

    @Test func `a discarded storm disables no device, and the account's counts restart`() throws {
        try withStorm(10_000) { fixture, apps, _ in
            // Another process discards the storm, one piece for each call. Between the calls, it is still a
            // storm.
            let operatorStore = try fixture.reopened()
            var step = try #require(try operatorStore.verdicts.discardStorm(mark))
            #expect(step.hasMore && step.discarded > 0 && step.discarded <= 5_000)
            #expect(try fixture.settle() == VerdictStep())
            #expect(try fixture.store.trust.storms().map(\.held) == [10_000 - step.discarded])
            step = try fixture.repeated { try fixture.reopened().verdicts.discardStorm(mark) }
            #expect(!step.hasMore)
            let trust = try #require(try fixture.store.trust.trust(of: mark))
            #expect(trust.stormSince == nil && trust.waiting == 0)
            #expect(trust.evidence.aboutTokens == 0)
            #expect(try fixture.store.trust.storms() == [] && fixture.store.quarantine.counts() == [:])
            #expect(try fixture.query("SELECT id || '' FROM held_verdict") == [])
            for app in apps {
                let next = try fixture.deliver(to: app)
                #expect(try fixture.counts(next.id).pending == 5_000)
            }
            // A second call has no effect.
            #expect(try fixture.store.verdicts.discardStorm(mark) == nil)
        }
    }

    @Test func `a confirmed storm applies its verdicts in steps, including verdicts that arrive meanwhile`()
        throws
    {
        try withStorm(3_000) { fixture, apps, deliveries in
            func confirm() throws -> VerdictStep? {
                try fixture.store.verdicts.confirmStorm(
                    mark, rules: TemporaryStore.rules, at: noon.later(seconds: 9))
            }
            var total = try #require(try confirm())
            #expect(total.hasMore && total.quarantined == 1_000)
            #expect(try fixture.store.trust.storms().map(\.held) == [2_000])
            // The counts remain unchanged until the last verdict is applied.
            #expect(try fixture.store.trust.trust(of: mark)?.evidence.aboutTokens == 3_000)
            try fixture.subscribe(90_001...90_001, to: apps[0])
            let late = try fixture.deliver(to: apps[0])
            let result = try fixture.record(
                [TemporaryStore.bad(try #require(late.messages[90_001]))], of: late.id)
            #expect(result.trust.map(\.stormSince) == [noon])
            total += try fixture.repeated(confirm)
            #expect(total.quarantined == 3_001 && total.ignored == 0)
            #expect(try fixture.store.trust.storms() == [] && fixture.store.trust.trusts() == [])
            let trust = try #require(try fixture.store.trust.trust(of: mark))
            #expect(trust.evidence.aboutTokens == 0 && trust.evidence.doubt == 0)
            #expect(try fixture.store.quarantine.counts()[apps[1].id]?.quarantined == 1_500)
            #expect(try confirm() == nil)
        }
    }

    @Test func `waiting verdicts for an account without further answers can be decided without a storm`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record([TemporaryStore.bad(try #require(messages[1]))], of: id)
            #expect(try fixture.store.trust.storms() == [])
            #expect(try fixture.store.verdicts.discardStorm(mark)?.discarded == 1)
            try fixture.record([TemporaryStore.bad(try #require(messages[2]))], of: id)
            let step = try fixture.store.verdicts.confirmStorm(mark, rules: TemporaryStore.rules, at: noon)
            #expect(step?.quarantined == 1)
        }
    }

    @Test func `a storm whose last verdict is removed by a registration is kept until it ends`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record([TemporaryStore.bad(try #require(messages[1]))], of: id)
            try fixture.storm()
            try fixture.subscribe(1...1, to: app)
            #expect(try fixture.store.trust.storms().map(\.held) == [0])
            #expect(try fixture.store.verdicts.discardStorm(mark) == VerdictStep())
            #expect(try fixture.store.trust.storms() == [])
        }
    }
}
