package import PushWire

/// Receives the tuples of a gateway's feedback service. All calls come from the loop's `wait`.
package protocol FeedbackListener: AnyObject {
    func feedback(_ tuples: [FeedbackTuple])
    /// The last call, made exactly once.
    func feedbackEnded(_ end: FeedbackEnd)
}

/// A reading of a feedback service. The loop keeps the reading alive until it has ended.
package protocol FeedbackReading: AnyObject {
    /// Limits how much longer the feedback service is read, because the child is about to exit. Tuples that
    /// the service has not sent within this time are lost, because the service never sends a tuple twice.
    func finish(withinSeconds seconds: Int64)
}

/// The way in which reading the feedback service ended. Tuples that were received before are valid in all
/// cases, because the service forgets tuples after sending them.
package enum FeedbackEnd: Equatable, Sendable {
    /// The service sent all its tuples.
    case complete
    /// The stream stopped in the middle of a tuple, because the connection broke, or because the service was
    /// silent. There may have been more tuples.
    case cut(reason: String)
    /// The received bytes are not feedback; tuples before them are valid.
    case absurd(reason: String)
    case unreachable(reason: String)
    case refused(reason: String)

    /// The reason why the service was not read completely, in one line; `nil` if it was read completely.
    package var failure: String? {
        switch self {
        case .complete: nil
        case .cut(let reason), .absurd(let reason), .unreachable(let reason), .refused(let reason): reason
        }
    }
}
