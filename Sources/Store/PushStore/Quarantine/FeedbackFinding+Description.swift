internal import PushModel

/// One line with the finding's evidence and the shortened token, for the log and for operators.
extension FeedbackFinding: CustomStringConvertible {
    package var description: String {
        let last = registered.map { "last registered \($0.utcText)" } ?? "never registered"
        return switch result {
        case .disabled: "disabled \(token): gone since \(since.utcText), \(last)"
        case .registeredAgain: "kept \(token): gone at \(since.utcText), but \(last)"
        case .excludedAlready:
            "left \(token) as it is: excluded already; gone since \(since.utcText), \(last)"
        case .unknownToken: "passed over \(token): no subscriber has it; gone since \(since.utcText)"
        }
    }
}
