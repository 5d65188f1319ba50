import PushModel
import PushSchedule
import Testing

@Suite struct `The storm rule` {
    private static let account = AccountKey(rawValue: "a")
    private let rule = StormRule()

    /// Returns the evidence from these answers, one span each.
    private func evidence(
        _ spans: (accepted: Int, bad: Int)..., unanswered: Int = 0
    ) -> TrustEvidence {
        var evidence = TrustEvidence()
        for span in spans {
            evidence.hold(verdicts: span.bad)
            evidence.count(
                AccountAnswers(
                    account: Self.account, accepted: span.accepted, aboutTokens: span.bad,
                    unanswered: unanswered))
        }
        return evidence
    }

    private func judge(
        _ evidence: TrustEvidence, devices: Int? = 1_000, isAtRest: Bool = false
    ) -> TrustJudgement {
        rule.judge(evidence, devices: devices, isAtRest: isAtRest)
    }

    @Test func `a few answers neither stop an account nor confirm a verdict`() {
        for bad in 1...20 {
            #expect(judge(evidence((0, bad)), devices: bad, isAtRest: true) == .wait)
            #expect(judge(evidence((10_000, 9), (0, bad)), devices: 10_000, isAtRest: true) != .storm)
        }
        for accepted in 0...6 { #expect(judge(evidence((accepted, 1)), isAtRest: true) == .wait) }
    }

    @Test
    func `a working account's verdicts are believed when it is idle, and otherwise once a window is full`() {
        #expect(judge(evidence((19, 1)), isAtRest: true) == .believe)
        #expect(judge(evidence((19, 1))) == .wait)
        #expect(judge(evidence((199, 1))) == .believe)
        // Six of ten answers are bad.
        #expect(judge(evidence((400, 600)), isAtRest: true) == .believe)
        // The share of bad answers is too large to be normal, but too small for a storm.
        #expect(judge(evidence((250, 750)), isAtRest: true) == .wait)
    }

    @Test
    func `a delivery's last verdicts are believed if its last full window was, unless dead tokens cluster`() {
        var trust = evidence((300, 5))
        trust.noteTrusted()
        #expect(judge(trust, isAtRest: true) == .believe)
        trust.count(AccountAnswers(account: Self.account, aboutTokens: 2))
        #expect(judge(trust, isAtRest: true) == .believe)
        trust.count(AccountAnswers(account: Self.account, aboutTokens: 10))
        #expect(judge(trust, isAtRest: true) == .wait)
    }

    @Test func `an account that is not proved stops when nearly all of its devices seem dead`() {
        #expect(judge(evidence((0, 104)), devices: 104) == .wait)
        #expect(judge(evidence((0, 105)), devices: 105) == .storm)
        #expect(judge(evidence((5, 145)), devices: 150) == .storm)
        #expect(judge(evidence((0, 649)), devices: 1_000) == .wait)
        #expect(judge(evidence((0, 650)), devices: 1_000) == .storm)
        #expect(judge(evidence((0, 19_999)), devices: 10_000_000) == .wait)
        #expect(judge(evidence((0, 20_000)), devices: 10_000_000) == .storm)
    }

    @Test func `a proved account stops only if more tokens are dead than a sound account can have`() {
        let proved: (accepted: Int, bad: Int) = (500, 3)
        #expect(judge(evidence(proved, (0, 1_040)), devices: 1_000) == .wait)
        #expect(judge(evidence(proved, (0, 1_041)), devices: 1_000) == .storm)
        #expect(judge(evidence(proved, (0, 600_000)), devices: 1_000_000) == .wait)
        #expect(judge(evidence(proved, (0, 650_000)), devices: 1_000_000) == .storm)
    }

    @Test func `good answers from an earlier delivery do not vouch for this delivery's tokens`() {
        #expect(judge(evidence((5_000, 20), (0, 150)), devices: 150, isAtRest: true) == .wait)
        #expect(evidence((5_000, 20), (0, 150)).isContradicted)
        // The acceptances that follow do count in favour of these tokens.
        #expect(judge(evidence((5_000, 20), (0, 150), (100, 0)), isAtRest: true) == .believe)
    }

    @Test func `messages without an answer count against a storm and do not confirm a verdict`() {
        #expect(judge(evidence((0, 300), unanswered: 300), devices: 300) == .wait)
        #expect(judge(evidence((0, 1), unanswered: 5_000), isAtRest: true) == .wait)
        #expect(evidence((0, 300), unanswered: 300).isContradicted)
    }

    @Test func `a ratio of 1 means that no storm is declared, and a higher minimum requires more answers`() {
        let all = evidence((0, 5_000))
        let never = StormRule(maxDeadShare: 1)
        #expect(never.judge(all, devices: 10, isAtRest: true) == .wait)
        let careful = StormRule(minRejections: 5_001)
        #expect(careful.judge(all, devices: 10, isAtRest: true) == .wait)
        #expect(StormRule(minRejections: 5_000).judge(all, devices: 10, isAtRest: true) == .storm)
    }

    @Test func `the normal share of dead tokens is learned, and never exceeds 30 percent`() {
        var calm = evidence((10_000, 0))
        #expect(calm.deadPerMillion == TrustEvidence.priorDeadPerMillion)
        for _ in 1...100 {
            calm.count(AccountAnswers(account: Self.account, accepted: 999, aboutTokens: 1))
            calm.noteTrusted()
        }
        #expect((900...3_000).contains(calm.deadPerMillion))
        var old = TrustEvidence()
        for _ in 1...100 {
            old.count(AccountAnswers(account: Self.account, accepted: 400, aboutTokens: 600))
            old.noteTrusted()
        }
        #expect(old.deadPerMillion == 300_000)
    }

    @Test func `verdicts wait for a decision, for acceptances or for a time limit`() {
        let noon = WallMoment(millisecondsSince1970: 43_200_000)
        #expect(rule.wait(of: evidence((4, 1)), since: noon) == .decision)
        #expect(rule.wait(of: evidence((9, 0), (0, 12)), since: noon) == .acceptances)
        #expect(
            rule.wait(of: evidence((9, 0), (0, 11)), since: noon)
                == .time(WallTime(secondsSince1970: 43_200 + 86_400)))
    }

    @Test func `a decision clears the evidence but keeps the account proved`() {
        var trust = evidence((500, 3), (0, 2_000))
        trust.decided()
        #expect(trust.isProved && !trust.isContradicted && trust.storm == 0 && trust.run == .init())
    }
}
