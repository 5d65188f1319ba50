import PushModel
import PushStore
import Testing

/// A verdict is applied by the second judgement after it: what a window hides shows itself in the next.
@Suite struct `Verdicts that two judgements clear` {
    private let mark = TemporaryStore.mark

    @Test func `wait through the first judgement and are applied after the second`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...20, to: app)
            let (id, messages) = try house.deliver(to: app)
            func bad(_ numbers: ClosedRange<Int>) throws {
                try house.record(numbers.map { TemporaryStore.bad(try #require(messages[$0])) }, accepted: 300, of: id)
            }
            func clear() throws -> VerdictStep {
                try house.repeated {
                    try house.store.verdicts.settleCleared(mark, rules: TemporaryStore.rules, at: TemporaryStore.noon)
                }
            }
            try bad(1...5)
            try house.store.verdicts.believe(mark)
            #expect(try clear() == VerdictStep())
            let trust = try #require(try house.store.trust.trust(of: mark))
            #expect(trust.accepted == 0 && trust.aboutTokens == 0 && trust.waiting == 5)

            try bad(6...9)
            try house.store.verdicts.believe(mark)
            #expect(try clear().quarantined == 5)
            try house.checkVerdicts()
            #expect(try house.quarantine(of: app).keys.sorted() == Array(1...5))

            // All that waited is settled, so the next verdicts have new numbers: none may pass for one judged before.
            try house.settle()
            try bad(10...12)
            #expect(try clear() == VerdictStep())
            try house.store.verdicts.believe(mark)
            #expect(try clear() == VerdictStep())
            try house.store.verdicts.believe(mark)
            #expect(try clear().quarantined == 3)
            try house.checkVerdicts()
        }
    }

    @Test func `are not cleared while there is a storm`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...3, to: app)
            let (id, messages) = try house.deliver(to: app)
            try house.record(messages.values.map { TemporaryStore.bad($0) }, of: id)
            try house.store.verdicts.believe(mark)
            try house.store.verdicts.declareStorm(mark, at: TemporaryStore.noon)
            try house.store.verdicts.believe(mark)
            let step = try house.store.verdicts.settleCleared(
                mark, rules: TemporaryStore.rules, at: TemporaryStore.noon)
            #expect(step == VerdictStep())
            #expect(try house.quarantine(of: app).isEmpty)
        }
    }
}
