/// What came of one attempt to tell a receiver something.
package enum WebhookAnswer: Equatable, Sendable {
    /// - Parameters:
    ///   - isWhole: false where the connection ended before the answer did.
    ///   - retryAfterSeconds: as the receiver asks; nil: it does not.
    case answered(status: Int, isWhole: Bool, retryAfterSeconds: Int64?)
    /// There was no answer. - Parameter why: in words, without secrets.
    case unanswered(why: String)

    /// What it means.
    package enum Meaning: Equatable, Sendable {
        /// The receiver has the batch for good.
        case taken
        /// It wants nothing more.
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

    /// For operators.
    package var text: String {
        switch self {
        case .answered(let status, true, _): "HTTP \(status)"
        case .answered(let status, false, _): "HTTP \(status), and the answer broke off"
        case .unanswered(let why): why
        }
    }
}
