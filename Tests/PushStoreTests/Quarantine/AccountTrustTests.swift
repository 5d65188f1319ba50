import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct AccountTrustTests {
    private var fresh: AccountTrust {
        AccountTrust(mark: TemporaryStore.mark, firstSeen: TemporaryStore.noon)
    }

    @Test func `a healthy past counts for so much and no more`() {
        var trust = fresh
        trust.count(accepted: 150, aboutTokens: 0)
        #expect(trust.accepted == 150 && trust.hasAccepted)
        trust.count(accepted: 1_000_000, aboutTokens: 0)
        #expect(trust.accepted == AccountTrust.rememberedAcceptances)
        let before = trust
        trust.count(accepted: 4_900, aboutTokens: 0)
        #expect(trust == before)
    }

    @Test func `a damaged count is none that a sum overflows by`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let bad = messages.values.map { TemporaryStore.bad($0) }
            try fixture.record(Array(bad.prefix(1)), of: id)
            try fixture.alter("UPDATE account_trust SET accepted = 9223372036854775807, accepted_before = -5")
            try fixture.record(Array(bad.dropFirst().prefix(1)), of: id)
            let trust = try #require(try fixture.store.trust.trust(of: TemporaryStore.mark))
            #expect(trust.accepted <= 1 << 40 && trust.acceptedBefore >= 0)
        }
    }

    @Test func `from the first bad answer on everything counts`() {
        var trust = fresh
        trust.count(accepted: 5_000, aboutTokens: 0)
        trust.count(accepted: 4_000, aboutTokens: 1)
        trust.count(accepted: 3_000, aboutTokens: 0)
        #expect(trust.accepted == 7_000 + AccountTrust.rememberedAcceptances && trust.aboutTokens == 1)
    }

    @Test func `after a rest it begins anew, but for what nobody could judge yet`() {
        var trust = fresh
        trust.count(accepted: 150, aboutTokens: 0)
        (trust.acceptedBefore, trust.aboutTokensBefore) = (300, 2)
        trust.beginAnew()
        #expect(
            trust.accepted == 0 && trust.acceptedBefore == 0 && trust.aboutTokensBefore == 0
                && trust.hasAccepted)
        trust.count(accepted: 1, aboutTokens: 4)
        trust.waiting = 4
        trust.beginAnew()
        #expect(trust.accepted == 1 && trust.aboutTokens == 4)
    }

    @Test func `an account that never accepted anything is not proved by bad answers`() {
        var trust = fresh
        trust.count(accepted: 0, aboutTokens: 300)
        #expect(!trust.hasAccepted && trust.accepted == 0 && trust.aboutTokens == 300)
    }

    @Test func `somebody has to decide where verdicts wait, or a storm does`() {
        var trust = fresh
        trust.count(accepted: 1, aboutTokens: 1)
        #expect(!trust.needsDecision)
        trust.waiting = 1
        #expect(trust.needsDecision)
        trust.waiting = 0
        trust.stormSince = TemporaryStore.noon
        #expect(trust.needsDecision)
    }
}
