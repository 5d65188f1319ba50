package import PushModel
package import PushStore

/// Determines which of several hosts may send. One host serves, and the others stand by and take over if it
/// fails.
///
/// Pure: it has no clock and no store. Times are read from this host's `CLOCK_BOOTTIME`, which continues
/// while the machine sleeps. The caller sends a renewal each second and reports the result. While this host
/// stands by, the caller reports the store's information about the host that serves.
///
/// **Promises.** ``sendsUntil`` is calculated from the moment when the last successful renewal was *sent*, so
/// a late answer does not extend the time. A take-over is requested in two cases only: if, by this host's own
/// clock and within one connection, no renewal was seen for longer than a host may send without renewing; or
/// immediately, if the serving host has left in an orderly way. The clocks therefore need not agree; they
/// only have to run at the same speed. The store decides: a take-over succeeds if the conditions of its
/// request still hold, and it raises the generation, so that the earlier host can no longer renew its lease.
package struct HostLease: Sendable {
    package struct Times: Equatable, Sendable {
        /// The interval between renewals or, on a host that stands by, between looks.
        package var renewalMilliseconds: Int64
        /// How long requests may begin after the last successful renewal was sent.
        package var sendingMilliseconds: Int64
        /// Other hosts take over if the serving host has not renewed its lease for this long.
        package var takeOverMilliseconds: Int64

        package static let standard = Times(takeOverMilliseconds: 20_000)

        /// - Parameter takeOverMilliseconds: At least 200. A quarter of this time separates the last request
        ///   of one host from the first request of the next host.
        package init(takeOverMilliseconds given: Int64) {
            let takeOver = max(given, 200)
            // Looks detect an orderly departure, so they are frequent even if a silent host is tolerated for
            // a long time.
            renewalMilliseconds = min(takeOver / 20, 1_000)
            sendingMilliseconds = takeOver / 4 * 3
            takeOverMilliseconds = takeOver
        }
    }

    package enum Role: Equatable, Sendable {
        case standingBy
        case serving(generation: Int64)
        /// Another host took over, or this host has left. This host no longer sends anything.
        case over
    }

    /// The decision after a look.
    package enum Decision: Equatable, Sendable {
        case wait
        /// Take over from the given host; `nil` if no host serves.
        case takeOver(from: SeenHost?)
    }

    package let times: Times
    private let host: String
    package private(set) var role = Role.standingBy
    /// The moment until which requests may begin; `nil` if no request may begin.
    package private(set) var sendsUntil: MonotonicTime?
    /// The host that served at the last look, and the moment since which looks have returned the same result.
    private var seen: (holder: SeenHost, since: MonotonicTime)?

    /// - Parameter host: The id of this host.
    package init(host: String, times: Times = .standard) {
        self.host = host
        self.times = times
    }

    // MARK: Standing by

    /// Records that the connection was lost. The time for which the serving host has been silent is counted
    /// from zero again.
    package mutating func lostConnection() { seen = nil }

    /// - Parameters:
    ///   - holder: The host that serves; `nil` if no host serves or the last host has left.
    ///   - sentAt: When the look was sent. Its result was read after this moment.
    ///   - now: When the answer arrived.
    package mutating func looked(
        at holder: SeenHost?, sentAt: MonotonicTime, now: MonotonicTime
    ) -> Decision {
        guard role == .standingBy else { return .wait }
        // If the holder is this host, the lease belonged to an earlier process of this host, whose children
        // have ended before this process looks.
        guard let holder, holder.host != host else {
            seen = nil
            return .takeOver(from: holder)
        }
        guard let seen, seen.holder == holder else {
            // The time is counted from the answer, because the other host may have sent its report
            // immediately before the answer.
            seen = (holder, now)
            return .wait
        }
        return sentAt.milliseconds(since: seen.since) >= times.takeOverMilliseconds
            ? .takeOver(from: holder) : .wait
    }

    /// Records that the store has agreed and this host serves.
    /// - Parameter sentAt: When the take-over was sent. It counts as the first renewal.
    package mutating func tookOver(generation: Int64, sentAt: MonotonicTime) {
        guard role == .standingBy else { return }
        role = .serving(generation: generation)
        seen = nil
        extend(sentAt)
    }

    // MARK: Serving

    /// Records a successful renewal that was sent at the given moment.
    package mutating func renewed(sentAt: MonotonicTime) {
        if case .serving = role { extend(sentAt) }
    }

    /// Records that the store has reported a take-over by another host, or that this host's children have
    /// ended and it is about to leave.
    package mutating func end() {
        role = .over
        sendsUntil = nil
    }

    private mutating func extend(_ sentAt: MonotonicTime) {
        let end = sentAt.advanced(byMilliseconds: times.sendingMilliseconds)
        sendsUntil = max(sendsUntil ?? end, end)
    }
}
