import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct OAuthReplyTests {
    private let now = WallTime(secondsSince1970: 1_795_255_200)

    private func reply(_ status: Int, _ body: String, retryAfter: String? = nil) -> OAuthReply {
        OAuthReply(status: status, body: Array(body.utf8), retryAfter: retryAfter, now: now)
    }

    private func token(_ body: String) -> OAuthToken? {
        guard case .token(let token) = reply(200, body) else { return nil }
        return token
    }

    private func refusal(_ reply: OAuthReply) -> (verdict: Verdict, reason: String)? {
        guard case .refused(let verdict, let reason, _) = reply else { return nil }
        return (verdict, reason)
    }

    private func verdict(_ wire: String) throws -> Verdict {
        try #require(OAuthReasons.rows.first { $0.wire == wire }).verdict
    }

    @Test func `a token has the lifetime that the answer states`() throws {
        let token = try #require(
            self.token(#"{"access_token":"ya29.x_-","expires_in":3599,"token_type":"Bearer"}"#))
        #expect(token.accessToken == "ya29.x_-")
        #expect(token.authorization == "Bearer ya29.x_-")
        #expect(token.lifetimeSeconds == 3_599)
        #expect(!"\(token) \(String(reflecting: token))".contains("ya29"))
    }

    @Test(arguments: [
        (#""expires_in":0"#, 60 as Int64), (#""expires_in":-9223372036854775808"#, 60),
        (#""expires_in":1e300"#, 86_400),
        (#""expires_in":9223372036854775807"#, 86_400), (#""expires_in":120.5"#, 120), (#""x":1"#, 3_600),
        (#""expires_in":"x""#, 3_600),
    ])
    func `an impossible lifetime is replaced by a possible lifetime`(member: String, seconds: Int64) {
        #expect(token(#"{"access_token":"a",\#(member)}"#)?.lifetimeSeconds == seconds)
    }

    @Test(arguments: [
        "", "<html>", "{}", #"{"access_token":""}"#, #"{"access_token":7}"#, #"{"access_token":"a\r\nb: c"}"#,
        #"{"access_token":"é"}"#, #"{"access_token":"a","token_type":"mac"}"#,
        #"{"access_token":"a","expires_in":3"#,
    ])
    func `a 200 answer without a usable token is temporary trouble`(body: String) throws {
        let refused = try #require(refusal(reply(200, body)))
        #expect(refused.verdict == (try verdict("(unknown)")))
        #expect(refused.reason == "(unknown) status 200 without a usable token")
    }

    @Test(arguments: ["unauthorized_client", "access_denied", "invalid_grant", "disabled_client"])
    func `a listed error stops the account, with the error's name and the remedy`(error: String) throws {
        for status in [400, 401, 403] {
            let refused = try #require(
                refusal(reply(status, #"{"error":"\#(error)","error_description":"d"}"#)))
            #expect(refused.verdict == (try verdict(error)))
            #expect(refused.reason.hasPrefix("\(error): "))
            #expect(refused.verdict.scope == .account)
        }
    }

    @Test(arguments: [400, 401, 403, 404, 407])
    func `any other refusal stops the account too`(status: Int) throws {
        for (body, reason) in [
            ("<html>", "(unknown) status \(status)"), (#"{"error":"new_in_2027"}"#, "new_in_2027"),
            (#"{"error":{"code":1}}"#, "(unknown) status \(status)"),
        ] {
            let refused = try #require(refusal(reply(status, body)))
            #expect(refused.verdict == (try verdict("invalid_grant")))
            #expect(refused.reason == reason)
        }
    }

    @Test(arguments: [408, 429, 500, 502, 503, 302, 0])
    func `an error from a failing server does not count against the account, whatever the answer contains`(
        status: Int
    ) throws {
        let html = try #require(refusal(reply(status, "<html>")))
        #expect(html.verdict == (try verdict("(unknown)")))
        #expect(html.reason == "(unknown) status \(status)")
        if status >= 500 {
            let worded = try #require(refusal(reply(status, #"{"error":"invalid_grant"}"#)))
            #expect(worded.verdict == (try verdict("(unknown)")))
        }
    }

    @Test func `the delay that the endpoint requests is respected`() throws {
        #expect(try #require(refusal(reply(503, "", retryAfter: "90"))).verdict.minimumDelaySeconds == 90)
        #expect(try #require(refusal(reply(503, ""))).verdict.minimumDelaySeconds == 10)
        #expect(try #require(refusal(reply(400, "", retryAfter: "90"))).verdict.minimumDelaySeconds == 0)
    }

    @Test func `if an answer is missing, no message is undecided`() throws {
        let refused = try #require(refusal(.connectFailed(detail: "timed out")))
        #expect(refused.verdict == (try verdict("(connect failed)")))
        #expect(refused.reason == "(connect failed) timed out")
    }

    @Test(arguments: [(429, "slow_down"), (503, "unavailable"), (400, "invalid_grant")])
    func `the requested retry delay is kept for any type of error`(status: Int, error: String) {
        func seconds(_ retryAfter: String?) -> Int32? {
            let reply = reply(status, #"{"error":"\#(error)"}"#, retryAfter: retryAfter)
            if case .refused(_, _, let seconds) = reply { return seconds }
            return nil
        }
        #expect(seconds("120") == 120)
        #expect(seconds(nil) == nil && seconds("soon") == nil)
        let (later, earlier) = (now.advanced(bySeconds: 90), now.advanced(bySeconds: -90))
        #expect(seconds(httpDate(later)) == 90)
        #expect(seconds(httpDate(earlier)) == 0)
    }

    /// Returns the fixed format of RFC 9110 (5.6.7). The day of the week is not examined.
    private func httpDate(_ time: WallTime) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = Array(time.utcText)
        func part(_ range: Range<Int>) -> String { String(text[range]) }
        let month = months[(Int(part(5..<7)) ?? 1) - 1]
        return "Mon, \(part(8..<10)) \(month) \(part(0..<4)) \(part(11..<19)) GMT"
    }
}
