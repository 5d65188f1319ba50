import Glibc
import PushModel
import PushWire
import TestSupport
import Testing

/// Tests that a child obeys the end of its host's lease, measured by the child's clock.
@Suite struct ChildLeaseTests {
    /// Returns a moment this number of seconds from now, by the child's clock.
    private func moment(_ seconds: Int64) -> MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
            .advanced(bySeconds: seconds)
    }

    private func working(_ lease: MonotonicTime?) throws -> MasterEnd {
        let master = try MasterEnd()
        if let lease { try master.send(.lease(until: lease)) }
        try master.account()
        try master.job(1, delivery: 1)
        return master
    }

    @Test
    func `after its lease ends, a child sends no message to a gateway, and the next lease lets it send them`()
        throws
    {
        let master = try working(moment(-1))
        try master.grant(1, messages: 1...10)
        // The first heartbeat may precede the grant. If the lease were valid, no message would still be
        // waiting at the second heartbeat.
        var waiting: UInt32 = 0
        for _ in 0..<3 where waiting == 0 {
            if case .heartbeat(let beat) = try master.next(.heartbeat) { waiting = beat.waiting }
        }
        #expect(waiting == 10)
        try master.send(.lease(until: moment(3_600)))
        #expect(try master.outcomes(10).accepted.sorted() == Array(1...10))
    }

    @Test func `messages that wait without a lease are returned when the child is asked to end`() throws {
        let master = try working(moment(-1))
        try master.grant(1, messages: 1...10)
        try master.send(.drain)
        #expect(try master.outcomes(10).requeued.sorted() == Array(1...10))
        #expect(master.end() == .returned)
    }

    @Test func `a host that shares its store with no other host needs no lease`() throws {
        let master = try working(nil)
        try master.grant(1, messages: 1...10)
        #expect(try master.outcomes(10).accepted.count == 10)
    }
}
