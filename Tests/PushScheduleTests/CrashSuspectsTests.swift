import PushModel
import PushSchedule
import TestSupport
import Testing

@Suite struct CrashSuspectsTests {
    private let app = AppID(rawValue: 1)

    @Test func `one crash has no effect, and two crashes make a message a suspect`() {
        var suspects = SuspectedRetries()
        _ = suspects.crashed(app, limit: 100, asSuspect: false, isAlone: true) { _ in false }
        #expect(!suspects.isSuspect(app) && suspects.limit(of: app) == nil && !suspects.isEmpty)
        let losses = suspects.crashed(app, limit: 100, asSuspect: false, isAlone: true) { _ in false }
        #expect(losses.isSuspect && losses.alone == 0)
        #expect(suspects.isSuspect(app) && suspects.limit(of: app) == 1)
        #expect(!suspects.isSuspect(AppID(rawValue: 2)))
    }

    @Test func `giving up on a message removes its suspicion`() {
        var suspects = SuspectedRetries()
        for _ in 0..<2 { _ = suspects.crashed(app, limit: 1, asSuspect: false, isAlone: true) { _ in false } }
        for time in 1...Losses.mostAlone {
            let losses = suspects.crashed(app, limit: 1, asSuspect: true, isAlone: true) {
                $0.alone >= Losses.mostAlone
            }
            #expect(losses.alone == time)
        }
        #expect(suspects.isEmpty)
    }

    /// Simulates an app's retries in the order in which they are due. One of the retries crashes every child.
    /// As in a ledger, each grant takes as many retries from the beginning as the limit allows.
    @Test(arguments: 0..<60)
    func `the message that crashes every child is found, and no other message is given up`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        var due = Array(0..<random.below(400) + 1)
        let deadly = due[random.below(due.count)]
        var suspects = SuspectedRetries()
        var givenUp: [Int] = []
        var crashes = 0
        for _ in 0..<5_000 where !due.isEmpty {
            let isSuspect = suspects.isSuspect(app)
            let limit = suspects.limit(of: app) ?? 500
            let granted = Array(due.prefix(limit))
            // Another grant may be with the same child, unless this grant is a suspect's.
            guard granted.contains(deadly) else {
                due.removeFirst(granted.count)
                if isSuspect { suspects.recordSuccess(app, limit: limit) }
                continue
            }
            crashes += 1
            let losses = suspects.crashed(
                app, limit: limit, asSuspect: isSuspect, isAlone: isSuspect || random.below(2) == 0
            ) {
                $0.alone >= Losses.mostAlone && limit == 1
            }
            if losses.alone >= Losses.mostAlone, limit == 1 {
                givenUp += granted
                due.removeFirst(granted.count)
            }
        }
        #expect(due.isEmpty && givenUp == [deadly])
        #expect(crashes <= 40, "\(crashes) children died of it")
    }

    @Test func `suspicions about an app move with the app`() {
        var (from, to) = (SuspectedRetries(), SuspectedRetries())
        for _ in 0..<2 { _ = from.crashed(app, limit: 9, asSuspect: false, isAlone: false) { _ in false } }
        to.set(from.remove(app), of: app)
        #expect(from.isEmpty && to.isSuspect(app) && to.losses(of: app).all == 2)
    }
}
