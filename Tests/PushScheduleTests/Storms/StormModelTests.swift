import TestSupport
import Testing

/// Tests the promise about storms and verdicts with many simulated accounts of 1 to 10 000 000 devices: no
/// sound account is stopped, and no account with only wrong tokens has its devices disabled.
@Suite struct StormModelTests {
    /// `make chaos` simulates a million accounts.
    private static let accounts = Environment.number("PUSHMTA_STORM_ACCOUNTS") ?? 20_000

    /// The maximum number of devices that an account can lose if it was proved and its tokens then became
    /// wrong. While the answers are too few to contradict that the account is sound, verdicts are applied
    /// after a day. A change of credential, topic or environment ends this.
    private static let mostOfTurned = 11

    private struct Figures {
        var accounts = 0
        var answers = 0
        var storms = 0
        /// The number of accounts whose verdicts were applied, and the number of these verdicts.
        var believed = 0
        var applied = 0
        var mostApplied = 0
        /// The number of accounts whose verdicts are still waiting.
        var waiting = 0

        mutating func add(_ account: SimulatedAccount) {
            accounts += 1
            answers += account.answers
            if account.hasStormed { storms += 1 }
            if account.applied > 0 { believed += 1 }
            applied += account.applied
            mostApplied = max(mostApplied, account.applied)
            if account.held > 0, !account.hasStormed { waiting += 1 }
        }
    }

    @Test
    func `no sound account is stopped, and no account with only wrong answers has its devices disabled`() {
        var figures: [SimulatedAccount.Kind: Figures] = [:]
        var (missed, unheld) = (0, 0)
        var chance = SeededRandom(seed: 20_261_125)
        for number in 0..<Self.accounts {
            var account = SimulatedAccount(&chance)
            account.run()
            figures[account.kind, default: Figures()].add(account)
            switch account.kind {
            case .soundAndNew, .soundAndProved:
                if account.hasStormed { Issue.record("account \(number) is sound and stopped: \(account)") }
                let isClear = account.devices >= 1_000 && account.closing == 0 && account.deadShare < 0.5
                if isClear, account.arrangement.dead >= 100, account.applied == 0 { missed += 1 }
            case .unsound:
                if account.applied > 0 {
                    Issue.record("account \(number) is unsound and believed: \(account)")
                }
                if account.devices >= 400, account.closing == 0, !account.hasStormed { unheld += 1 }
            case .turnedUnsound:
                if account.applied > Self.mostOfTurned {
                    Issue.record("account \(number) turned unsound and was believed: \(account)")
                }
            }
        }
        #expect(missed == 0, "large sound accounts whose dead tokens are never quarantined")
        #expect(unheld == 0, "large accounts in which everything is wrong that never stop")
        for kind in SimulatedAccount.Kind.allCases {
            guard let found = figures[kind] else { continue }
            print(
                "storm model, \(kind): \(found.accounts) accounts, \(found.answers) answers, \(found.storms) storms, "
                    + "\(found.applied) verdicts applied of \(found.believed) accounts, \(found.mostApplied) at most, "
                    + "\(found.waiting) accounts with verdicts that wait")
        }
    }
}
