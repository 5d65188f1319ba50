package import PushWire

/// Hears a gateway's feedback service, always from the loop's wait.
package protocol FeedbackListener: AnyObject {
    func feedback(_ tuples: [FeedbackTuple])
    /// The last word, said exactly once.
    func feedbackEnded(_ end: FeedbackEnd)
}

/// A feedback service that is being read: it lives until its end, held by its loop.
package protocol FeedbackReading: AnyObject {
    /// Who holds it wants to end: what the service has not said by then is lost, as it tells nothing twice.
    func finish(withinSeconds seconds: Int64)
}

/// How reading the feedback service ended. Tuples that came before count in each case: the service forgets
/// them once it has sent them.
package enum FeedbackEnd: Equatable, Sendable {
    /// The service said all that it had.
    case complete
    /// It stopped in the middle of a tuple, by a broken connection or by saying nothing; there may have been
    /// more.
    case cut(reason: String)
    /// What came is no feedback; what stands before it counts.
    case absurd(reason: String)
    case unreachable(reason: String)
    case refused(reason: String)

    /// Why the service was not read to its end, in a line; nil: it was.
    package var trouble: String? {
        switch self {
        case .complete: nil
        case .cut(let reason), .absurd(let reason), .unreachable(let reason), .refused(let reason): reason
        }
    }
}
