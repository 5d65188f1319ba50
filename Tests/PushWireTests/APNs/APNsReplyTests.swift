import GatewayAPNs
import PushModel
import PushWire
import Testing

@Suite struct APNsReplyTests {
    private func reply(_ status: Int, _ body: String) -> APNsReply {
        APNsReply(status: status, body: Array(body.utf8))
    }

    private func verdict(_ wire: String, _ status: APNsReasons.Status) throws -> Verdict {
        try #require(APNsReasons.rows.first { $0.wire == wire && $0.status == status }).verdict
    }

    @Test func `status 200 means accepted, and the sandbox's id is logged`() {
        #expect(reply(200, "").outcome == .accepted(providerID: nil))
        #expect(APNsReply(status: 200, body: [], uniqueID: "u").outcome == .accepted(providerID: "u"))
    }

    @Test func `every reason that Apple lists has its verdict`() throws {
        var listed = 0
        for row in APNsReasons.rows where !row.wire.hasPrefix("(") {
            guard case .code(let status) = row.status else { continue }
            #expect(
                reply(status, "{\"reason\":\"\(row.wire)\"}").outcome
                    == .rejected(row.verdict, reason: row.wire))
            listed += 1
        }
        #expect(listed == 33)
    }

    @Test func `the verdict for a dead token contains its date`() {
        let reply = reply(410, #"{"reason":"Unregistered","timestamp":1795255200123}"#)
        #expect(reply.tokenDeadSince == WallMoment(millisecondsSince1970: 1_795_255_200_123))
        #expect(self.reply(410, #"{"reason":"Unregistered","timestamp":"soon"}"#).tokenDeadSince == nil)
        #expect(self.reply(410, #"{"reason":"Unregistered","timestamp":-5}"#).tokenDeadSince == nil)
    }

    @Test(arguments: [400, 403, 404, 405, 410, 413, 429])
    func `an unknown reason is kept, and is judged by its status`(status: Int) throws {
        let expected = try verdict(APNsReasons.unknown, .code(status))
        #expect(reply(status, #"{"reason":"NewIn2027"}"#).outcome == .rejected(expected, reason: "NewIn2027"))
        #expect(reply(status, "").outcome == .rejected(expected, reason: "(unknown) status \(status)"))
    }

    @Test(arguments: [500, 502, 503, 599, 204, 302, 101, 0, -1, 600])
    func `a status that is neither a success nor a request error counts as trouble on the server`(status: Int)
        throws
    {
        let expected = try verdict(APNsReasons.unknown, .anyServerError)
        #expect(reply(status, "<html>").outcome == .rejected(expected, reason: "(unknown) status \(status)"))
    }

    @Test(arguments: [401, 407, 421, 499])
    func `an unlisted status below 500 counts as a bad request`(status: Int) throws {
        let expected = try verdict(APNsReasons.unknown, .code(400))
        #expect(reply(status, "").outcome == .rejected(expected, reason: "(unknown) status \(status)"))
    }

    @Test(arguments: [
        #"{"reason":"BadDevi"#, "<html>502</html>", "[]", #"{"reason":7}"#, #"{"reason":""}"#, "{}", "null",
        "\u{0}",
        #"{"reason":null}"#, #""BadDeviceToken""#,
    ])
    func `if the body is truncated or foreign, the status determines the verdict`(body: String) throws {
        let expected = try verdict(APNsReasons.unknown, .code(400))
        #expect(reply(400, body).outcome == .rejected(expected, reason: "(unknown) status 400"))
    }

    @Test func `an answer that is truncated at any byte still has the verdict for its status`() throws {
        let body = Array(#"{"reason":"BadDeviceToken"}"#.utf8)
        for length in 0..<body.count {
            let expected = try verdict(APNsReasons.unknown, .code(400))
            #expect(
                APNsReply(status: 400, body: Array(body.prefix(length))).outcome
                    == .rejected(expected, reason: "(unknown) status 400"))
        }
    }

    @Test func `a foreign reason is made printable before it enters a log`() {
        let long = String(repeating: "x", count: 500)
        guard case .rejected(_, let cut) = reply(400, "{\"reason\":\"\(long)\"}").outcome else {
            Issue.record("not rejected")
            return
        }
        #expect(cut == String(repeating: "x", count: 64) + "…")
        guard case .rejected(_, let plain) = reply(400, #"{"reason":"\u001b[31mred é"}"#).outcome else {
            Issue.record("not rejected")
            return
        }
        #expect(plain == #"\u{1B}[31mred é"#)
    }

    @Test(arguments: [
        (200, true), (400, true), (410, true), (403, false), (429, false), (500, false), (413, false),
    ])
    func `some statuses prove that the credential is valid`(status: Int, proves: Bool) {
        #expect(reply(status, "").provesCredential == proves)
    }

    @Test func `a message without an answer is undecided only if the gateway may have received it`() throws {
        for failure in APNsReply.Failure.allCases {
            let expected = try verdict(failure.rawValue, .none)
            let outcome = APNsReply.outcome(of: failure)
            #expect(
                outcome
                    == (failure == .connectionLost
                        ? .undecided(expected, reason: failure.rawValue)
                        : .neverSent(expected, reason: failure.rawValue)))
        }
        let detailed = APNsReply.outcome(of: .connectionLost, detail: "no answer in 30 s")
        guard case .undecided(_, let reason) = detailed else {
            Issue.record("not undecided")
            return
        }
        #expect(reason == "(connection lost) no answer in 30 s")
    }

    @Test func `the reason in a GOAWAY frame is parsed`() throws {
        let known = try #require(APNsReply.goAway(debugData: Array(#"{"reason":"BadCertificate"}"#.utf8)))
        #expect(known.reason == "BadCertificate")
        #expect(known.verdict == (try verdict("BadCertificate", .code(403))))
        let strange = try #require(APNsReply.goAway(debugData: Array(#"{"reason":"New Thing"}"#.utf8)))
        #expect(strange.reason == "New Thing")
        #expect(strange.verdict == nil)
        #expect(APNsReply.goAway(debugData: []) == nil)
        #expect(APNsReply.goAway(debugData: Array("bye".utf8)) == nil)
    }
}
