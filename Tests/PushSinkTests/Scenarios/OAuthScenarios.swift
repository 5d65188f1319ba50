import Testing
import pushsink

@Suite struct OAuthScenarios {
    @Test(arguments: [("--http2", "2"), ("--http1.1", "1.1")])
    func `an assertion is exchanged for a token`(option: String, version: String) throws {
        let sink = try GoogleSink(["--oauth-expires-s", "100"])
        let answer = try sink.askForToken([option])
        #expect(answer.status == 200 && answer.version == version)
        #expect(answer.body.contains(#""expires_in":100,"token_type":"Bearer""#))
        let url = "https://localhost:\(sink.oauth)"
        for form in [
            "", "grant_type=password", "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
        ] {
            #expect(try Curl.get("\(url)/token", [option, "-d", form], trusting: sink.sink).status == 400)
        }
        #expect(try Curl.get("\(url)/elsewhere", [option, "-d", ""], trusting: sink.sink).status == 404)
        #expect(try Curl.get("\(url)/token", [option], trusting: sink.sink).status == 404)
        let (_, oauth) = try sink.stop()
        #expect(oauth.tokensIssued == 1 && oauth.rejected == 5)
    }

    @Test(arguments: [
        ("oauth invalid_grant", 400, "invalid_grant"),
        ("oauth unauthorized_client", 401, "unauthorized_client"),
        ("oauth access_denied", 403, "access_denied"), ("oauth disabled_client 400", 400, "disabled_client"),
        ("html 503", 503, "<!DOCTYPE html>"), ("html 200", 200, "<!DOCTYPE html>"),
        ("truncated", 200, #"{"access_token"#),
    ])
    func `every OAuth failure can be produced`(rule: String, status: Int, text: String) throws {
        let sink = try GoogleSink(oauthRules: "firebase* \(rule) times 1")
        let answer = try sink.askForToken()
        #expect(answer.status == status && answer.body.contains(text))
        #expect(!answer.body.hasSuffix("}") || status != 200)
        #expect(try sink.askForToken().status == 200)
        _ = try sink.stop()
    }

    @Test func `a slow endpoint answers late, and a dead endpoint never answers`() throws {
        let sink = try GoogleSink(oauthRules: "* delay 300 times 1\n* close times 1\n* silent")
        let start = Instant.now
        #expect(try sink.askForToken().status == 200)
        #expect(Instant.now.since(start) >= .milliseconds(300))
        #expect(try sink.askForToken().exit != 0)
        #expect(try sink.askForToken(["--max-time", "1"]).exit == 28)
        let (_, oauth) = try sink.stop()
        #expect(oauth.silent == 1 && oauth.cut == 1)
    }
}
