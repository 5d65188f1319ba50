import Testing
import pushsink

@Suite struct RuleBookGoogleTests {
    private func answer(
        _ text: String, _ token: String = "Tok", _ api: SinkRequest.API = .fcmV1,
        _ dialect: RuleDialect = .fcm
    ) throws -> SinkAnswer? {
        var book = try RuleBook(text: text, file: "rules", for: dialect)
        return token.asBytes {
            book.answer(
                SinkRequest(device: $0, connection: 1, stream: 1, api: api), at: Instant(nanoseconds: 1))
        }
    }

    private func rejection(_ answer: SinkAnswer?) -> Rejection? {
        if case .reject(let rejection) = answer?.act { rejection } else { nil }
    }

    @Test func `FCM tokens have their documented meaning`() throws {
        #expect(try answer("Tok:* silent", "Tok:1") == SinkAnswer(.silence))
        #expect(try answer("tok silent", "Tok:1") == nil)
    }

    @Test func `every FCM keyword is understood`() throws {
        let table: [(String, Int, String)] = [
            ("fcm UNREGISTERED", 404, "UNREGISTERED"), ("fcm BRAND_NEW 409", 409, "BRAND_NEW"),
            ("fcm INVALID_ARGUMENT message.token", 400, "INVALID_ARGUMENT:message.token"),
            ("rpc 401 UNAUTHENTICATED", 401, "UNAUTHENTICATED:no-FcmError"), ("html 502", 502, "HTML"),
            ("html 200", 200, "HTML"), ("status 503 Unavailable", 503, "Unavailable"),
        ]
        for (text, status, reason) in table {
            let said = rejection(try answer("* " + text))
            #expect(said?.status == status && said?.reason == reason, "\(text)")
        }
        #expect(rejection(try answer("* fcm INTERNAL retry-after 7"))?.retryAfter == .seconds(7))
        #expect(rejection(try answer("* html 503 retry-after date 9"))?.retryAfter == .date(9))
        #expect(try answer("* truncated")?.damage == .truncated)
        #expect(try answer("* fcm INTERNAL broken-off")?.damage == .brokenOff)
    }

    @Test func `a rule for one API does not affect the other`() throws {
        #expect(rejection(try answer("* legacy NotRegistered", "t", .fcmLegacy))?.reason == "NotRegistered")
        #expect(try answer("* legacy NotRegistered", "t", .fcmV1) == nil)
        #expect(try answer("* fcm UNREGISTERED", "t", .fcmLegacy) == nil)
        #expect(try answer("* canonical New", "t", .fcmLegacy)?.canonical == "New")
        #expect(try answer("* short", "t", .fcmLegacy)?.isShort == true)
    }

    @Test func `an OAuth error has the matching HTTP status`() throws {
        for (error, status) in [("invalid_grant", 400), ("unauthorized_client", 401), ("access_denied", 403)]
        {
            let said = rejection(try answer("* oauth \(error)", "a@b", .oauth, .oauth))
            #expect(said?.reason == error && said?.status == status)
        }
        #expect(rejection(try answer("* oauth disabled_client 400", "a@b", .oauth, .oauth))?.status == 400)
    }

    @Test(arguments: [
        ("* fcm", "'fcm' needs a name"), ("* fcm BRAND_NEW", "give its HTTP status"),
        ("* rpc 403", "needs a name"),
        ("* rpc 200 OK", "'rpc' needs a number from 400 to 599"),
        ("* html 99", "'html' needs a number from 200"),
        ("* retry-after 5", "requires an error"), ("* fcm INTERNAL retry-after soon", "needs a number"),
        ("* oauth invalid_grant", "unknown word 'oauth'"), ("* fcm INTERNAL silent", "only one action"),
    ])
    func `a wrong line is refused with an explanation`(line: String, problem: String) throws {
        let error = #expect(throws: SinkError.self) { try answer(line) }
        #expect(try #require(error).description.contains(problem), "\(String(describing: error))")
    }

    @Test func `rules for APNs accept none of these keywords`() {
        #expect(throws: SinkError.self) { try RuleBook(text: "* fcm UNREGISTERED", file: "f") }
        #expect(throws: SinkError.self) { try RuleBook(text: "* truncated", file: "f") }
    }
}
