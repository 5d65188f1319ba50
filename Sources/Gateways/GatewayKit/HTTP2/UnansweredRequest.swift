internal import PushModel
package import PushTransport
internal import PushWire

/// What is known of a request without an answer: the one mapping from a connection's endings to outcomes.
package enum UnansweredRequest: Equatable {
    /// The gateway cannot have acted on it; why, where there is more to say than that it was refused unread.
    case neverSent(detail: String?)
    /// It may have.
    case undecided(detail: String)

    package init(_ ending: HTTP2Ending) {
        self =
            switch ending {
            case .neverSent(.connectionClosed(let cause)): .neverSent(detail: cause.label)
            case .neverSent(.goneAway), .neverSent(.refused): .neverSent(detail: nil)
            case .neverSent(.timedOut): .neverSent(detail: "timed out")
            case .undecided(.timedOut): .undecided(detail: Outcome.noAnswerInTime)
            case .undecided(.streamReset(let code)): .undecided(detail: "stream reset, code \(code)")
            case .undecided(.connectionLost(let cause)): .undecided(detail: cause.label)
            }
    }
}
