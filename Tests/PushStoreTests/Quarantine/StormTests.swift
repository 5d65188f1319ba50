import PushModel
import PushStore
import Testing

/// A flood of verdicts, held until an operator has decided.
@Suite(.eachEngine) struct StormTests {
    private let noon = TemporaryStore.noon
    private let mark = TemporaryStore.mark

    /// So many verdicts of one account about two apps, in a storm.
    private func withStorm(
        _ count: Int, _ story: (TemporaryStore, [App], [DeliveryID]) throws -> Void
    ) throws {
        try TemporaryStore.with { house in
            let apps = [try house.app("one"), try house.app("two")]
            var deliveries: [DeliveryID] = []
            for app in apps {
                try house.subscribe(1...count / 2, to: app)
                let (id, messages) = try house.deliver(to: app)
                deliveries.append(id)
                for start in stride(from: 1, through: count / 2, by: 2_000) {
                    let numbers = start...min(start + 1_999, count / 2)
                    try house.record(
                        try numbers.map { TemporaryStore.bad(try #require(messages[$0])) }, of: id)
                }
            }
            try house.store.verdicts.declareStorm(mark, at: noon)
            try story(house, apps, deliveries)
        }
    }

    @Test func `while there is a storm nothing is settled, and it says what it is about`() throws {
        try withStorm(150) { house, apps, deliveries in
            #expect(try house.settle() == VerdictStep())
            // Said again later, it is the same storm.
            try house.store.verdicts.declareStorm(mark, at: noon.later(seconds: 60))
            #expect(
                try house.store.trust.storms() == [
                    StormSummary(
                        account: mark, since: noon, held: 150, apps: apps.map(\.id), deliveries: deliveries)
                ])
            let trust = try #require(try house.store.trust.trusts().first)
            #expect(trust.stormSince == noon && trust.waiting == 150 && trust.aboutTokens == 150)
            #expect(try house.store.quarantine.counts() == [:])
        }
    }

    @Test func `discarded, no device is lost, and the account begins anew`() throws {
        try withStorm(10_000) { house, apps, _ in
            // By another process, a piece a call; in between it is still a storm.
            let operatorStore = try house.reopened()
            var step = try #require(try operatorStore.verdicts.discardStorm(mark))
            #expect(step.hasMore && step.discarded > 0 && step.discarded <= 5_000)
            #expect(try house.settle() == VerdictStep())
            #expect(try house.store.trust.storms().map(\.held) == [10_000 - step.discarded])
            step = try house.repeated { try house.reopened().verdicts.discardStorm(mark) }
            #expect(!step.hasMore)
            let trust = try #require(try house.store.trust.trust(of: mark))
            #expect(trust.stormSince == nil && trust.waiting == 0 && trust.aboutTokens == 0)
            #expect(try house.store.trust.storms() == [] && house.store.quarantine.counts() == [:])
            #expect(try house.query("SELECT id || '' FROM held_verdict") == [])
            for app in apps {
                let next = try house.deliver(to: app)
                #expect(try house.counts(next.id).pending == 5_000)
            }
            // Done twice, nothing happens.
            #expect(try house.store.verdicts.discardStorm(mark) == nil)
        }
    }

    @Test func `confirmed, the verdicts are applied piece by piece, those that came meanwhile too`() throws {
        try withStorm(3_000) { house, apps, deliveries in
            func confirm() throws -> VerdictStep? {
                try house.store.verdicts.confirmStorm(
                    mark, rules: TemporaryStore.rules, at: noon.later(seconds: 9))
            }
            var total = try #require(try confirm())
            #expect(total.hasMore && total.quarantined == 1_000)
            #expect(try house.store.trust.storms().map(\.held) == [2_000])
            try house.subscribe(90_001...90_001, to: apps[0])
            let late = try house.deliver(to: apps[0])
            let result = try house.record(
                [TemporaryStore.bad(try #require(late.messages[90_001]))], of: late.id)
            #expect(result.trust.map(\.stormSince) == [noon])
            total += try house.repeated(confirm)
            #expect(total.quarantined == 3_001 && total.ignored == 0)
            #expect(try house.store.trust.storms() == [] && house.store.trust.trusts() == [])
            #expect(try house.store.quarantine.counts()[apps[1].id]?.quarantined == 1_500)
            #expect(try confirm() == nil)
        }
    }

    @Test func `what waits of an account that will never answer again can be resolved without a storm`()
        throws
    {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...2, to: app)
            let (id, messages) = try house.deliver(to: app)
            try house.record([TemporaryStore.bad(try #require(messages[1]))], of: id)
            #expect(try house.store.trust.storms() == [])
            #expect(try house.store.verdicts.discardStorm(mark)?.discarded == 1)
            try house.record([TemporaryStore.bad(try #require(messages[2]))], of: id)
            let step = try house.store.verdicts.confirmStorm(mark, rules: TemporaryStore.rules, at: noon)
            #expect(step?.quarantined == 1)
        }
    }

    @Test func `a storm of an account that has answered nothing yet is kept, and ends`() throws {
        try TemporaryStore.with { house in
            try house.store.verdicts.declareStorm(mark, at: noon)
            #expect(try house.store.trust.storms().map(\.held) == [0])
            #expect(try house.store.verdicts.discardStorm(mark) == VerdictStep())
            #expect(try house.store.trust.storms() == [])
        }
    }
}
