package import PushModel

/// Determines whether this host's wall clock agrees with the clock of the store's server, and the
/// consequences if it does not. This host calculates due times, validities and waves with its own clock, and
/// if it leads, it does so for all hosts.
///
/// Pure, like ``HostWatch``. **Promises.** A host whose clock differs stops sending while another host can
/// take over its work. If all hosts differ because the server's clock is wrong, one host continues.
package struct HostClock: Sendable {
    /// Clocks that differ by more than this do not agree.
    package static let maxDifferenceMilliseconds: Int64 = 30_000
    /// An answer that took longer than this is not evidence about a clock: the process may have been
    /// suspended.
    package static let maxJourneyMilliseconds: Int64 = 1_000
    /// How long a host whose clock differs continues to send although another host leads. A clock that was
    /// changed by mistake may be corrected within this time.
    package static let patienceMilliseconds: Int64 = 5_000
    /// How long a leading host whose clock differs continues to send although another host sends. By the end
    /// of this time, each of the other hosts has decided whether it stops sending.
    package static let leadersPatienceMilliseconds: Int64 = 30_000

    /// How far this host's clock is ahead of the server's clock, if the difference is too large; `nil` if the
    /// clocks are not known to differ.
    package private(set) var differenceMilliseconds: Int64?
    private var since: MonotonicTime?

    package init() {}

    package var differenceSeconds: Int64? { differenceMilliseconds.map { $0 / 1_000 } }

    /// - Parameters:
    ///   - wall: This host's clock when the answer arrived, in milliseconds.
    ///   - store: The server's clock when the server answered, in milliseconds.
    package mutating func looked(wall: Int64, store: Int64, sentAt sent: MonotonicTime, now: MonotonicTime) {
        guard now.milliseconds(since: sent) <= Self.maxJourneyMilliseconds else { return }
        let difference = wall - store
        guard abs(difference) > Self.maxDifferenceMilliseconds else {
            return (differenceMilliseconds, since) = (nil, nil)
        }
        differenceMilliseconds = difference
        since = since ?? now
    }

    /// Reports whether this host should send nothing because another host can send instead.
    /// - Parameters:
    ///   - leads: Whether this host leads.
    ///   - another: Whether another host leads, and whether another host sends.
    ///   - isSending: Whether this host has begun sending. If it has not, it need not begin, so it rests at
    ///     once.
    package func rests(
        leads: Bool, another: (leads: Bool, sends: Bool), isSending: Bool, at now: MonotonicTime
    ) -> Bool {
        guard let since, leads ? another.sends : another.leads else { return false }
        let patience = leads ? Self.leadersPatienceMilliseconds : isSending ? Self.patienceMilliseconds : 0
        return now.milliseconds(since: since) >= patience
    }
}
