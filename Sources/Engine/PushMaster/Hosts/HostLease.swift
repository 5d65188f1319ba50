package import PushModel
package import PushStore

/// Which of several hosts may send: one serves, the others stand by and take over.
///
/// Pure: no clock and no store. Times are of this host's `CLOCK_BOOTTIME`, which goes on while the machine
/// sleeps. The shell sends a renewal each second and tells what came of it; while it stands by, it tells what
/// the store says of the host that serves.
///
/// **Promises.** ``sendsUntil`` is reckoned from when the last renewal that succeeded was *sent*, so that an
/// answer that was long in coming gives no time. A take-over is asked for only after nobody was seen to renew
/// for longer than a host may send without renewing, as this host's own clock says, within one connection; or
/// at once where the host that served said goodbye. So no clock need agree with another, only run as fast.
/// The store decides: a take-over counts where what it was asked for is still so, and raises the generation,
/// under which an earlier host can renew nothing.
package struct HostLease: Sendable {
    package struct Times: Equatable, Sendable {
        /// A renewal, or a look, each.
        package var renewalMilliseconds: Int64
        /// After the last renewal that succeeded was sent, no request begins later than this.
        package var sendingMilliseconds: Int64
        /// Others take over when so long nobody has renewed.
        package var takeOverMilliseconds: Int64

        package static let standard = Times(takeOverMilliseconds: 20_000)

        /// - Parameter takeOverMilliseconds: at least 200; a quarter of it is between what one host may still
        ///   send and what another begins.
        package init(takeOverMilliseconds given: Int64) {
            let takeOver = max(given, 200)
            // A goodbye is seen by looking: however long silence may last, nobody waits long for that.
            renewalMilliseconds = min(takeOver / 20, 1_000)
            sendingMilliseconds = takeOver / 4 * 3
            takeOverMilliseconds = takeOver
        }
    }

    package enum Role: Equatable, Sendable {
        case standingBy
        case serving(generation: Int64)
        /// Another host took over, or this one said goodbye: it sends nothing any more.
        case over
    }

    /// What is to be done after a look.
    package enum Decision: Equatable, Sendable {
        case wait
        /// nil: nobody serves.
        case takeOver(from: SeenHost?)
    }

    package let times: Times
    private let host: String
    package private(set) var role = Role.standingBy
    /// Until then requests may begin; nil: none may.
    package private(set) var sendsUntil: MonotonicTime?
    /// What a look found, and since when it has been the same.
    private var seen: (holder: SeenHost, since: MonotonicTime)?

    /// - Parameter host: this one's id.
    package init(host: String, times: Times = .standard) {
        self.host = host
        self.times = times
    }

    // MARK: Standing by

    /// The connection was lost: what the store says is looked at anew.
    package mutating func lostConnection() { seen = nil }

    /// - Parameters:
    ///   - holder: who serves; nil: nobody does, or whoever did said goodbye.
    ///   - sentAt: when the look was sent: what it shows is not older.
    ///   - now: when its answer came.
    package mutating func looked(
        at holder: SeenHost?, sentAt: MonotonicTime, now: MonotonicTime
    ) -> Decision {
        guard role == .standingBy else { return .wait }
        // What this host's own earlier process had: its children have gone before this one looks.
        guard let holder, holder.host != host else {
            seen = nil
            return .takeOver(from: holder)
        }
        guard let seen, seen.holder == holder else {
            // From the answer on: the word may be as young as that.
            seen = (holder, now)
            return .wait
        }
        return sentAt.milliseconds(since: seen.since) >= times.takeOverMilliseconds
            ? .takeOver(from: holder) : .wait
    }

    /// The store agreed: this host serves.
    /// - Parameter sentAt: when the take-over was sent, which is the first renewal.
    package mutating func tookOver(generation: Int64, sentAt: MonotonicTime) {
        guard role == .standingBy else { return }
        role = .serving(generation: generation)
        seen = nil
        extend(sentAt)
    }

    // MARK: Serving

    /// A renewal succeeded that was sent then.
    package mutating func renewed(sentAt: MonotonicTime) {
        if case .serving = role { extend(sentAt) }
    }

    /// The store says that another host took over, or the children have gone and the goodbye is to be said.
    package mutating func end() {
        role = .over
        sendsUntil = nil
    }

    private mutating func extend(_ sentAt: MonotonicTime) {
        let end = sentAt.advanced(byMilliseconds: times.sendingMilliseconds)
        sendsUntil = max(sendsUntil ?? end, end)
    }
}
