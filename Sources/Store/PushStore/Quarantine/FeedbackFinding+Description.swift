internal import PushModel

/// One line with the finding's evidence and the shortened token, for the log and for operators.
extension FeedbackFinding: CustomStringConvertible {
    package var description: String {
        let last = registered.map { "last registered \($0.utcText)" } ?? "never registered"
        return switch result {
        case .disabled: "disabled \(token): app removed at \(since.utcText), \(last)"
        case .registeredAgain: "kept \(token): app removed at \(since.utcText), but \(last)"
        case .excludedAlready:
            "left \(token) unchanged: excluded already; app removed at \(since.utcText), \(last)"
        case .unknownToken: "ignored \(token): no subscriber has it; app removed at \(since.utcText)"
        }
    }
}
