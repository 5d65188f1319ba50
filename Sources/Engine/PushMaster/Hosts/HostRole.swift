package import PushModel
internal import Synchronization

/// What this host is among those that share the store, as all threads of the master see it. Of a store that
/// is one host's it never changes.
package final class HostRole: Sendable {
    private struct State {
        var leads: Bool
        var word = HostReportFigures()
        var others = 0
        var renewed: MonotonicTime?
    }

    /// What is said of this host when its lease is renewed.
    package struct HostReportFigures: Equatable, Sendable {
        /// Into how many shares quotas and rates are divided by now.
        package var shares = 0
        /// Up to when pauses and stops are obeyed, by the store's clock in milliseconds.
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

    /// It prepares, expires, removes and tells webhooks; where several hosts send, one does.
    package var leads: Bool { state.withLock(\.leads) }
    package func lead() { state.withLock { $0.leads = true } }
    /// Another host leads: this one had not begun to send.
    package func follow() { state.withLock { $0.leads = !isShared } }

    /// Other hosts that live.
    package var others: Int { state.withLock(\.others) }
    package func note(others: Int) { state.withLock { $0.others = others } }

    package var figures: HostReportFigures { state.withLock(\.word) }
    package func note(shares: Int) { state.withLock { $0.word.shares = shares } }
    /// Moments come in order, and the store's clock may be set back: what it said before is no answer then.
    package func note(obeyed moment: Int64) { state.withLock { $0.word.obeyedMilliseconds = moment } }
    package func note(unrecorded: Int, answersPerSecond: Int) {
        state.withLock { ($0.word.unrecorded, $0.word.answersPerSecond) = (unrecorded, answersPerSecond) }
    }

    /// When the last renewal of the lease that succeeded was sent, by ``Clocks/boot()``; nil: there is no lease.
    package var renewed: MonotonicTime? { state.withLock(\.renewed) }
    package func note(renewed moment: MonotonicTime) { state.withLock { $0.renewed = moment } }
}
