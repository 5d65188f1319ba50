import PushMaster
import PushModel
import Testing

/// What follows for hosts whose clocks are not the store's.
@Suite struct HostClockTests {
    private let t0 = MonotonicTime(nanoseconds: 0)

    private func at(_ milliseconds: Int64) -> MonotonicTime { t0.advanced(byMilliseconds: milliseconds) }

    /// A clock that is ahead by so many seconds since the beginning.
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

    @Test func `a difference counts from more than thirty seconds on, in both directions`() {
        #expect(clock(aheadSeconds: 30).differenceSeconds == nil)
        #expect(clock(aheadSeconds: -30).differenceSeconds == nil)
        #expect(clock(aheadSeconds: 31).differenceSeconds == 31)
        #expect(clock(aheadSeconds: -3_600).differenceSeconds == -3_600)
    }

    @Test func `an answer that was long on its way says nothing`() {
        #expect(clock(aheadSeconds: 60, journey: 1_001).differenceSeconds == nil)
        var known = clock(aheadSeconds: 60)
        known.looked(wall: 0, store: 0, sentAt: t0, now: at(1_001))
        #expect(known.differenceSeconds == 60)
    }

    @Test func `one that sends rests soon where another leads, and at once where it has not begun`() {
        let clock = clock(aheadSeconds: 40)
        let another = (leads: true, sends: true)
        #expect(!rests(clock, another: another, at: HostClock.patienceMilliseconds - 1))
        #expect(rests(clock, another: another, at: HostClock.patienceMilliseconds))
        #expect(rests(clock, another: another, isSending: false, at: 0))
        #expect(!rests(clock, another: (leads: false, sends: true), at: 1_000_000))
    }

    @Test
    func `one that leads gives up when another still sends after all have had time to say that they rest`() {
        let clock = clock(aheadSeconds: 40)
        let another = (leads: false, sends: true)
        #expect(HostClock.leadersPatienceMilliseconds > 2 * HostClock.patienceMilliseconds)
        #expect(!rests(clock, leads: true, another: another, at: HostClock.leadersPatienceMilliseconds - 1))
        #expect(rests(clock, leads: true, another: another, at: HostClock.leadersPatienceMilliseconds))
        #expect(!rests(clock, leads: true, another: (leads: false, sends: false), at: 1_000_000))
    }

    @Test func `a clock that is set right is right at once, and patience begins anew`() {
        var clock = clock(aheadSeconds: 40)
        clock.looked(wall: 100_000, store: 100_000, sentAt: at(4_000), now: at(4_001))
        #expect(!rests(clock, another: (leads: true, sends: true), isSending: false, at: 9_000))
        clock.looked(wall: 140_001, store: 100_000, sentAt: at(10_000), now: at(10_001))
        #expect(!rests(clock, another: (leads: true, sends: true), at: 12_000))
    }
}
