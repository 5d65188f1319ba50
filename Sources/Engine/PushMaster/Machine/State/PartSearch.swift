package import PushModel
package import PushSchedule

/// The state of the search for parts: its position, whether a search is under way, and the next step. One
/// search runs at a time. Searches for new parts of all accounts alternate with searches for left-out parts
/// of an account that has room again.
///
/// If all earlier parts are known, a prepared part needs no search and is passed on directly. The numbers of
/// its messages show whether it follows the last known part without a gap.
package struct PartSearch: Sendable {
    package enum Step: Equatable, Sendable {
        /// A search for parts of all accounts, after this part.
        case new(after: PartID?)
        /// A search for the app's parts, from the first part that was left out up to this part.
        case leftOut(PartLedger.PartsLeftOut, upTo: PartID)
    }

    package private(set) var isUnderWay = false
    private var last: PartID?
    /// The last message of the last part, if it is known.
    private var lastMessage: MessageID?
    private var mayHaveMore = true
    /// The app whose left-out parts were searched for last.
    package private(set) var lastApp: AppID?
    private var wasForLeftOut = false
    private var hasFailed = false
    /// When the search starts again from the first part.
    private var restart: MonotonicTime?

    package init() {}

    /// The last part that the search has reached. Parts beyond it are still to be found.
    package var reached: PartID? { last }

    /// Records a prepared part.
    /// - Returns: Whether the part must be passed on without a search, because all earlier parts are known
    ///   and this part is not.
    package mutating func prepared(_ part: Part) -> Bool {
        // Part numbers are committed in order, so a search that has passed this part's number has found the
        // part. Without this check, searches and announcements that overtake each other would trigger each
        // other for as long as messages arrive.
        if let last, part.id <= last { return false }
        let follows = lastMessage.map { $0.rawValue + 1 == part.messages.lowerBound.rawValue } ?? false
        guard follows, !mayHaveMore, !hasFailed, restart == nil else {
            mayHaveMore = true
            return false
        }
        (last, lastMessage) = (part.id, part.messages.upperBound)
        return true
    }

    /// - Parameter leftOut: The left-out parts of the next app after ``lastApp``, up to ``reached``, if the
    ///   ledger has room for them again; `nil` if there are none.
    /// - Returns: `nil` if there is nothing to find or a search is under way.
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

    /// Continues the search, because other processes may have prepared more parts.
    package mutating func resume() { mayHaveMore = true }

    package mutating func failed() { hasFailed = true }

    /// Restarts the search from the first part at the given moment. Known parts are skipped.
    package mutating func scheduleRestart(at moment: MonotonicTime) {
        restart = min(restart ?? moment, moment)
    }

    /// Called once a second.
    package mutating func tick(at now: MonotonicTime) {
        if hasFailed { (hasFailed, isUnderWay, mayHaveMore) = (false, false, true) }
        guard let restart, now >= restart, !isUnderWay else { return }
        (self.restart, last, lastMessage, mayHaveMore) = (nil, nil, nil, true)
    }
}
