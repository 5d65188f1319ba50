import PushModel
import PushQueue
import Testing

@Suite struct TallyTests {
    private let sent = TallyKey(.sent, minute: 28_333_333)
    private let failed = TallyKey(.failed, cause: .bad, minute: 28_333_334)

    @Test func `keys contain state, cause and minute`() {
        #expect(failed.state == .failed && failed.cause == .bad && failed.minute == 28_333_334)
        #expect(TallyKey(.pending, minute: 5) == TallyKey(.pending, minute: 6))
        #expect(TallyKey(.excluded, cause: CauseCode(rawValue: 255), minute: .max).minute == Int(UInt32.max))
        #expect(TallyKey(.sent, minute: -1).minute == 0)
    }

    @Test func `sums and changes add up, and zero entries disappear`() {
        var tally = Tally()
        tally.add(3, to: sent)
        tally.add(2, to: failed)
        var change = Tally()
        change.add(-2, to: failed)
        change.add(2, to: sent)
        #expect(change.counts.sent == 2 && change.counts.failed == -2 && change.counts.targeted == 0)
        tally += change
        #expect(tally[sent] == 5 && tally[failed] == 0)
        #expect(tally.entries.count == 1)
        tally.add(-5, to: sent)
        #expect(tally == Tally() && tally.isEmpty)
    }

    @Test func `tallies can be summed into counts, causes and minutes`() {
        var tally = Tally()
        tally.add(3, to: sent)
        tally.add(4, to: TallyKey(.sent, minute: 28_333_335))
        tally.add(2, to: failed)
        tally.add(5, to: TallyKey(.failed, cause: .bad, minute: 28_333_300))
        tally.add(1, to: TallyKey(.excluded, cause: .disabled, minute: 1))
        tally.add(6, to: TallyKey(.pending, minute: 0))
        #expect(tally.counts.sent == 7 && tally.counts.failed == 7 && tally.counts.excluded == 1)
        #expect(tally.counts.targeted == 20 && tally.counts.isBalanced)
        #expect(tally.withoutMinutes[TallyKey(.failed, cause: .bad, minute: 0)] == 7)
        #expect(tally.withoutMinutes.entries.count == 4)
        #expect(tally.sentByMinute.map(\.minute) == [28_333_333, 28_333_335])
        #expect(tally.sentByMinute.map(\.count) == [3, 4])
    }

    @Test func `tallies are kept for each app`() throws {
        let (one, two) = (AppID(rawValue: 1), AppID(rawValue: 2))
        let parts = [(two, 5), (one, 3), (two, 4)]
        let recount = TallyByApp.recount(
            try parts.map { (app: $0, states: try PartStates(pending: $1, since: noon)) })
        #expect(recount[one].counts.pending == 3 && recount[two].counts.pending == 9)
        #expect(recount[AppID(rawValue: 3)].isEmpty)
        #expect(recount.entries.map(\.app) == [one, two])
        var sum = recount
        var change = Tally()
        change.add(-3, to: TallyKey(.pending, minute: 0))
        sum.add(change, of: one)
        #expect(sum.entries.map(\.app) == [two])
    }
}
