import Glibc
import PushModel
import PushWire
import TestSupport
import Testing

/// A child goes by the end of its host's lease, as its own clock has it.
@Suite struct ChildLeaseTests {
    /// Seconds from now, as the child's clock has it.
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

    @Test func `after the lease no message goes to a gateway, and with the next one those that waited do`()
        throws
    {
        let master = try working(moment(-1))
        try master.grant(1, messages: 1...10)
        // The first may come before the grant; with a lease nothing would wait any more at the second.
        var waiting: UInt32 = 0
        for _ in 0..<3 where waiting == 0 {
            if case .heartbeat(let beat) = try master.next(.heartbeat) { waiting = beat.waiting }
        }
        #expect(waiting == 10)
        try master.send(.lease(until: moment(3_600)))
        #expect(try master.outcomes(10).accepted.sorted() == Array(1...10))
    }

    @Test func `what waits without a lease is given back when the child is told to end`() throws {
        let master = try working(moment(-1))
        try master.grant(1, messages: 1...10)
        try master.send(.drain)
        #expect(try master.outcomes(10).requeued.sorted() == Array(1...10))
        #expect(master.end() == .returned)
    }

    @Test func `a host that shares its store with nobody needs none`() throws {
        let master = try working(nil)
        try master.grant(1, messages: 1...10)
        #expect(try master.outcomes(10).accepted.count == 10)
    }
}
