package import PushModel

extension Outcome {
    /// The end of the reason of a request that was abandoned because no answer arrived. The connectors write
    /// it.
    package static let noAnswerInTime = "no answer in time"

    /// Whether no answer arrived. This is not caused by the sender. Broken connections and meaningless
    /// answers are not included.
    package var isTimedOut: Bool {
        if case .undecided(_, let reason) = self { reason.hasSuffix(Self.noAnswerInTime) } else { false }
    }
}
