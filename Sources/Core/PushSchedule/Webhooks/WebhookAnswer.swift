/// The result of one attempt to send events to a receiver.
package enum WebhookAnswer: Equatable, Sendable {
    /// - Parameters:
    ///   - isWhole: `false` if the connection ended before the answer did.
    ///   - retryAfterSeconds: The delay that the receiver requests; `nil` if it requests none.
    case answered(status: Int, isWhole: Bool, retryAfterSeconds: Int64?)
    /// There was no answer.
    /// - Parameter why: The reason as text, without secrets.
    case unanswered(why: String)

    /// The meaning of the answer.
    package enum Meaning: Equatable, Sendable {
        /// The receiver has accepted the batch permanently.
        case taken
        /// The receiver wants no further events.
        case gone
        case again(retryAfterSeconds: Int64?)
    }

    package var meaning: Meaning {
        switch self {
        case .answered(200..<300, isWhole: true, _): .taken
        case .answered(410, _, _): .gone
        case .answered(_, _, let seconds): .again(retryAfterSeconds: seconds)
        case .unanswered: .again(retryAfterSeconds: nil)
        }
    }

    /// The text for operators.
    package var text: String {
        switch self {
        case .answered(let status, true, _): "HTTP \(status)"
        case .answered(let status, false, _): "HTTP \(status), and the answer was cut off"
        case .unanswered(let why): why
        }
    }
}
