import PushModel
import PushSchedule
import Testing

@Suite struct `An account's gate` {
    let t0 = MonotonicTime(nanoseconds: 0)
    func at(_ seconds: Int64) -> MonotonicTime { t0.advanced(bySeconds: seconds) }

    @Test func `is open at first`() {
        let gate = AccountGate()
        #expect(gate.allowance(at: t0) == .all)
        #expect(gate.nextMoment == nil)
    }

    @Test func `closes on trouble, lets one through afterwards, and opens on its acceptance`() {
        var gate = AccountGate()
        gate.met(.unreachable, reason: "no connection", at: t0, jitter: { $0 })
        #expect(gate.allowance(at: t0) == .none)
        #expect(gate.reason == "no connection")
        #expect(gate.allowance(at: at(1)) == .one)
        gate.probeStarted()
        #expect(gate.allowance(at: at(2)) == .none)
        gate.proved()
        #expect(gate.allowance(at: at(2)) == .all)
        #expect(gate.reason == "")
    }

    @Test(arguments: [
        (AccountGate.Trouble.unreachable, [1, 2, 4, 8, 16, 32, 60, 60]),
        (.refused, [30, 60, 120, 240, 480, 900, 900]),
    ])
    func `waits twice as long after each probe that fails`(trouble: AccountGate.Trouble, seconds: [Int64]) {
        var gate = AccountGate()
        var now = t0
        for wait in seconds {
            gate.met(trouble, reason: "", at: now, jitter: { $0 })
            #expect(gate.nextMoment == now.advanced(bySeconds: wait))
            now = now.advanced(bySeconds: wait)
            #expect(gate.allowance(at: now) == .one)
            gate.probeStarted()
        }
    }

    @Test func `knocks at a gateway that lets nobody in no more than its hourly cap`() {
        var gate = AccountGate()
        var now = t0
        var attempts = 0
        while now < at(2 * 3_600) {
            gate.met(.unreachable, reason: "", at: now, jitter: { $0 })
            attempts += 1
            now = gate.nextMoment ?? now
            gate.probeStarted()
            // Each probe connects and proves the account, and the connection is lost at once.
            gate.proved()
        }
        #expect(attempts <= 3 * 120)
        #expect(attempts >= 2 * 120)
    }

    @Test func `takes a burst of the same trouble as one`() {
        var gate = AccountGate()
        for _ in 0..<100 { gate.met(.refused, reason: "", at: t0, jitter: { $0 }) }
        #expect(gate.nextMoment == at(30))
    }

    @Test func `is not opened by answers to messages that were out before`() {
        var gate = AccountGate()
        gate.met(.refused, reason: "", at: t0, jitter: { $0 })
        gate.proved()
        #expect(gate.allowance(at: t0) == .none)
    }

    @Test func `asks again a second later when a probe ended without news`() {
        var gate = AccountGate()
        gate.met(.refused, reason: "", at: t0, jitter: { $0 })
        gate.probeStarted()
        gate.probeEnded(at: at(31))
        #expect(gate.allowance(at: at(31)) == .none)
        #expect(gate.allowance(at: at(32)) == .one)
    }

    @Test func `rests for as long as the gateway asks, and opens on the first acceptance`() {
        var gate = AccountGate()
        gate.pause(seconds: 90, reason: "Retry-After 90 s", at: t0)
        #expect(gate.allowance(at: at(89)) == .none)
        #expect(gate.reason == "Retry-After 90 s")
        gate.pause(seconds: 10, reason: "shorter", at: at(1))
        #expect(gate.nextMoment == at(90))
        #expect(gate.allowance(at: at(90)) == .one)
        gate.probeStarted()
        gate.proved()
        #expect(gate.isOpen)
    }

    @Test func `that is mended while a probe is out waits no longer for it than the first time`() {
        var gate = AccountGate()
        var now = t0
        for _ in 0..<6 {
            gate.met(.refused, reason: "old topic", at: now, jitter: { $0 })
            now = gate.nextMoment ?? now
            gate.probeStarted()
        }
        gate.mended(at: now)
        #expect(gate.state == .probing)
        gate.met(.refused, reason: "old topic", at: now, jitter: { $0 })
        #expect(gate.nextMoment == now.advanced(bySeconds: 30))
    }

    @Test func `lets jitter move the delay`() {
        var gate = AccountGate()
        gate.met(.refused, reason: "", at: t0, jitter: { $0 - 1_000 })
        #expect(gate.nextMoment == at(29))
    }
}
