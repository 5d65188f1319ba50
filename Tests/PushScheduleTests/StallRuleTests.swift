import PushModel
import PushSchedule
import Testing

@Suite struct StallRuleTests {
    private let account = AccountID(rawValue: 1)
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)
    private func at(_ seconds: Int64) -> MonotonicTime { start.advanced(bySeconds: seconds) }

    /// Returns the changes that are reported for an account that is checked in each of these seconds, keyed
    /// by second.
    private func told(
        _ rule: inout StallRule<AccountID>, _ seconds: ClosedRange<Int64>,
        isDue: (Int64) -> Bool = { _ in true }
    ) -> [Int64: StallRule<AccountID>.Change] {
        var told: [Int64: StallRule<AccountID>.Change] = [:]
        for second in seconds {
            told[second] = rule.look(at: account, isDue: isDue(second), now: at(second))
        }
        return told
    }

    @Test func `work that makes no progress for a minute is reported once`() {
        var rule = StallRule<AccountID>()
        #expect(told(&rule, 0...600) == [60: .began])
        #expect(rule.isStalled(account))
        #expect(rule.secondsWaited(account, at: at(600)) == 600)
    }

    @Test func `a good answer restarts the minute and ends a stall`() {
        var rule = StallRule<AccountID>()
        #expect(told(&rule, 0...59).isEmpty)
        let wasReported = rule.answered(account, at: at(59))
        #expect(!wasReported)
        #expect(told(&rule, 60...200) == [119: .began])
        let isOver = rule.answered(account, at: at(201))
        #expect(isOver && !rule.isStalled(account))
        #expect(told(&rule, 202...300) == [261: .began], "a second stall is reported like the first")
    }

    @Test func `work on hold is not stalled, and its minute begins when it is released`() {
        var rule = StallRule<AccountID>()
        #expect(told(&rule, 0...300) { $0 > 100 } == [161: .began])
        #expect(told(&rule, 301...301) { _ in false } == [301: .ended])
        #expect(told(&rule, 302...400) { _ in false }.isEmpty)
    }

    @Test func `nothing is reported for an unknown or forgotten account`() {
        var rule = StallRule<AccountID>()
        let wasReported = rule.answered(account, at: start)
        #expect(!wasReported && !rule.isStalled(account))
        _ = told(&rule, 0...60)
        rule.forget(account)
        #expect(!rule.isStalled(account))
        #expect(told(&rule, 61...100).isEmpty)
    }

    @Test func `if several causes explain a stall, the first one is reported`() {
        var snapshot = StallCause.Snapshot()
        snapshot.childFailure = "exit status 1"
        #expect(StallCause(snapshot) == .noChild("exit status 1"))
        snapshot.workingChildren = 1
        #expect(StallCause(snapshot) == .noCapacity)
        snapshot.outstanding = 5
        #expect(StallCause(snapshot) == .notRead)
        snapshot.isServed = true
        #expect(StallCause(snapshot) == .noConnection)
        snapshot.inFlight = 3
        #expect(StallCause(snapshot) == .noAnswer(requests: 3))
        snapshot.lastFailure = "InternalServerError"
        #expect(StallCause(snapshot) == .onlyFailures("InternalServerError"))
        snapshot.storeFailure = "no space is left"
        #expect(StallCause(snapshot) == .store("no space is left"))
        #expect("\(StallCause(snapshot))".contains("no space is left"))
    }

    @Test(arguments: [
        StallCause.held(.waiting("Unreachable")), .held(.quota(perMinute: 600)), .noChild(""), .notRead,
        .noCapacity, .noConnection, .noAnswer(requests: 3), .onlyFailures("InternalServerError"),
    ])
    func `each cause of a stall states what to do, or that the engine tries again`(cause: StallCause) {
        let text = "\(cause)"
        #expect(["check ", "raise ", "tried again"].contains { text.contains($0) }, "\(text)")
        #expect(!text.contains("\n"))
    }
}
