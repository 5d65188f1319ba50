import PushModel
import PushSchedule
import Testing

@Suite struct `An account's breaker` {
    let t0 = MonotonicTime(nanoseconds: 0)
    func at(_ seconds: Int64) -> MonotonicTime { t0.advanced(bySeconds: seconds) }

    @Test func `the breaker is open initially`() {
        let breaker = AccountBreaker()
        #expect(breaker.allowance(at: t0) == .all)
        #expect(breaker.nextMoment == nil)
    }

    @Test func `the breaker closes on trouble, then admits one probe, and opens when the probe is accepted`()
    {
        var breaker = AccountBreaker()
        breaker.met(.unreachable, reason: "no connection", at: t0, jitter: { $0 })
        #expect(breaker.allowance(at: t0) == .none)
        #expect(breaker.reason == "no connection")
        #expect(breaker.allowance(at: at(1)) == .one)
        breaker.probeStarted()
        #expect(breaker.allowance(at: at(2)) == .none)
        breaker.proved()
        #expect(breaker.allowance(at: at(2)) == .all)
        #expect(breaker.reason == "")
    }

    @Test(arguments: [
        (AccountBreaker.Failure.unreachable, [1, 2, 4, 8, 16, 32, 60, 60]),
        (.refused, [30, 60, 120, 240, 480, 900, 900]),
    ])
    func `each failed probe doubles the breaker's wait`(failure: AccountBreaker.Failure, seconds: [Int64]) {
        var breaker = AccountBreaker()
        var now = t0
        for wait in seconds {
            breaker.met(failure, reason: "", at: now, jitter: { $0 })
            #expect(breaker.nextMoment == now.advanced(bySeconds: wait))
            now = now.advanced(bySeconds: wait)
            #expect(breaker.allowance(at: now) == .one)
            breaker.probeStarted()
        }
    }

    @Test func `probes of a gateway that refuses every message stay within the hourly cap`() {
        var breaker = AccountBreaker()
        var now = t0
        var attempts = 0
        while now < at(2 * 3_600) {
            breaker.met(.unreachable, reason: "", at: now, jitter: { $0 })
            attempts += 1
            now = breaker.nextMoment ?? now
            breaker.probeStarted()
            // Each probe connects and proves the account, and then the connection is immediately lost.
            breaker.proved()
        }
        #expect(attempts <= 3 * 120)
        #expect(attempts >= 2 * 120)
    }

    @Test func `the breaker treats a burst of the same trouble as one event`() {
        var breaker = AccountBreaker()
        for _ in 0..<100 { breaker.met(.refused, reason: "", at: t0, jitter: { $0 }) }
        #expect(breaker.nextMoment == at(30))
    }

    @Test func `answers to messages that were sent before the trouble do not open the breaker`() {
        var breaker = AccountBreaker()
        breaker.met(.refused, reason: "", at: t0, jitter: { $0 })
        breaker.proved()
        #expect(breaker.allowance(at: t0) == .none)
    }

    @Test func `the breaker probes again one second after a probe that ended without a result`() {
        var breaker = AccountBreaker()
        breaker.met(.refused, reason: "", at: t0, jitter: { $0 })
        breaker.probeStarted()
        breaker.probeEnded(at: at(31))
        #expect(breaker.allowance(at: at(31)) == .none)
        #expect(breaker.allowance(at: at(32)) == .one)
    }

    @Test func `the breaker waits for as long as the gateway requests, and opens on the first acceptance`() {
        var breaker = AccountBreaker()
        breaker.pause(seconds: 90, reason: "Retry-After 90 s", at: t0)
        #expect(breaker.allowance(at: at(89)) == .none)
        #expect(breaker.reason == "Retry-After 90 s")
        breaker.pause(seconds: 10, reason: "shorter", at: at(1))
        #expect(breaker.nextMoment == at(90))
        #expect(breaker.allowance(at: at(90)) == .one)
        breaker.probeStarted()
        breaker.proved()
        #expect(breaker.isWorking)
    }

    @Test(arguments: [86_400, 7_200, Int64.max] as [Int64])
    func `a pause lasts at most one hour, whatever the gateway requests, with a probe every few minutes`(
        seconds: Int64
    ) {
        var breaker = AccountBreaker()
        breaker.pause(seconds: seconds, reason: "Retry-After", at: t0)
        #expect(breaker.waitEnd == at(3_600))
        var now = t0
        var probes = 0
        while let next = breaker.nextMoment, next < at(3_600) {
            #expect(next == now.advanced(bySeconds: 180))
            now = next
            #expect(breaker.allowance(at: now) == .one)
            breaker.probeStarted()
            // The probe is answered with 503 without a requested delay, or its child is lost.
            breaker.probeEnded(at: now)
            probes += 1
        }
        #expect(probes == 19)
        #expect(breaker.nextMoment == at(3_600) && breaker.waitEnd == at(3_600))
        breaker.probeStarted()
        breaker.probeEnded(at: at(3_600))
        #expect(breaker.nextMoment == at(3_601))
    }

    @Test func `an accepted probe ends a pause, and an operator can end it too`() {
        var breaker = AccountBreaker()
        breaker.pause(seconds: 3_600, reason: "Retry-After", at: t0)
        breaker.probeStarted()
        #expect(breaker.waitEnd == at(3_600))
        breaker.proved()
        #expect(breaker.isWorking && breaker.waitEnd == nil)
        breaker.pause(seconds: 3_600, reason: "Retry-After", at: t0)
        breaker.repaired(at: at(5))
        #expect(breaker.allowance(at: at(5)) == .one && breaker.waitEnd == at(5))
        breaker.probeStarted()
        breaker.probeEnded(at: at(6))
        #expect(breaker.nextMoment == at(7))
    }

    @Test func `a fix during a probe resets the breaker's wait to its initial length`() {
        var breaker = AccountBreaker()
        var now = t0
        for _ in 0..<6 {
            breaker.met(.refused, reason: "old topic", at: now, jitter: { $0 })
            now = breaker.nextMoment ?? now
            breaker.probeStarted()
        }
        breaker.repaired(at: now)
        #expect(breaker.state == .probing)
        breaker.met(.refused, reason: "old topic", at: now, jitter: { $0 })
        #expect(breaker.nextMoment == now.advanced(bySeconds: 30))
    }

    @Test func `the breaker's delay varies at random`() {
        var breaker = AccountBreaker()
        breaker.met(.refused, reason: "", at: t0, jitter: { $0 - 1_000 })
        #expect(breaker.nextMoment == at(29))
    }
}
