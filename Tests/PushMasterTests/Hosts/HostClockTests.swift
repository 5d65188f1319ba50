import PushMaster
import PushModel
import Testing

/// Tests the consequences for hosts whose clocks differ from the store's clock.
@Suite struct HostClockTests {
    private let t0 = MonotonicTime(nanoseconds: 0)

    private func at(_ milliseconds: Int64) -> MonotonicTime { t0.advanced(byMilliseconds: milliseconds) }

    /// Returns a clock that has always been ahead by the given number of seconds.
    private func clock(aheadSeconds ahead: Int64, journey: Int64 = 2) -> HostClock {
        var clock = HostClock()
        clock.looked(wall: 100_000 + ahead * 1_000, store: 100_000, sentAt: at(-journey), now: t0)
        return clock
    }

    private func rests(
        _ clock: HostClock, leads: Bool = false, another: (leads: Bool, sends: Bool), isSending: Bool = true,
        at milliseconds: Int64
    ) -> Bool {
        clock.rests(leads: leads, another: another, isSending: isSending, at: at(milliseconds))
    }

    @Test func `a clock difference counts if it exceeds thirty seconds, in either direction`() {
        #expect(clock(aheadSeconds: 30).differenceSeconds == nil)
        #expect(clock(aheadSeconds: -30).differenceSeconds == nil)
        #expect(clock(aheadSeconds: 31).differenceSeconds == 31)
        #expect(clock(aheadSeconds: -3_600).differenceSeconds == -3_600)
    }

    @Test func `an answer that took long to arrive is not used to judge the clock`() {
        #expect(clock(aheadSeconds: 60, journey: 1_001).differenceSeconds == nil)
        var known = clock(aheadSeconds: 60)
        known.looked(wall: 0, store: 0, sentAt: t0, now: at(1_001))
        #expect(known.differenceSeconds == 60)
    }

    @Test
    func
        `if another host leads, a host with a wrong clock stops sending after a while, or at once if it sends nothing`()
    {
        let clock = clock(aheadSeconds: 40)
        let another = (leads: true, sends: true)
        #expect(!rests(clock, another: another, at: HostClock.patienceMilliseconds - 1))
        #expect(rests(clock, another: another, at: HostClock.patienceMilliseconds))
        #expect(rests(clock, another: another, isSending: false, at: 0))
        #expect(!rests(clock, another: (leads: false, sends: true), at: 1_000_000))
    }

    @Test func `a leader with a wrong clock gives up if another host still sends after the time to stop`() {
        let clock = clock(aheadSeconds: 40)
        let another = (leads: false, sends: true)
        #expect(HostClock.leadersPatienceMilliseconds > 2 * HostClock.patienceMilliseconds)
        #expect(!rests(clock, leads: true, another: another, at: HostClock.leadersPatienceMilliseconds - 1))
        #expect(rests(clock, leads: true, another: another, at: HostClock.leadersPatienceMilliseconds))
        #expect(!rests(clock, leads: true, another: (leads: false, sends: false), at: 1_000_000))
    }

    @Test func `a corrected clock counts as right immediately, and the waiting time starts again`() {
        var clock = clock(aheadSeconds: 40)
        clock.looked(wall: 100_000, store: 100_000, sentAt: at(4_000), now: at(4_001))
        #expect(!rests(clock, another: (leads: true, sends: true), isSending: false, at: 9_000))
        clock.looked(wall: 140_001, store: 100_000, sentAt: at(10_000), now: at(10_001))
        #expect(!rests(clock, another: (leads: true, sends: true), at: 12_000))
    }
}
