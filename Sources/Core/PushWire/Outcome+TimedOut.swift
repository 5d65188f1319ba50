package import PushModel

extension Outcome {
    /// How the reason of a request ends that was given up because nobody answered it. The connectors write
    /// it.
    package static let noAnswerInTime = "no answer in time"

    /// Nobody answered: nothing that the sender has brought about. A connection that broke, or an answer that
    /// makes no sense, is not meant.
    package var isTimedOut: Bool {
        if case .undecided(_, let reason) = self { reason.hasSuffix(Self.noAnswerInTime) } else { false }
    }
}
