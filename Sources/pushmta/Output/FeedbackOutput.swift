internal import PushOperations
internal import PushStore

/// Each change that a feedback service brings, as text at once or kept for JSON.
struct FeedbackOutput {
    let printsChanges: Bool
    /// Where they are not printed.
    private(set) var kept: [FeedbackFinding] = []
    /// The first that kept a line from being written; the changes go on, as the service has forgotten them.
    private(set) var failure: (any Error)?

    init(printsChanges: Bool) { self.printsChanges = printsChanges }

    mutating func take(_ change: FeedbackFinding) {
        guard printsChanges else { return kept.append(change) }
        guard failure == nil else { return }
        do { try StandardOutput.line(change.description) } catch { failure = error }
    }
}

extension FeedbackCounts {
    var text: String {
        let rest = [
            "\(disabled) disabled", "\(registeredAgain) kept because they registered again",
            "\(excludedAlready) excluded already", "\(unknown) unknown",
        ]
        return "\(Numerals.count(told, "device")): \(rest.joined(separator: ", "))"
    }
}
