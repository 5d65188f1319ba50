import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import Testing

@Suite struct OAuthRestTests {
    private let start = MonotonicTime(nanoseconds: 5_000_000_000)

    @Test func `nothing is asked for as long as the endpoint wants, token or no token`() throws {
        var rest = OAuthRest()
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

    @Test func `an endpoint that says nothing is asked again at once, or soon where a token works`() {
        var rest = OAuthRest()
        rest.failed(retryAfter: nil, why: "", at: start)
        #expect(rest.mayAsk(whileUsable: false, at: start))
        #expect(!rest.mayAsk(whileUsable: true, at: start.advanced(bySeconds: 9)))
        #expect(rest.mayAsk(whileUsable: true, at: start.advanced(bySeconds: 10)))
        rest.failed(retryAfter: 0, why: "", at: start)
        #expect(rest.pause(at: start) == nil)
    }

    @Test func `whatever the endpoint says, it is asked again after a few minutes`() {
        var rest = OAuthRest()
        rest.failed(retryAfter: 86_400, why: "", at: start)
        #expect(rest.pause(at: start)?.seconds == 300)
        #expect(rest.pause(at: start.advanced(bySeconds: 300)) == nil)
    }

    @Test func `a token ends the rest, and so does a later failure that asks for none`() {
        var rest = OAuthRest()
        rest.failed(retryAfter: 60, why: "", at: start)
        rest.succeeded()
        #expect(rest == OAuthRest())
        rest.failed(retryAfter: 60, why: "", at: start)
        rest.failed(retryAfter: nil, why: "", at: start)
        #expect(rest.pause(at: start) == nil)
    }
}
