package import PushModel

/// What became of one message of a part.
package struct PartOutcome: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        case sent(providerID: String?)
        case failed(CauseCode)
        case retrying(due: WallTime, CauseCode)
        case cancelled(CauseCode)
        case excluded(CauseCode)
    }

    /// Of the message within its part.
    package var index: Int
    package var change: Change
    /// Whether this was an attempt that counts; an acceptance always does.
    package var countsAttempt: Bool
    /// How many had counted when the message was granted: an outcome that says something else comes a second
    /// time, or from an earlier grant. nil: it is not known.
    package var attemptsBefore: Int?

    package init(index: Int, change: Change, countsAttempt: Bool, attemptsBefore: Int?) {
        self.index = index
        self.change = change
        self.countsAttempt = countsAttempt
        self.attemptsBefore = attemptsBefore
    }
}

/// Outcomes of one part that are recorded together.
package struct PartOutcomes: Sendable {
    /// Accepted without anything to note: nearly all, so they are bare indices. In any order.
    package var accepted: ContiguousArray<Int> = []
    /// In the order in which they came.
    package var others: ContiguousArray<PartOutcome> = []

    package init() {}
    package var count: Int { accepted.count + others.count }
}
