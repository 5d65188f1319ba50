import GatewayAPNs
import GatewayFCM
import PushModel
import PushWire
import TestContents
import Testing

/// Tests that texts from gateways and token endpoints are printable and limited in length when they are
/// reported.
@Suite struct ForeignWordsTests {
    private static let hostile = #"Bad\n2026-01-01 CRITICAL\u001b]0;x\u0007\u202e\u2028"#
    private static let long = String(repeating: "W", count: 5_000)
    private static let words = [hostile, long]

    private func expectHarmless(_ text: String?, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let text else { return }
        #expect(text == text.printable(atMost: .max), "\(text)", sourceLocation: sourceLocation)
        #expect(text.unicodeScalars.count <= 150, sourceLocation: sourceLocation)
    }

    private func expectHarmless(_ outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
        switch outcome {
        case .accepted(let id): expectHarmless(id, sourceLocation: sourceLocation)
        case .rejected(_, let reason), .undecided(_, let reason), .neverSent(_, let reason):
            expectHarmless(reason, sourceLocation: sourceLocation)
        case .tooLarge, .missing: break
        }
    }

    @Test func `hostile characters in a reason are shown as visible escapes`() throws {
        let reply = APNsReply(status: 400, body: Array(#"{"reason":"\#(Self.hostile)"}"#.utf8))
        guard case .rejected(_, let reason) = reply.outcome else { throw Unexpected() }
        #expect(reason == #"Bad\n2026-01-01 CRITICAL\u{1B}]0;x\u{7}\u{202E}\u{2028}"#)
    }

    @Test(arguments: words) func `APNs reasons are safe to log`(word: String) {
        let body = Array(#"{"reason":"\#(word)"}"#.utf8)
        for status in [400, 403, 410, 429, 500] {
            expectHarmless(APNsReply(status: status, body: body).outcome)
        }
        expectHarmless(APNsReply.goAway(debugData: body)?.reason)
    }

    @Test(arguments: words) func `FCM error codes are safe to log`(word: String) {
        let details = """
            [{"@type":"x.google.firebase.fcm.v1.FcmError","errorCode":"\(word)"},
             {"@type":"x.google.rpc.BadRequest","fieldViolations":[{"field":"\(word)","description":"\(word)"}]}]
            """
        for text in [
            #"{"name":"projects/p/messages/\#(word)"}"#,
            #"{"error":{"status":"\#(word)","message":"\#(word)"}}"#,
            #"{"error":{"status":"\#(word)","message":"\#(word)","details":\#(details)}}"#,
        ] {
            for status in [200, 400, 403, 429, 500] {
                let reply = FCMReply(status: status, body: Array(text.utf8), retryAfter: word, now: noon)
                expectHarmless(reply.outcome)
                expectHarmless(reply.violatedField)
            }
        }
    }

    @Test(arguments: words) func `FCM legacy errors are safe to log`(word: String) {
        let text = #"{"results":[{"error":"\#(word)"},{"message_id":"\#(word)"}]}"#
        let reply = FCMLegacyReply(status: 200, body: Array(text.utf8), count: 2, now: noon)
        for result in reply.results { expectHarmless(result.outcome) }
    }

    @Test(arguments: words) func `token endpoint errors are safe to log`(word: String) {
        let text = #"{"error":"\#(word)","error_description":"\#(word)"}"#
        for status in [200, 400, 401, 500] {
            if case .refused(_, let reason, _) = OAuthReply(status: status, body: Array(text.utf8), now: noon)
            {
                expectHarmless(reason)
            }
        }
    }

    @Test func `keys in a document are safe to log`() throws {
        for key in [Self.hostile, Self.long] {
            for text in [#"{"\#(key)":1}"#, #"{"\#(key)":1,"\#(key)":2}"#, #"{"content":{"\#(key)":{}}}"#] {
                let error = try #require(throws: WireError.self) {
                    try DeliveryDocument.parse(Array(text.utf8))
                }
                for line in error.lines {
                    #expect(line == line.printable(atMost: .max))
                    #expect(line.count < 500)
                }
            }
        }
    }

    private let noon = WallTime(secondsSince1970: 1_795_262_400)
    private struct Unexpected: Error {}
}
