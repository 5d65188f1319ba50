import GatewayKit
import PushConnectors
import PushModel
import Testing

@Suite struct `A connection's window` {
    func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    @Test func `the window imposes no limit until there is trouble`() {
        let window = SendWindow()
        #expect(!window.isLimited)
        #expect(window.credit(of: 1_000, inFlight: 500) == 1_000)
    }

    @Test func `the window halves the number in flight, once for all answers in one burst`() {
        var window = SendWindow()
        for millisecond in Int64(0)..<100 { window.slowDown(inFlight: 800, at: at(millisecond)) }
        #expect(window.limit == 400)
        #expect(window.credit(of: 1_000, inFlight: 390) == 10)
        #expect(window.credit(of: 1_000, inFlight: 800) == 0)
        window.slowDown(inFlight: 400, at: at(1_000))
        #expect(window.limit == 200)
    }

    @Test func `the window never closes completely, because it could not reopen`() {
        var window = SendWindow()
        for second in Int64(0)..<20 { window.slowDown(inFlight: 1, at: at(second * 1_000)) }
        #expect(window.limit == 1)
        #expect(window.credit(of: 5, inFlight: 0) == 1)
    }

    @Test func `the window grows by one after each full window of answers, up to the gateway's own limit`() {
        var window = SendWindow()
        window.slowDown(inFlight: 8, at: at(0))
        #expect(window.limit == 4)
        for _ in 0..<4 { window.answered(allowed: 8) }
        #expect(window.limit == 5)
        for _ in 0..<(5 + 6 + 7) { window.answered(allowed: 8) }
        #expect(!window.isLimited, "the gateway's limit is the narrower again")
    }

    @Test func `the window restarts its growth after trouble during growth`() {
        var window = SendWindow()
        window.slowDown(inFlight: 8, at: at(0))
        for _ in 0..<3 { window.answered(allowed: 8) }
        window.slowDown(inFlight: 4, at: at(2_000))
        #expect(window.limit == 2)
        window.answered(allowed: 8)
        #expect(window.limit == 2)
    }
}
