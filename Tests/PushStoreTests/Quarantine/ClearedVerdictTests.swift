import PushModel
import PushStore
import Testing

/// Tests that a verdict is applied by the second judgement after it: a problem that is not visible in one
/// window becomes visible in the next one.
@Suite(.eachEngine) struct `Verdicts that two judgements clear` {
    private let mark = TemporaryStore.mark

    @Test func `cleared verdicts wait through the first judgement and are applied after the second`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            func bad(_ numbers: ClosedRange<Int>) throws {
                try fixture.record(
                    numbers.map { TemporaryStore.bad(try #require(messages[$0])) }, accepted: 300, of: id)
            }
            /// Records answers that are in order and do not concern any token.
            func believe() throws {
                var batch = OutcomeBatch(delivery: id)
                batch.answers = [AccountAnswers(account: mark, accepted: 300)]
                let result = try fixture.store.outcomes.record(
                    [batch], at: TemporaryStore.noon, judge: { _ in .believe })
                #expect(result.judgements.map(\.judgement) == [.believe])
            }
            func clear() throws -> VerdictStep { try fixture.settleCleared() }
            try bad(1...5)
            try believe()
            #expect(try clear() == VerdictStep())
            let trust = try #require(try fixture.store.trust.trust(of: mark))
            #expect(trust.evidence.accepted == TrustEvidence.inheritedAcceptances)
            #expect(trust.evidence.aboutTokens == 0 && trust.waiting == 5)

            try bad(6...9)
            try believe()
            #expect(try clear().quarantined == 5)
            try fixture.checkVerdicts()
            #expect(try fixture.quarantine(of: app).keys.sorted() == Array(1...5))

            // All waiting verdicts are decided, so the next verdicts have new numbers. No new verdict may be
            // mistaken for a verdict that was judged before.
            try fixture.settle()
            try bad(10...12)
            #expect(try clear() == VerdictStep())
            try believe()
            #expect(try clear() == VerdictStep())
            try believe()
            #expect(try clear().quarantined == 3)
            try fixture.checkVerdicts()
        }
    }

    @Test func `cleared verdicts are applied immediately if the account expects no more answers`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(
                (1...3).map { TemporaryStore.bad(try #require(messages[$0])) }, accepted: 20, of: id)
            let early = try fixture.store.verdicts.judgeWhole(mark, at: TemporaryStore.noon) { _ in .believe }
            #expect(early == nil, "its part is not dealt with: there may be more answers")
            try fixture.accept([try #require(messages[4]), try #require(messages[5])], of: id)
            let judged = try fixture.store.verdicts.judgeWhole(mark, at: TemporaryStore.noon) { _ in .believe
            }
            #expect(judged?.trust.evidence.aboutTokens == 3)
            let step = try fixture.store.verdicts.settleCleared(
                mark, rules: TemporaryStore.rules, at: TemporaryStore.noon)
            #expect(step.quarantined == 3)
            try fixture.checkVerdicts()
        }
    }

    @Test func `verdicts are cleared once they have waited long enough, and later verdicts later`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let (noon, later) = (TemporaryStore.noon, TemporaryStore.noon.later(seconds: 50))
            try fixture.record([TemporaryStore.bad(try #require(messages[1]))], of: id, at: noon)
            try fixture.record([TemporaryStore.bad(try #require(messages[2]))], of: id, at: later)
            func clear(_ decided: WallMoment, mayBeApplied: Bool = true) throws -> Bool {
                try fixture.store.verdicts.clearOverdue(mark, decidedBy: decided) { _ in mayBeApplied }
            }
            #expect(try fixture.store.trust.waiting().map(\.since) == [noon])
            #expect(try !clear(noon.later(seconds: -1)))
            #expect(try !clear(noon, mayBeApplied: false))
            #expect(try fixture.settleCleared() == VerdictStep())
            #expect(try clear(noon))
            #expect(try fixture.settleCleared().quarantined == 1)
            #expect(try fixture.store.trust.waiting().map(\.since) == [later])
            #expect(try clear(later))
            #expect(try fixture.settleCleared().quarantined == 1)
            #expect(try fixture.store.trust.waiting().isEmpty)
            try fixture.checkVerdicts()

            try fixture.record([TemporaryStore.bad(try #require(messages[3]))], of: id, at: later)
            try fixture.storm()
            #expect(try !clear(later), "a storm holds all verdicts")
            #expect(try fixture.store.trust.waiting().isEmpty)
        }
    }

    @Test func `verdicts are not cleared during a storm`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(messages.values.map { TemporaryStore.bad($0) }, of: id)
            _ = try fixture.store.verdicts.judgeWhole(mark, at: TemporaryStore.noon) { _ in .wait }
            try fixture.storm()
            let judged = try fixture.store.verdicts.judgeWhole(mark, at: TemporaryStore.noon) { _ in .believe
            }
            #expect(judged == nil)
            let step = try fixture.store.verdicts.settleCleared(
                mark, rules: TemporaryStore.rules, at: TemporaryStore.noon)
            #expect(step == VerdictStep())
            #expect(try fixture.quarantine(of: app).isEmpty)
        }
    }
}
