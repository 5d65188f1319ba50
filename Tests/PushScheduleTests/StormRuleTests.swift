import PushModel
import PushSchedule
import Testing

@Suite struct `The storm rule` {
    let rule = StormRule(ratio: 0.5, minimumAnswers: 200)

    func judge(
        _ accepted: Int, _ bad: Int, before: (accepted: Int, bad: Int) = (0, 0), wasAccepted: Bool? = nil,
        isWhole: Bool = false
    ) -> TrustJudgement {
        rule.judge(
            answers(accepted, bad), before: answers(before.accepted, before.bad),
            wasAccepted: wasAccepted ?? (accepted > 0), isWhole: isWhole)
    }

    @Test func `waits for enough answers`() {
        #expect(judge(99, 100) == .wait)
        #expect(judge(190, 9) == .wait)
        #expect(judge(190, 10) == .believe)
    }

    @Test func `judges all there are when there will be no more`() {
        #expect(judge(0, 150, isWhole: true) == .storm)
        #expect(judge(140, 10, isWhole: true) == .believe)
        #expect(judge(74, 76, isWhole: true) == .storm)
    }

    @Test func `believes half and not more`() {
        #expect(judge(100, 100) == .believe)
        #expect(judge(100, 101) == .storm)
    }

    @Test func `believes nothing of an account that never had a message accepted`() {
        #expect(judge(0, 5, wasAccepted: false, isWhole: true) == .wait)
        #expect(judge(0, 500, wasAccepted: false) == .storm)
    }

    @Test func `stops nobody for a handful, and does not believe it either`() {
        #expect(judge(0, 1, wasAccepted: true, isWhole: true) == .wait)
        #expect(judge(2, 9, wasAccepted: true, isWhole: true) == .wait)
        #expect(judge(2, 10, wasAccepted: true, isWhole: true) == .storm)
    }

    @Test func `sees dead tokens at the end of a good delivery as its end`() {
        #expect(judge(0, 99, before: (4_900, 20), wasAccepted: true, isWhole: true) == .believe)
        #expect(judge(0, 250, before: (4_900, 20), wasAccepted: true, isWhole: true) == .believe)
        #expect(judge(0, 350, before: (4_900, 20), wasAccepted: true, isWhole: true) == .storm)
        #expect(judge(0, 20, before: (10, 190), wasAccepted: true, isWhole: true) == .storm)
        // While more may come, each window stands for itself: the one before would hide a turn for the worse
        // for ever.
        #expect(judge(0, 200, before: (4_900, 0), wasAccepted: true) == .storm)
    }

    @Test func `believes what an earlier window left when the next brought no bad token`() {
        #expect(judge(200, 0) == .believe)
        #expect(judge(0, 0, wasAccepted: true, isWhole: true) == .believe)
        #expect(judge(0, 0, wasAccepted: false, isWhole: true) == .wait)
        #expect(judge(199, 0) == .wait)
    }

    private func answers(_ accepted: Int, _ bad: Int) -> AccountAnswers {
        AccountAnswers(account: AccountKey(rawValue: "a"), accepted: accepted, aboutTokens: bad)
    }
}
