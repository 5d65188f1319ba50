import GatewayAPNs
import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct OutcomeTimedOutTests {
    private let noon = WallTime(secondsSince1970: 1_779_000_000)

    @Test func `only a message without an answer has timed out`() {
        #expect(APNsReply.outcome(of: .connectionLost, detail: Outcome.noAnswerInTime).isTimedOut)
        #expect(FCMReply.outcome(of: .noAnswer, detail: Outcome.noAnswerInTime).isTimedOut)
        #expect(!APNsReply.outcome(of: .connectionLost, detail: "stream reset, code 2").isTimedOut)
        #expect(!Outcome.accepted(providerID: nil).isTimedOut)
    }

    /// A page from a proxy is an answer, although the result for the message is unknown: the sender of the
    /// page works.
    @Test func `a nonsensical answer does not count as a timeout`() {
        let reply = FCMReply(
            status: 200, body: Array("<html>no answer in time</html>".utf8), retryAfter: nil, now: noon)
        guard case .undecided = reply.outcome else {
            Issue.record("\(reply.outcome)")
            return
        }
        #expect(!reply.outcome.isTimedOut)
    }
}
