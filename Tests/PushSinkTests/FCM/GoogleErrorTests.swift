import Testing
import pushsink

@Suite struct GoogleErrorTests {
    @Test(arguments: [
        ("UNREGISTERED", 404, "NOT_FOUND"), ("INVALID_ARGUMENT", 400, "INVALID_ARGUMENT"),
        ("SENDER_ID_MISMATCH", 403, "PERMISSION_DENIED"), ("QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED"),
        ("UNAVAILABLE", 503, "UNAVAILABLE"), ("INTERNAL", 500, "INTERNAL"),
        ("THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED"),
    ])
    func `each code has an HTTP status and a detail with the name of the code`(
        code: String, http: Int, status: String
    )
        throws
    {
        let rejection = GoogleError.fcm(code)
        let text = try #require(rejection.words).text
        #expect(rejection.status == http && rejection.reason == code)
        #expect(text.contains(#""code":\#(http),"#) && text.contains(#""status":"\#(status)""#))
        #expect(text.contains(#"google.firebase.fcm.v1.FcmError","errorCode":"\#(code)""#))
        #expect(text.asBytes { JSONDocument().read($0) })
    }

    @Test func `an error names a wrong field before the code`() throws {
        let text = try #require(GoogleError.fcm("INVALID_ARGUMENT", field: "message.token").words).text
        let field = try #require(text.firstRange(of: #""field":"message.token""#))
        let code = try #require(text.firstRange(of: "FcmError"))
        #expect(field.lowerBound < code.lowerBound)
    }

    @Test func `an error without details contains no details`() throws {
        let rejection = GoogleError.rpc(403, "PERMISSION_DENIED", "say \"please\"")
        let text = try #require(rejection.words).text
        #expect(text == #"{"error":{"code":403,"message":"say \"please\"","status":"PERMISSION_DENIED"}}"#)
        #expect(rejection.reason == "PERMISSION_DENIED:no-FcmError")
    }
}
