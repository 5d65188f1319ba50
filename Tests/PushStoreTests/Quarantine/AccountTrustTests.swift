import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct AccountTrustTests {
    private let mark = TemporaryStore.mark

    @Test func `a sum that contains a damaged count does not overflow`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let bad = messages.values.map { TemporaryStore.bad($0) }
            try fixture.record(Array(bad.prefix(1)), of: id)
            try fixture.alter(
                """
                UPDATE account_trust SET accepted = 9223372036854775807, about_tokens = -5,
                    storm_evidence = 9223372036854775807, doubt = 9223372036854775807,
                    run_answers = 9223372036854775807, dead_per_million = 9223372036854775807
                """)
            try fixture.record(Array(bad.dropFirst().prefix(1)), of: id)
            try fixture.judge(mark, .believe)
            let trust = try #require(try fixture.store.trust.trust(of: mark))
            #expect(trust.evidence.accepted <= TrustEvidence.most && trust.evidence.aboutTokens >= 0)
            #expect(trust.evidence.doubt <= TrustEvidence.most)
        }
    }

    @Test func `an account needs a decision while verdicts are waiting or a storm lasts`() {
        var trust = AccountTrust(mark: mark, firstSeen: TemporaryStore.noon)
        trust.count(AccountAnswers(account: mark, accepted: 1, aboutTokens: 1))
        #expect(!trust.needsDecision && trust.hasAccepted)
        trust.waiting = 1
        #expect(trust.needsDecision)
        trust.waiting = 0
        trust.stormSince = TemporaryStore.noon
        #expect(trust.needsDecision)
    }

    @Test func `a verdict whose span is never settled counts as evidence against itself`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...60, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record([], accepted: 300, of: id)
            try fixture.judge(mark, .believe)
            let bad = (1...30).compactMap { messages[$0] }.map { TemporaryStore.bad($0) }
            // The process is killed while one message of the span has no answer yet, so the span is not
            // counted.
            var batch = OutcomeBatch(delivery: id)
            batch.others = bad
            _ = try fixture.store.outcomes.record([batch], at: TemporaryStore.noon)
            let trust = try #require(try fixture.store.trust.trust(of: mark))
            #expect(trust.waiting == 30 && trust.evidence.isProved && trust.evidence.isContradicted)
            #expect(!trust.evidence.isBelievable)
            // Subsequent acceptances show that the account is sound.
            try fixture.record([], accepted: 20, of: id)
            let after = try #require(try fixture.store.trust.trust(of: mark)).evidence
            #expect(!after.isContradicted && after.isBelievable)
        }
    }

    @Test func `answers without an outcome are counted and judged`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            var batch = OutcomeBatch(delivery: id)
            batch.others = [TemporaryStore.bad(try #require(messages[1]))]
            _ = try fixture.store.outcomes.record([batch], at: TemporaryStore.noon)
            let answers = [AccountAnswers(account: mark, accepted: 3, aboutTokens: 1)]
            let judged = try fixture.store.outcomes.count(answers, at: TemporaryStore.noon) { trust in
                trust.evidence.accepted == 3 && trust.waiting == 1 ? .storm : .wait
            }
            #expect(judged.map(\.judgement) == [.storm])
            #expect(try fixture.store.trust.trust(of: mark)?.stormSince == TemporaryStore.noon)
        }
    }

    @Test func `the part of an account that belongs to an app has the app's id`() {
        let app = AppID(rawValue: 12)
        #expect(mark.app == nil)
        let parts = [mark.part(of: app, topic: ""), mark.part(of: app, topic: "com.example")]
        #expect(parts.map(\.app) == [app, app] && parts.map(\.topic) == [nil, "com.example"])
        #expect(parts.allSatisfy(mark.includes))
        #expect(AccountKey(rawValue: "an app of nobody").app == nil)
    }
}
