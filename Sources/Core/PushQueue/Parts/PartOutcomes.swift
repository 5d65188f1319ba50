package import PushModel

/// The result of one message of a part.
package struct PartOutcome: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        case sent(providerID: String?)
        case failed(CauseCode)
        case retrying(due: WallTime, CauseCode)
        case cancelled(CauseCode)
        case excluded(CauseCode)
    }

    /// The index of the message within its part.
    package var index: Int
    package var change: Change
    /// Whether this was an attempt that counts. An acceptance always counts.
    package var countsAttempt: Bool
    /// The number of attempts that had counted when the message was granted; `nil` if it is unknown. An
    /// outcome with a different number is a duplicate or belongs to an earlier grant.
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
    /// Messages whose acceptance needs no note, in any order. Nearly all outcomes are of this kind, so they
    /// are stored as bare indices.
    package var accepted: ContiguousArray<Int> = []
    /// All other outcomes, in order of arrival.
    package var others: ContiguousArray<PartOutcome> = []

    package init() {}
    package var count: Int { accepted.count + others.count }
}
