import PushMaster
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests what a host may do, depending on the answers that it received and their times. One host serves, and
/// the others stand by.
@Suite struct HostLeaseTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(byMilliseconds: milliseconds)
    }

    private func holder(_ word: Int64, of host: String = "a") -> SeenHost {
        SeenHost(host: host, name: host, session: "session of \(host)", generation: 1, word: word)
    }

    @Test
    func `a host starts immediately if no other host shares the store, or after the other host's goodbye`() {
        var lease = HostLease(host: "b")
        #expect(lease.looked(at: holder(1), sentAt: at(0), now: at(1)) == .wait)
        #expect(lease.looked(at: nil, sentAt: at(2), now: at(3)) == .takeOver(from: nil))
        lease.tookOver(generation: 2, sentAt: at(4))
        #expect(lease.role == .serving(generation: 2))
        #expect(lease.sendsUntil == at(15_004))
    }

    @Test func `the wait for a silent host counts from the answer that showed the host's last report`() {
        var lease = HostLease(host: "b")
        #expect(lease.looked(at: holder(1), sentAt: at(0), now: at(500)) == .wait)
        #expect(lease.looked(at: holder(1), sentAt: at(20_499), now: at(30_000)) == .wait)
        #expect(
            lease.looked(at: holder(1), sentAt: at(20_500), now: at(20_501)) == .takeOver(from: holder(1)))
        // Any other report restarts the wait, even an earlier report.
        #expect(lease.looked(at: holder(0), sentAt: at(20_502), now: at(20_503)) == .wait)
        #expect(lease.looked(at: holder(0), sentAt: at(40_502), now: at(40_503)) == .wait)
        #expect(
            lease.looked(at: holder(0), sentAt: at(40_503), now: at(40_504)) == .takeOver(from: holder(0)))
    }

    @Test func `the wait starts again after the connection was lost`() {
        var lease = HostLease(host: "b")
        #expect(lease.looked(at: holder(1), sentAt: at(0), now: at(1)) == .wait)
        lease.lostConnection()
        #expect(lease.looked(at: holder(1), sentAt: at(25_000), now: at(25_001)) == .wait)
        #expect(
            lease.looked(at: holder(1), sentAt: at(45_001), now: at(45_002)) == .takeOver(from: holder(1)))
    }

    @Test func `a host takes over immediately from an earlier process on the same host`() {
        var lease = HostLease(host: "a")
        #expect(lease.looked(at: holder(7), sentAt: at(0), now: at(1)) == .takeOver(from: holder(7)))
    }

    @Test func `a slow answer does not extend the lease, and an earlier answer does not shorten it`() {
        var lease = HostLease(host: "a")
        lease.tookOver(generation: 1, sentAt: at(0))
        lease.renewed(sentAt: at(2_000))
        lease.renewed(sentAt: at(1_000))
        #expect(lease.sendsUntil == at(17_000))
        lease.renewed(sentAt: at(3_000))
        #expect(lease.sendsUntil == at(18_000))
    }

    @Test func `an ended lease stays ended`() {
        var lease = HostLease(host: "a")
        lease.renewed(sentAt: at(0))
        #expect(lease.sendsUntil == nil)
        lease.tookOver(generation: 1, sentAt: at(0))
        lease.end()
        lease.renewed(sentAt: at(1))
        lease.tookOver(generation: 2, sentAt: at(1))
        #expect(lease.role == .over && lease.sendsUntil == nil)
        #expect(lease.looked(at: nil, sentAt: at(3), now: at(4)) == .wait)
    }

    @Test(arguments: [Int64.min, 0, 1, 200, 1_000, 20_000, 3_600_000])
    func `for any setting, one host stops before another host begins`(milliseconds: Int64) {
        let times = HostLease.Times(takeOverMilliseconds: milliseconds)
        #expect(times.renewalMilliseconds * 4 <= times.takeOverMilliseconds)
        #expect((1...1_000).contains(times.renewalMilliseconds))
        #expect(times.sendingMilliseconds + times.takeOverMilliseconds / 4 <= times.takeOverMilliseconds)
    }

    @Test func `the times match those in the documentation`() {
        let times = HostLease.Times.standard
        #expect(times.renewalMilliseconds == 1_000)
        #expect(times.sendingMilliseconds == 15_000 && times.takeOverMilliseconds == 20_000)
    }
}
