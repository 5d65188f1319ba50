import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import Testing

@Suite struct OAuthRestTests {
    private let start = MonotonicTime(nanoseconds: 5_000_000_000)

    @Test func `no request is made during the delay that the endpoint demands, with or without a token`()
        throws
    {
        var rest = OAuthBackoff()
        #expect(rest.mayAsk(whileUsable: false, at: start))
        rest.failed(retryAfter: 120, why: "slow_down", at: start)
        for second in [0, 1, 60, 119] as [Int64] {
            let now = start.advanced(bySeconds: second)
            #expect(!rest.mayAsk(whileUsable: false, at: now))
            #expect(!rest.mayAsk(whileUsable: true, at: now))
            let pause = try #require(rest.pause(at: now))
            #expect(pause == (Int32(120 - second), "slow_down"))
        }
        let end = start.advanced(bySeconds: 120)
        #expect(rest.pause(at: end) == nil)
        #expect(rest.mayAsk(whileUsable: false, at: end) && rest.mayAsk(whileUsable: true, at: end))
    }

    @Test
    func `an endpoint that names no delay is contacted again immediately, or soon if a token is usable`() {
        var rest = OAuthBackoff()
        rest.failed(retryAfter: nil, why: "", at: start)
        #expect(rest.mayAsk(whileUsable: false, at: start))
        #expect(!rest.mayAsk(whileUsable: true, at: start.advanced(bySeconds: 9)))
        #expect(rest.mayAsk(whileUsable: true, at: start.advanced(bySeconds: 10)))
        rest.failed(retryAfter: 0, why: "", at: start)
        #expect(rest.pause(at: start) == nil)
    }

    @Test func `the endpoint is contacted again after a few minutes, even if it demands a longer delay`() {
        var rest = OAuthBackoff()
        rest.failed(retryAfter: 86_400, why: "", at: start)
        #expect(rest.pause(at: start)?.seconds == 300)
        #expect(rest.pause(at: start.advanced(bySeconds: 300)) == nil)
    }

    @Test func `a new token ends the delay, and so does a later failure that names no delay`() {
        var rest = OAuthBackoff()
        rest.failed(retryAfter: 60, why: "", at: start)
        rest.succeeded()
        #expect(rest == OAuthBackoff())
        rest.failed(retryAfter: 60, why: "", at: start)
        rest.failed(retryAfter: nil, why: "", at: start)
        #expect(rest.pause(at: start) == nil)
    }
}
