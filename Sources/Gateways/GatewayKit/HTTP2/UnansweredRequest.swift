internal import PushModel
package import PushTransport
internal import PushWire

/// The possible results of a request without an answer. This type is the only mapping from the endings of a
/// connection to outcomes.
package enum UnansweredRequest: Equatable {
    /// The gateway cannot have acted on the request. The detail is the reason; `nil` if the peer only
    /// reported that it had not read the request.
    case neverSent(detail: String?)
    /// The gateway may have acted on the request.
    case undecided(detail: String)

    package init(_ ending: HTTP2Outcome) {
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
