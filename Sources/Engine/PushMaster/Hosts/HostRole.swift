package import PushModel
internal import Synchronization

/// The role of this host among the hosts that share the store, visible to all threads of the master. It never
/// changes if only one host uses the store.
package final class HostRole: Sendable {
    private struct State {
        var leads: Bool
        var word = HostReportFigures()
        var others = 0
        var renewed: MonotonicTime?
    }

    /// The figures about this host that are reported when its lease is renewed.
    package struct HostReportFigures: Equatable, Sendable {
        /// The number of shares into which quotas and rates are currently divided.
        package var shares = 0
        /// The moment up to which this host has carried out pauses and stops, in milliseconds by the store's
        /// clock.
        package var obeyedMilliseconds: Int64 = 0
        package var unrecorded = 0
        package var answersPerSecond = 0
    }

    /// Whether several hosts may share the store.
    package let isShared: Bool
    private let state: Mutex<State>

    package init(isShared: Bool) {
        self.isShared = isShared
        state = Mutex(State(leads: !isShared))
    }

    /// Whether this host prepares deliveries, expires messages, removes old data and sends webhooks. If
    /// several hosts send, only one of them does this work.
    package var leads: Bool { state.withLock(\.leads) }
    package func lead() { state.withLock { $0.leads = true } }
    /// Records that another host leads. Called only while this host has not begun sending.
    package func follow() { state.withLock { $0.leads = !isShared } }

    /// The number of other hosts that are alive.
    package var others: Int { state.withLock(\.others) }
    package func note(others: Int) { state.withLock { $0.others = others } }

    package var figures: HostReportFigures { state.withLock(\.word) }
    package func note(shares: Int) { state.withLock { $0.word.shares = shares } }
    /// Records the moment up to which this host has carried out pauses and stops. The new moment replaces the
    /// previous one even if it is lower, because the store's clock may be set back.
    package func note(obeyed moment: Int64) { state.withLock { $0.word.obeyedMilliseconds = moment } }
    package func note(unrecorded: Int, answersPerSecond: Int) {
        state.withLock { ($0.word.unrecorded, $0.word.answersPerSecond) = (unrecorded, answersPerSecond) }
    }

    /// When the last successful renewal of the lease was sent, by ``Clocks/boot()``; `nil` if there is no
    /// lease.
    package var renewed: MonotonicTime? { state.withLock(\.renewed) }
    package func note(renewed moment: MonotonicTime) { state.withLock { $0.renewed = moment } }
}
