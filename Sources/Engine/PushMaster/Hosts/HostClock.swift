package import PushModel

/// Whether this host's wall clock agrees with that of the store's server, and what follows where it does not: due
/// times, validities and waves are reckoned by it, for all hosts where it leads.
///
/// Pure, as ``HostWatch``. **Promises.** A host whose clock differs rests while another one can do without it; of hosts
/// that all differ, because it is the server's clock that is wrong, one goes on.
package struct HostClock: Sendable {
    /// Clocks that differ by more are not one clock.
    package static let mostDifferenceMilliseconds: Int64 = 30_000
    /// An answer that took longer says nothing of a clock: the process may have stood still.
    package static let longestJourneyMilliseconds: Int64 = 1_000
    /// For so long one that sends beside another goes on: a clock that was set may be set right.
    package static let patienceMilliseconds: Int64 = 5_000
    /// For so long one that leads goes on: by then the others have said whether they rest themselves.
    package static let leadersPatienceMilliseconds: Int64 = 30_000

    /// By how much it is ahead of the server's, where that is too much; nil: it agrees, as far as is known.
    package private(set) var differenceMilliseconds: Int64?
    private var since: MonotonicTime?

    package init() {}

    package var differenceSeconds: Int64? { differenceMilliseconds.map { $0 / 1_000 } }

    /// - Parameters:
    ///   - wall: this host's clock when the answer came, in milliseconds.
    ///   - store: the server's when it answered.
    package mutating func looked(wall: Int64, store: Int64, sentAt sent: MonotonicTime, now: MonotonicTime) {
        guard now.milliseconds(since: sent) <= Self.longestJourneyMilliseconds else { return }
        let difference = wall - store
        guard abs(difference) > Self.mostDifferenceMilliseconds else {
            return (differenceMilliseconds, since) = (nil, nil)
        }
        differenceMilliseconds = difference
        since = since ?? now
    }

    /// Whether this host is to send nothing, because another one does.
    /// - Parameters:
    ///   - leads: this host does.
    ///   - another: what other hosts do.
    ///   - isSending: false: it has not begun, and need not.
    package func rests(
        leads: Bool, another: (leads: Bool, sends: Bool), isSending: Bool, at now: MonotonicTime
    ) -> Bool {
        guard let since, leads ? another.sends : another.leads else { return false }
        let patience = leads ? Self.leadersPatienceMilliseconds : isSending ? Self.patienceMilliseconds : 0
        return now.milliseconds(since: since) >= patience
    }
}
