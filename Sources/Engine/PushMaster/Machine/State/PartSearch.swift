package import PushModel
package import PushSchedule

/// Where the search for parts stands, whether one is under way, and what comes next: one search at a time,
/// everybody's new parts and, by turns with them, those that were left out of an account that has room again.
///
/// A part that is prepared while everything before it is known needs no search: it is handed on as it is.
/// What follows without a gap is told by its messages' numbers.
package struct PartSearch: Sendable {
    package enum Step: Equatable, Sendable {
        /// Parts after this one, of everybody.
        case new(after: PartID?)
        /// The app's parts from its first that was left out on, up to this one.
        case leftOut(PartLedger.PartsLeftOut, upTo: PartID)
    }

    package private(set) var isUnderWay = false
    private var last: PartID?
    /// The last message of the last part, where that is known.
    private var lastMessage: MessageID?
    private var mayHaveMore = true
    /// Whose parts that had been left out were looked for last.
    package private(set) var lastApp: AppID?
    private var wasForLeftOut = false
    private var hasFailed = false
    /// When it begins anew.
    private var restart: MonotonicTime?

    package init() {}

    /// How far it has come: what lies beyond is yet to be found.
    package var reached: PartID? { last }

    /// A part was prepared.
    /// - Returns: whether it is to be handed on without a search: all before it is known, and it is not.
    package mutating func prepared(_ part: Part) -> Bool {
        // Numbers are committed in their order, so a search that came this far has found it. Without this, searches and
        // announcements that overtake each other would cause each other for as long as messages come.
        if let last, part.id <= last { return false }
        let follows = lastMessage.map { $0.rawValue + 1 == part.messages.lowerBound.rawValue } ?? false
        guard follows, !mayHaveMore, !hasFailed, restart == nil else {
            mayHaveMore = true
            return false
        }
        (last, lastMessage) = (part.id, part.messages.upperBound)
        return true
    }

    /// - Parameter leftOut: what the ledger has room for, of what lies up to ``reached``, after ``lastApp``;
    ///   nil: nothing.
    /// - Returns: nil where nothing is to be found, or a search is under way.
    package mutating func next(leftOut: PartLedger.PartsLeftOut?) -> Step? {
        guard !isUnderWay else { return nil }
        if let last, let leftOut, !mayHaveMore || !wasForLeftOut {
            (lastApp, wasForLeftOut, isUnderWay) = (leftOut.app, true, true)
            return .leftOut(leftOut, upTo: last)
        }
        guard mayHaveMore else { return nil }
        (mayHaveMore, wasForLeftOut, isUnderWay) = (false, false, true)
        return .new(after: last)
    }

    package mutating func found(_ parts: [Part], last found: PartID?, hasMore: Bool) {
        isUnderWay = false
        mayHaveMore = mayHaveMore || hasMore
        guard let found, last.map({ $0 < found }) ?? true else { return }
        last = found
        lastMessage = parts.last.flatMap { $0.id == found ? $0.messages.upperBound : nil }
    }

    package mutating func foundAgain() { isUnderWay = false }

    /// Others may have prepared more.
    package mutating func goOn() { mayHaveMore = true }

    package mutating func failed() { hasFailed = true }

    /// From the first part on, from then: what is known already is passed over.
    package mutating func beginAnew(at moment: MonotonicTime) { restart = min(restart ?? moment, moment) }

    /// Once a second.
    package mutating func tick(at now: MonotonicTime) {
        if hasFailed { (hasFailed, isUnderWay, mayHaveMore) = (false, false, true) }
        guard let restart, now >= restart, !isUnderWay else { return }
        (self.restart, last, lastMessage, mayHaveMore) = (nil, nil, nil, true)
    }
}
