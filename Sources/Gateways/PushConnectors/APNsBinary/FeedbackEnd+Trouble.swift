extension FeedbackEnd {
    /// Why the service was not read to its end, in a line; nil: it was.
    package var trouble: String? {
        switch self {
        case .complete: nil
        case .cut(let reason): reason
        case .absurd(let error): "\(error)"
        case .unreachable(let reason), .refused(let reason): reason
        }
    }
}
