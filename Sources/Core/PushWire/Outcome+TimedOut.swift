package import PushModel

extension Outcome {
    /// The words with which connectors end the reason of an outcome if they abandoned the request because no
    /// answer arrived.
    package static let noAnswerInTime = "no answer in time"

    /// Whether the request ended because no answer arrived in time, which the sender does not cause. Broken
    /// connections and meaningless answers are not included.
    package var isTimedOut: Bool {
        if case .undecided(_, let reason) = self { reason.hasSuffix(Self.noAnswerInTime) } else { false }
    }
}
