import PushTransport
import Testing

@Suite struct KeepaliveTests {
    private func quiet() -> Keepalive { Keepalive(afterQuiet: 5, whenIdle: 3600, timeout: 10, now: 0) }

    @Test
    func `an idle connection sends a PING after the long interval, and is abandoned if no answer arrives`() {
        var keepalive = quiet()
        #expect(keepalive.check(at: 3599) == .nothing)
        #expect(keepalive.check(at: 3600) == .ping)
        #expect(keepalive.next == 3610)
        #expect(keepalive.check(at: 3609) == .nothing)
        #expect(keepalive.check(at: 3610) == .giveUp)
    }

    @Test func `pending answers lead to a PING after the short interval, counted from when they became due`()
    {
        var keepalive = quiet()
        keepalive.answersDue(at: 100)
        keepalive.answersDue(at: 104)
        #expect(keepalive.next == 105)
        #expect(keepalive.check(at: 105) == .ping)
        #expect(keepalive.received(at: 106) == true)
        #expect(keepalive.next == 111)
        keepalive.nothingDue()
        #expect(keepalive.next == 3706)
    }

    @Test func `any received byte counts as a sign of life`() {
        var keepalive = quiet()
        keepalive.answersDue(at: 0)
        #expect(keepalive.received(at: 4) == false)
        #expect(keepalive.check(at: 8) == .nothing)
        #expect(keepalive.check(at: 9) == .ping)
    }
}
