import GatewayAPNs
import GatewayAPNsBinary
import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct FCMReplyTests {
    private let now = WallTime(secondsSince1970: 1_795_255_200)

    private func reply(_ status: Int, _ body: String, retryAfter: String? = nil) -> FCMReply {
        FCMReply(status: status, body: Array(body.utf8), retryAfter: retryAfter, now: now)
    }

    private func error(_ status: String?, message: String = "", details: [String]? = nil) -> String {
        var members = [#""code":1"#, #""message":"\#(message)""#]
        if let status { members.append(#""status":"\#(status)""#) }
        if let details { members.append(#""details":[\#(details.joined(separator: ","))]"#) }
        return #"{"error":{\#(members.joined(separator: ","))}}"#
    }

    private func fcm(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }

    private func badRequest(_ field: String, _ text: String = "Invalid") -> String {
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)","#
            + #""description":"\#(text)"}]}"#
    }

    private func rejected(_ row: FCMReasons.Row, reason: String? = nil) -> Outcome {
        .rejected(row.verdict, reason: reason ?? row.wire)
    }

    /// Returns the outcome without the gateway's text in addition to its reason code.
    private func word(of reply: FCMReply) -> Outcome {
        guard case .rejected(let verdict, let reason) = reply.outcome else { return reply.outcome }
        return .rejected(verdict, reason: ReasonText.word(of: reason))
    }

    // MARK: Yes

    @Test func `status 200 with the name of a message means accepted`() {
        let name = "projects/p-1/messages/0:1500415314455276%31bd1c9631bd1c96"
        for body in [#"{"name":"\#(name)"}"#, "{\n  \"name\": \"\(name)\"\n}\n"] {
            #expect(reply(200, body).outcome == .accepted(providerID: "0:1500415314455276%31bd1c9631bd1c96"))
            #expect(isPlainYes(body))
        }
        #expect(
            reply(200, #"{"more":1,"name":"projects/p/messages/fake_message_id"}"#).outcome
                == .accepted(providerID: "fake_message_id"))
        #expect(reply(200, #"{"name":"projects/p/messages/1"}"#).provesCredential)
    }

    private func isPlainYes(_ body: String) -> Bool {
        let bytes = Array(body.utf8)
        return unsafe bytes.withUnsafeBytes { unsafe FCMReply.isPlainYes($0) }
    }

    @Test(arguments: [
        "", "{}", "[]", "<html>ok</html>", #"{"name":""}"#, #"{"name":7}"#,
        #"{"name":"projects/p/messages/"}"#,
        #"{"error":{"code":404}}"#, "null",
    ])
    func `status 200 without the name of a message is undecided and not accepted`(body: String) {
        let reply = reply(200, body)
        guard case .undecided(let verdict, let reason) = reply.outcome else {
            Issue.record("not undecided: \(reply.outcome)")
            return
        }
        #expect(verdict == FCMReasons.unclearYes.verdict)
        #expect(verdict.maximumTries == 2 && verdict.minimumDelaySeconds >= 60)
        #expect(reason.hasPrefix("(unclear answer)"))
        #expect(!isPlainYes(body))
    }

    @Test func `a success that is truncated at any byte is accepted, and any other truncated answer is not`()
    {
        let body = #"{ "name" : "projects/p/messages/1" }"#
        #expect(isPlainYes(body))
        for length in 1..<body.utf8.count {
            let cut = String(body.prefix(length))
            #expect(reply(200, cut).outcome == .accepted(providerID: nil), "at \(length)")
            #expect(!isPlainYes(cut))
        }
        for other in ["", " ", #"{"name":"pr0"#, #"{"error":{"code":4"#, "{,", "<html", #"{"names"#] {
            guard case .undecided = reply(200, other).outcome else {
                Issue.record("not undecided: \(other)")
                continue
            }
        }
        #expect(!isPlainYes(body + "x"))
        #expect(!isPlainYes(#"{"name":"projects/p/messages/\u0031"}"#))
        #expect(!isPlainYes(#"{"name":"projects/p/messages/1","name":"x"}"#))
    }

    // MARK: FcmError first

    @Test func `every code in Google's list has its verdict, whatever else the answer contains`() {
        let coded = FCMReasons.rows.filter { !$0.wire.hasPrefix("(") && !$0.wire.contains(":") }
        #expect(coded.count == 8)
        for row in coded {
            for status in [400, 404, 500] {
                for word in ["NOT_FOUND", "UNAVAILABLE", nil] {
                    let orders = [
                        [fcm(row.wire), badRequest("message.x")], [badRequest("message.x"), fcm(row.wire)],
                    ]
                    for details in orders {
                        let reply = reply(status, error(word, details: details))
                        #expect(self.word(of: reply) == rejected(row))
                    }
                }
            }
        }
    }

    @Test func `a code that Google adds later is kept, and is judged by the class of its status`() {
        #expect(
            reply(404, error("NOT_FOUND", details: [fcm("NEW_IN_2027")])).outcome
                == rejected(FCMReasons.unknownClientError, reason: "NEW_IN_2027"))
        #expect(
            reply(503, error("UNAVAILABLE", details: [fcm("NEW_IN_2027")])).outcome
                == rejected(FCMReasons.unknownServerError, reason: "NEW_IN_2027"))
        #expect(
            reply(429, error(nil, details: [fcm("NEW_IN_2027")])).outcome
                == rejected(FCMReasons.quota, reason: "NEW_IN_2027"))
        #expect(
            reply(400, error(nil, details: [fcm("\\u001b \\u00e9")])).outcome
                == rejected(FCMReasons.unknownClientError, reason: "\\u{1B} é"))
    }

    // MARK: Then the status

    @Test(arguments: [
        ("UNAUTHENTICATED", FCMReasons.unauthenticated), ("PERMISSION_DENIED", FCMReasons.permissionDenied),
        ("NOT_FOUND", FCMReasons.notFound), ("RESOURCE_EXHAUSTED", FCMReasons.quota),
        ("UNAVAILABLE", FCMReasons.unavailable), ("INTERNAL", FCMReasons.internal),
    ])
    func `without an FcmError, the google.rpc code determines the verdict`(word: String, row: FCMReasons.Row)
    {
        #expect(reply(418, error(word)).outcome == rejected(row))
        let detailed = reply(418, error(word, details: [badRequest("message.token")]))
        #expect(self.word(of: detailed) == rejected(row))
    }

    // MARK: Then the number

    @Test(arguments: [
        (401, FCMReasons.unauthenticated), (403, FCMReasons.permissionDenied), (404, FCMReasons.notFound),
        (429, FCMReasons.quota),
    ])
    func `if the body does not come from FCM, the status determines the verdict, and no token is affected`(
        status: Int, row: FCMReasons.Row
    ) {
        for body in ["", "<html><body>502</body></html>", "{}", "[]", "\u{0}", #"{"error":"UNREGISTERED"}"#] {
            #expect(reply(status, body).outcome == rejected(row))
            #expect(row.verdict.scope != .token)
        }
    }

    @Test(arguments: [400, 402, 405, 413, 499])
    func `an unlisted refusal concerns only its message`(status: Int) {
        #expect(
            reply(status, "<html>").outcome
                == rejected(FCMReasons.unknownClientError, reason: "(unknown) status \(status)"))
        #expect(
            reply(status, error("OUT_OF_RANGE")).outcome
                == rejected(FCMReasons.unknownClientError, reason: "OUT_OF_RANGE"))
    }

    @Test(arguments: [500, 502, 503, 599, 204, 302, 101, 0, -1, 600])
    func `an answer that is neither a success nor a refusal, such as an HTML page, is trouble on the server`(
        status: Int
    ) {
        #expect(
            reply(status, "<html>Bad Gateway</html>").outcome
                == rejected(FCMReasons.unknownServerError, reason: "(unknown) status \(status)"))
    }

    @Test func `a refusal that is truncated at any byte never invalidates a token`() {
        let body = error("NOT_FOUND", details: [fcm("UNREGISTERED")])
        #expect(reply(404, body).outcome == rejected(FCMReasons.unregistered))
        for length in 0..<body.utf8.count {
            #expect(reply(404, String(body.prefix(length))).outcome == rejected(FCMReasons.notFound))
        }
    }

    // MARK: Whose argument

    @Test func `an invalid argument invalidates the token only if the answer names it`() {
        let text = "The registration token is not a valid FCM registration token"
        let invalid = fcm("INVALID_ARGUMENT")
        for body in [
            error("INVALID_ARGUMENT", details: [badRequest("message.token"), invalid]),
            error("INVALID_ARGUMENT", details: [invalid, badRequest("message.token")]),
            error("INVALID_ARGUMENT", details: [badRequest("message.token")]),
            error("INVALID_ARGUMENT", message: text, details: [invalid]),
            error("INVALID_ARGUMENT", message: text),
            error("INVALID_ARGUMENT", details: [invalid, badRequest("", text)]),
        ] { #expect(reply(400, body).outcome == rejected(FCMReasons.invalidToken)) }
        for body in [
            error("INVALID_ARGUMENT", details: [invalid]),
            error("INVALID_ARGUMENT", details: [invalid, badRequest("message.android.ttl")]),
            error("INVALID_ARGUMENT", details: [badRequest("message.data[0].value")]),
            error("INVALID_ARGUMENT", message: "Invalid token", details: [invalid]),
        ] { #expect(word(of: reply(400, body)) == rejected(FCMReasons.invalidArgument)) }
        for body in [
            error("INVALID_ARGUMENT", message: "Android message is too big"),
            error("INVALID_ARGUMENT", details: []),
        ] {
            #expect(word(of: reply(400, body)) == rejected(FCMReasons.invalidWithoutDetails))
        }
    }

    @Test func `the reason contains the gateway's own text`() {
        func reason(_ status: Int, _ body: String, challenge: String? = nil) -> String {
            let reply = FCMReply(status: status, body: Array(body.utf8), challenge: challenge, now: now)
            if case .rejected(_, let reason) = reply.outcome { return reason }
            return "\(reply.outcome)"
        }
        let ttl = badRequest("message.android.ttl", "Field 'ttl', Illegal duration format")
        #expect(
            reason(400, error("INVALID_ARGUMENT", details: [ttl]))
                == "INVALID_ARGUMENT: message.android.ttl: Field 'ttl', Illegal duration format")
        #expect(
            reason(403, error("PERMISSION_DENIED", message: "The API is disabled in project 12345."))
                == "PERMISSION_DENIED:no-FcmError: The API is disabled in project 12345.")
        #expect(
            reason(401, error("UNAUTHENTICATED"), challenge: #"Bearer realm="x", error="invalid_token""#)
                == #"UNAUTHENTICATED:no-FcmError: Bearer realm="x", error="invalid_token""#)
        #expect(
            reason(404, error("NOT_FOUND", message: "gone", details: [fcm("UNREGISTERED")])) == "UNREGISTERED"
        )
    }

    @Test func `a reason contains no token, secret or part of the payload, and its length is limited`() {
        let token = "dQw4w9WgXcQ:APA91b" + String(repeating: "Zx9_", count: 30)
        for text in [
            "Invalid value at 'message.data[0].value' (TYPE_STRING), 4711 Ada Lovelace",
            "\"Ada Lovelace\" is no colour",
            "token \(token) is odd", "`Ada Lovelace`", "“Ada Lovelace”", String(repeating: "ab ", count: 500),
            "bearer=\(token)", #"\u001B[31mred"#,
        ] {
            let quoted = text.replacing("\"", with: #"\""#)
            let body = error("INVALID_ARGUMENT", details: [badRequest("message.data[0].value", quoted)])
            guard case .rejected(_, let reason) = reply(400, body).outcome else {
                Issue.record("no rejection")
                continue
            }
            #expect(reason.hasPrefix("INVALID_ARGUMENT: message.data[0].value"), "\(reason)")
            #expect(
                !reason.contains("Ada") && !reason.contains("Zx9_") && !reason.contains("\u{1B}"), "\(reason)"
            )
            #expect(reason.count <= 250)
        }
    }

    @Test func `the name of an invalid field is reported`() {
        let body = error("INVALID_ARGUMENT", details: [badRequest("message.data[from].value")])
        #expect(reply(400, body).violatedField == "message.data[from].value")
        #expect(reply(400, error("INVALID_ARGUMENT")).violatedField == nil)
    }

    // MARK: Other contents of an answer

    @Test func `a plain 401 requires a new access token, and a 401 about third-party credentials does not`() {
        let bare = reply(401, error("UNAUTHENTICATED"))
        #expect(bare.wantsNewToken)
        #expect(!bare.provesCredential)
        let third = reply(401, error("UNAUTHENTICATED", details: [fcm("THIRD_PARTY_AUTH_ERROR")]))
        #expect(!third.wantsNewToken)
        #expect(third.outcome == rejected(FCMReasons.thirdParty))
    }

    @Test func `an answer about the message proves that the credential is valid`() {
        #expect(reply(404, error("NOT_FOUND", details: [fcm("UNREGISTERED")])).provesCredential)
        #expect(reply(400, error("INVALID_ARGUMENT")).provesCredential)
        #expect(!reply(404, error("NOT_FOUND")).provesCredential)
        #expect(!reply(403, "").provesCredential)
        #expect(!reply(503, "").provesCredential)
    }

    @Test(arguments: [
        ("project:12345", FCMReply.Quota.project), ("device:abc", .device), ("topic:news", .topic),
        ("x", nil),
    ])
    func `a quota error states whose quota is exhausted`(subject: String, quota: FCMReply.Quota?) {
        let failure =
            #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\#(subject)"}]}"#
        let reply = reply(429, error("RESOURCE_EXHAUSTED", details: [fcm("QUOTA_EXCEEDED"), failure]))
        #expect(reply.quota == quota)
        #expect(reply.outcome == rejected(FCMReasons.quota))
    }

    @Test func `the delay that the gateway requests is respected, and is never below ten seconds`() {
        func delay(_ status: Int, _ retryAfter: String?) -> Int32? {
            guard case .rejected(let verdict, _) = reply(status, "", retryAfter: retryAfter).outcome else {
                return nil
            }
            return verdict.minimumDelaySeconds
        }
        #expect(delay(429, nil) == 60)
        #expect(delay(429, "30") == 30)
        #expect(delay(503, "120") == 120)
        #expect(delay(503, "1") == 10)
        #expect(delay(503, "Sat, 21 Nov 2026 10:05:00 GMT") == 300)
        #expect(delay(503, "soon") == 10)
        #expect(delay(404, "120") == 120)
        #expect(delay(400, "120") == 0)
        #expect(reply(429, "", retryAfter: "30").retryAfterSeconds == 30)
        #expect(reply(429, "").retryAfterSeconds == nil)
    }

    @Test(arguments: ["86400", "99999999999999999999", "Fri, 01 Jan 2199 00:00:00 GMT"])
    func `a requested delay of one day is respected for a device, and is otherwise limited to an hour`(
        wish: String
    ) {
        func delay(_ status: Int, _ body: String) -> Int32? {
            guard case .rejected(let verdict, _) = reply(status, body, retryAfter: wish).outcome else {
                return nil
            }
            return verdict.minimumDelaySeconds
        }
        func quota(of subject: String) -> String {
            let failure =
                #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\#(subject)"}]}"#
            return error("RESOURCE_EXHAUSTED", details: [fcm("QUOTA_EXCEEDED"), failure])
        }
        for status in [429, 500, 503, 599] { #expect(delay(status, "<html>") == 3_600) }
        #expect(delay(429, quota(of: "project:1")) == 3_600)
        #expect(delay(429, quota(of: "topic:news")) == 3_600)
        #expect(delay(429, quota(of: "device:abc")) == 86_400)
    }

    @Test func `a plain 403 or 404 implicates the account only if another token receives it too`() {
        for row in [FCMReasons.permissionDenied, FCMReasons.notFound] {
            #expect(row.verdict.scope == .message && row.verdict.mayWiden)
            #expect(row.verdict.schedule == .soon && row.verdict.quarantine == .no)
        }
        // If a single answer is sufficient to implicate the account, the answer is about something that every
        // request contains: the account's credential.
        let certain = FCMReasons.rows.filter { $0.verdict.scope == .account }.map(\.wire)
        #expect(certain == ["UNAUTHENTICATED:no-FcmError"])
        let legacy = FCMLegacyReasons.rows.filter { $0.verdict.scope == .account }.map(\.wire)
        #expect(legacy == ["(authentication)"])
        #expect(
            APNsReasons.rows.filter { $0.verdict.scope == .account }.map(\.wire) == [
                "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken", "InvalidProviderToken",
                "MissingProviderToken", "UnrelatedKeyIdInToken", "BadEnvironmentKeyIdInToken",
                "BadEnvironmentKeyInToken", "TooManyProviderTokenUpdates", "(TLS or credential failure)",
            ])
        // The binary gateway takes the topic from the certificate, and there is only one.
        #expect(
            APNsBinaryReasons.rows.filter { $0.verdict.scope == .account }.map(\.wire) == [
                "3 missing topic", "6 invalid topic size", "(certificate or configuration)",
            ])
    }

    @Test func `a message without an answer is undecided only if the gateway may have received it`() {
        #expect(
            FCMReply.outcome(of: .noAnswer, detail: "in 30 s")
                == .undecided(FCMReasons.noAnswer.verdict, reason: "(no answer) in 30 s"))
        #expect(
            FCMReply.outcome(of: .connectFailed)
                == .neverSent(FCMReasons.connectFailed.verdict, reason: "(connect failed)"))
    }

    @Test func `details of any form are parsed without a crash`() {
        for details in [
            "null", "7", "\"x\"", "[null,7,\"x\",[],{}]", #"[{"@type":7}]"#, #"[{"@type":"FcmError"}]"#,
        ] {
            let body = #"{"error":{"status":"INTERNAL","details":\#(details)}}"#
            #expect(reply(500, body).outcome == rejected(FCMReasons.internal))
        }
        #expect(
            reply(500, #"{"error":{"status":7,"message":[]}}"#).outcome
                == rejected(FCMReasons.unknownServerError, reason: "(unknown) status 500"))
    }
}
