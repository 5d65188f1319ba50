import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct FCMLegacyReplyTests {
    private let now = WallTime(secondsSince1970: 1_795_255_200)

    private func reply(_ status: Int, _ body: String, count: Int = 1, retryAfter: String? = nil)
        -> FCMLegacyReply
    {
        FCMLegacyReply(status: status, body: Array(body.utf8), count: count, retryAfter: retryAfter, now: now)
    }

    private func answer(_ results: String) -> String {
        #"{"multicast_id":1,"success":1,"failure":0,"canonical_ids":0,"results":[\#(results)]}"#
    }

    private func isUndecided(_ result: FCMLegacyReply.Result?) -> Bool {
        guard case .undecided(let verdict, _)? = result?.outcome else { return false }
        return verdict == FCMReasons.unclearYes.verdict && result?.canonicalToken == nil
    }

    @Test func `the results have the same order as the ids`() throws {
        let reply = reply(
            200,
            answer(
                #"{"message_id":"0:1"},{"error":"NotRegistered"},{"message_id":"0:3","registration_id":"new"},"#
                    + #"{"message_id":4}"#), count: 4)
        #expect(
            reply.results.map(\.outcome) == [
                .accepted(providerID: "0:1"),
                .rejected(try #require(row("NotRegistered")).verdict, reason: "NotRegistered"),
                .accepted(providerID: "0:3"), .accepted(providerID: "4"),
            ])
        #expect(reply.results.map(\.canonicalToken) == [nil, nil, "new", nil])
        #expect(reply.provesCredential)
        #expect(reply.accountFailure == nil)
    }

    private func row(_ wire: String) -> FCMReasons.Row? { FCMLegacyReasons.rows.first { $0.wire == wire } }

    @Test func `every error in a 200 answer has its verdict`() {
        let listed = FCMLegacyReasons.rows.filter { $0.status == .code(200) && !$0.wire.hasPrefix("(") }
        #expect(listed.count == 13)
        for row in listed {
            #expect(
                reply(200, answer(#"{"error":"\#(row.wire)"}"#)).results.map(\.outcome)
                    == [.rejected(row.verdict, reason: row.wire)])
        }
    }

    @Test func `an unknown error is kept, and codes in other rows do not apply to an id`() {
        for (error, reason) in [
            ("NewIn2027", "NewIn2027"), ("InvalidParameters", "InvalidParameters"),
            ("(no answer)", "(no answer)"),
            ("(unknown)", "(unknown)"), ("\\u001b é", "\\u{1B} é"),
        ] {
            #expect(
                reply(200, answer(#"{"error":"\#(error)"}"#)).results.map(\.outcome)
                    == [.rejected(FCMLegacyReasons.unknownError.verdict, reason: reason)])
        }
    }

    @Test func `ids after the last result are undecided`() {
        let reply = reply(200, answer(#"{"message_id":"0:1"}"#), count: 3)
        #expect(reply.results.count == 3)
        #expect(reply.results[0].outcome == .accepted(providerID: "0:1"))
        #expect(isUndecided(reply.results[1]))
        #expect(isUndecided(reply.results[2]))
    }

    @Test func `if there are more results than ids, all ids are undecided`() {
        let reply = reply(200, answer(#"{"error":"NotRegistered"},{"message_id":"0:1"}"#), count: 1)
        #expect(reply.results.count == 1)
        #expect(isUndecided(reply.results.first))
    }

    @Test(arguments: [
        "{}", "null", "7", #"{"message_id":""}"#, #"{"message_id":null}"#, #"{"error":7}"#, #"{"error":""}"#,
    ])
    func `a result that is neither a success nor an error is undecided`(result: String) {
        let reply = reply(200, answer(#"\#(result),{"message_id":"0:1"}"#), count: 2)
        #expect(isUndecided(reply.results.first))
        #expect(reply.results.last?.outcome == .accepted(providerID: "0:1"))
    }

    @Test(arguments: ["", "<html>", "[]", "{}", #"{"results":7}"#, #"{"error":"NotRegistered"}"#])
    func `a 200 answer without results leaves all ids undecided`(body: String) {
        let results = reply(200, body, count: 2).results
        #expect(results.count == 2)
        #expect(results.allSatisfy(isUndecided))
    }

    @Test func `an answer that is truncated at any byte leaves all ids undecided`() {
        let body = answer(#"{"error":"NotRegistered"},{"message_id":"0:1","registration_id":"new"}"#)
        for length in 0..<body.utf8.count {
            let results = reply(200, String(body.prefix(length)), count: 2).results
            #expect(results.count == 2)
            #expect(results.allSatisfy(isUndecided))
        }
    }

    @Test func `a canonical id that cannot be stored is ignored`() {
        let long = String(repeating: "x", count: SubscriberLimits.tokenBytes + 1)
        for id in ["\"\"", "7", "\"\(long)\""] {
            let reply = reply(200, answer(#"{"message_id":"0:1","registration_id":\#(id)}"#))
            #expect(reply.results.map(\.canonicalToken) == [nil])
            #expect(reply.results.first?.outcome == .accepted(providerID: "0:1"))
        }
    }

    @Test
    func `an unknown address affects no token, and a second token with this error implicates the account`() {
        for status in [403, 404, 405, 410] {
            let reply = reply(status, "<html>", count: 2)
            #expect(reply.accountFailure == nil)
            let verdict = FCMLegacyReasons.unknownAddress.verdict
            #expect(verdict.scope == .message && verdict.mayWiden && verdict.schedule == .soon)
            let outcome = Outcome.rejected(verdict, reason: "(unknown) status \(status)")
            #expect(reply.results.map(\.outcome) == [outcome, outcome])
            #expect(!reply.provesCredential)
        }
    }

    @Test func `statuses 401 and 407 stop the account and affect no token`() {
        for status in [401, 407] {
            let reply = reply(status, "<html>", count: 2)
            guard case .rejected(let verdict, _)? = reply.accountFailure else {
                Issue.record("\(status) does not stop the account")
                continue
            }
            #expect(verdict == FCMLegacyReasons.authentication.verdict)
            #expect(reply.results.count == 2)
            #expect(reply.results.allSatisfy { $0.outcome == reply.accountFailure })
            #expect(!reply.provesCredential)
        }
        #expect(
            reply(401, "").results.first?.outcome
                == .rejected(FCMLegacyReasons.authentication.verdict, reason: "(authentication)"))
    }

    @Test func `status 400 is a fault in the payload, and all other statuses are retried later`() {
        #expect(
            reply(400, "JSON_PARSING_ERROR").results.first?.outcome
                == .rejected(FCMLegacyReasons.invalidParameters.verdict, reason: "InvalidParameters"))
        for status in [408, 429, 500, 502, 503, 599, 204, 302, 0] {
            #expect(
                reply(status, "<html>").results.first?.outcome
                    == .rejected(
                        FCMLegacyReasons.unknownServerError.verdict, reason: "(unknown) status \(status)"))
        }
    }

    @Test func `the delay that the gateway requests is respected, also if a single result requests it`() {
        func delay(_ reply: FCMLegacyReply) -> Int32? {
            guard case .rejected(let verdict, _)? = reply.results.first?.outcome else { return nil }
            return verdict.minimumDelaySeconds
        }
        #expect(delay(reply(503, "", retryAfter: "120")) == 120)
        #expect(delay(reply(503, "", retryAfter: "1")) == 10)
        // A delay for a shared resource is no longer than an account may wait. A delay for a single device
        // may be longer.
        #expect(delay(reply(503, "", retryAfter: "86400")) == 3_600)
        #expect(delay(reply(200, answer(#"{"error":"Unavailable"}"#), retryAfter: "86400")) == 3_600)
        let device = answer(#"{"error":"DeviceMessageRateExceeded"}"#)
        #expect(delay(reply(200, device, retryAfter: "86400")) == 86_400)
        #expect(delay(reply(200, device, retryAfter: "99999999999999999999")) == 86_400)
        #expect(delay(reply(200, answer(#"{"error":"Unavailable"}"#), retryAfter: "40")) == 40)
        #expect(delay(reply(200, answer(#"{"error":"Unavailable"}"#))) == 10)
        #expect(delay(reply(200, answer(#"{"error":"NotRegistered"}"#), retryAfter: "40")) == 0)
    }

    @Test func `a message without an answer is undecided only if the gateway may have received it`() {
        #expect(
            FCMLegacyReply.outcome(of: .noAnswer, detail: "in 30 s")
                == .undecided(FCMLegacyReasons.noAnswer.verdict, reason: "(no answer) in 30 s"))
        #expect(FCMLegacyReply.outcome(of: .connectFailed) == FCMReply.outcome(of: .connectFailed))
    }
}
