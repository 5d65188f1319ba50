import GatewayAPNs
import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct OutcomeTimedOutTests {
    private let noon = WallTime(secondsSince1970: 1_779_000_000)

    @Test func `only an unanswered message has timed out`() {
        #expect(APNsReply.outcome(of: .connectionLost, detail: Outcome.noAnswerInTime).isTimedOut)
        #expect(FCMReply.outcome(of: .noAnswer, detail: Outcome.noAnswerInTime).isTimedOut)
        #expect(!APNsReply.outcome(of: .connectionLost, detail: "stream reset, code 2").isTimedOut)
        #expect(!Outcome.accepted(providerID: nil).isTimedOut)
    }

    /// A proxy's page is an answer, although the result of the message is unknown: the sender of the page
    /// works.
    @Test func `a senseless answer is not a time-out`() {
        let reply = FCMReply(
            status: 200, body: Array("<html>no answer in time</html>".utf8), retryAfter: nil, now: noon)
        guard case .undecided = reply.outcome else {
            Issue.record("\(reply.outcome)")
            return
        }
        #expect(!reply.outcome.isTimedOut)
    }
}
