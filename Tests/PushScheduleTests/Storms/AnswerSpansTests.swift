import PushModel
import PushSchedule
import TestSupport
import Testing

@Suite struct AnswerSpansTests {
    private static let account = AccountKey(rawValue: "a")

    private func grant(_ number: UInt32) -> GrantID { GrantID(rawValue: number) }

    /// Returns the spans for grants of ten messages each, in order.
    private func spans(_ grants: Int, acceptancesArriveLate: Bool = true) -> AnswerSpans {
        var spans = AnswerSpans()
        for number in 1...grants {
            spans.submitted(
                grant(UInt32(number)), messages: 10, through: Self.account,
                acceptancesArriveLate: acceptancesArriveLate)
        }
        return spans
    }

    private func answers(_ accepted: Int, _ bad: Int, unanswered: Int = 0) -> AccountAnswers {
        AccountAnswers(account: Self.account, accepted: accepted, aboutTokens: bad, unanswered: unanswered)
    }

    @Test func `answers count when all messages in their span are settled`() {
        var spans = spans(1)
        spans.answered(grant(1), .aboutToken)
        #expect(spans.takeSettled() == [])
        spans.answered(grant(1), .accepted, 8)
        spans.answered(grant(1), .nothing)
        #expect(spans.takeSettled() == [answers(8, 1)])
        #expect(spans.takeSettled() == [])
        spans.answered(grant(1), .aboutToken)
        #expect(spans.takeSettled() == [])
    }

    @Test func `a later span waits for the earlier spans, whatever it contains`() {
        var spans = spans(3)
        for number: UInt32 in [3, 2] { spans.answered(grant(number), .aboutToken, 10) }
        #expect(spans.takeSettled() == [])
        spans.answered(grant(1), .accepted, 10)
        #expect(spans.takeSettled() == [answers(10, 20)])
    }

    @Test func `different accounts do not wait for each other`() {
        var spans = spans(1)
        let other = AccountKey(rawValue: "b")
        spans.submitted(grant(2), messages: 1, through: other, acceptancesArriveLate: false)
        spans.answered(grant(2), .aboutToken)
        #expect(spans.takeSettled() == [AccountAnswers(account: other, aboutTokens: 1)])
    }

    @Test func `messages without an answer count if the gateway's acceptances arrive late`() {
        var late = spans(2)
        late.answered(grant(1), .unanswered, 6)
        late.answered(grant(1), .aboutToken, 4)
        late.settle(grant(2))
        #expect(late.takeSettled() == [answers(0, 4, unanswered: 16)])
        var prompt = spans(1, acceptancesArriveLate: false)
        prompt.answered(grant(1), .unanswered, 6)
        prompt.answered(grant(1), .aboutToken, 4)
        #expect(prompt.takeSettled() == [answers(0, 4)])
    }

    @Test func `an unsettled span blocks at most a fixed number of later spans`() {
        var spans = AnswerSpans()
        for number: UInt32 in 1...20_000 {
            spans.submitted(grant(number), messages: 1, through: Self.account, acceptancesArriveLate: true)
            if number > 1 { spans.answered(grant(number), .accepted) }
        }
        #expect(spans.takeSettled() == [])
        spans.submitted(grant(20_001), messages: 1, through: Self.account, acceptancesArriveLate: true)
        #expect(spans.takeSettled() == [answers(19_999, 0, unanswered: 1)])
        spans.answered(grant(1), .aboutToken)
        spans.answered(grant(20_001), .accepted)
        #expect(spans.takeSettled() == [answers(1, 0)])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `in any order of answers, each message counts once, and no answer counts before an earlier span`(
        seed: UInt64
    ) {
        var chance = SeededRandom(seed: seed)
        let grants = 30
        var spans = spans(grants)
        var order = (0..<grants * 10).map { grant(UInt32($0 / 10 + 1)) }
        order.shuffle(using: &chance)
        var open = Dictionary(uniqueKeysWithValues: (1...grants).map { (UInt32($0), 10) })
        var taken = 0
        for grant in order {
            spans.answered(grant, Bool.random(using: &chance) ? .accepted : .aboutToken)
            open[grant.rawValue, default: 0] -= 1
            for answers in spans.takeSettled() { taken += answers.accepted + answers.aboutTokens }
            let settled = (1...grants).prefix { open[UInt32($0)] == 0 }.count
            #expect(taken == 10 * settled)
        }
        #expect(taken == 10 * grants)
    }
}
