import PushMaster
import PushModel
import PushSchedule
import PushWire
import TestSupport
import Testing

@Suite struct MasterCountersTests {
    private static func account(_ name: String) -> AccountDefinition {
        AccountDefinition(
            name: name, mark: AccountKey(rawValue: "\(name) #1"), terms: AccountLimits(),
            order: AccountOrder(
                account: 1, connector: .stub, environment: .production,
                credential: OpaqueCredential(bytes: []),
                gateway: GatewayOrder()))
    }

    @Test func `accounts with the same name are counted together, and forgotten accounts keep their sums`() {
        var counters = MasterCounters()
        let accounts: [AccountID: AccountDefinition] = [1: Self.account("a"), 2: Self.account("a")]
        counters.count(.accepted, 3, of: 1, in: accounts)
        counters.forget(1)
        counters.count(.accepted, 4, of: 2, in: accounts)
        counters.count(.rejected, of: 1, in: accounts)
        #expect(counters.figures.accounts.map(\.name) == ["a"])
        #expect(counters.figures.accounts[0].answers == [7, 1, 0, 0, 0, 0])
    }

    @Test func `the number of account names and of reasons is limited`() {
        var counters = MasterCounters()
        var accounts: [AccountID: AccountDefinition] = [:]
        for number in 1...UInt32(MasterFigures.maxAccounts + 50) {
            accounts[AccountID(rawValue: number)] = Self.account("account \(number)")
        }
        for id in accounts.keys.sorted() { counters.count(.accepted, of: id, in: accounts) }
        let figures = counters.figures.accounts
        #expect(figures.count == MasterFigures.maxAccounts + 1)
        #expect(figures.first { $0.name == MasterFigures.others }?.answers[0] == 50)
        for number in 1...500 { counters.count(reason: "word \(number)", of: .rejected) }
        let reasons = counters.figures.reasons
        #expect(reasons.count == MasterFigures.maxReasons + 1)
        let others = MasterFigures.Reason(answer: .rejected, word: MasterFigures.others)
        #expect(reasons[others] == UInt64(500 - MasterFigures.maxReasons))
    }

    @Test func `a child's heartbeats are added up`() {
        var counters = MasterCounters()
        var beat = AccountBeat(account: 1, inFlight: 0, window: 0, openConnections: 0)
        counters.add(beat, in: [1: Self.account("a")])
        #expect(counters.figures.accounts.isEmpty)
        beat.waits.add(nanoseconds: 5_000_000, count: 2)
        beat.answers.add(nanoseconds: 9_000_000)
        for _ in 0..<3 { counters.add(beat, in: [1: Self.account("a")]) }
        #expect(counters.figures.accounts[0].waits.total == 6)
        #expect(counters.figures.accounts[0].gateway.total == 3)
    }

    @Test func `each way in which a child can end has a name`() {
        var counters = MasterCounters()
        counters.childEnded(ChildEnding(isClean: true, isCrash: false, text: ""))
        counters.childEnded(ChildEnding(isClean: false, isCrash: true, text: ""))
        counters.childEnded(ChildEnding(isClean: false, isCrash: false, text: ""))
        counters.childEnded(nil)
        let ends = counters.figures.childrenEnded
        #expect(ends == ["orderly": 1, "crashed": 1, "killed": 1, "not_started": 1])
    }
}
