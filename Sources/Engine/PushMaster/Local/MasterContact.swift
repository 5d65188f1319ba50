internal import Dispatch
internal import Glibc
package import PushModel
internal import PushSystem
package import PushWire
internal import Synchronization

/// Contacts the master from another process, which serves many callers.
///
/// **Promises.** No caller waits for a notification: a separate thread sends one notification at a time, and
/// combines notifications that arrive meanwhile. A master that did not answer in time counts as silent for
/// some seconds. During that time it receives no request, so that no caller waits for it. A notification that
/// was not answered is repeated after that time. **Failures.** None: if a notification does not arrive, the
/// master finds the change in the store.
package final class MasterContact: Sendable {
    /// The maximum waits for a master, in milliseconds.
    package struct Timeouts: Sendable {
        package var notification = LocalClient.noticeMilliseconds
        package var admission: Int64 = 1_000
        package var status: Int64 = 5_000
        /// How long a master counts as silent.
        package var silence: Int64 = 5_000
        package init() {}
    }

    private struct State {
        /// Whether a thread is notifying the master, or will do so when the master no longer counts as
        /// silent.
        var isNotifying = false
        var hasWakeUp = false
        var changed: Set<DeliveryID> = []
        var silentUntil: MonotonicTime?
    }

    /// The maximum number of deliveries for which notifications may be pending. If there are more, the master
    /// receives a wake-up and finds the others in the store.
    private static let maxChanged = 1_000

    private let storePath: String
    private let timeouts: Timeouts
    private let announce: @Sendable () -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "notifications for the master")

    /// - Parameter announce: Called if no master accepts a notification. It may wait for the store.
    package init(
        storePath: String, timeouts: Timeouts = Timeouts(), announce: @escaping @Sendable () -> Void
    ) {
        (self.storePath, self.timeouts, self.announce) = (storePath, timeouts, announce)
    }

    /// Whether the master counts as silent, because it recently failed to answer in time.
    package var isSilent: Bool {
        state.withLock(\.silentUntil).map { Clocks.monotonic() < $0 } ?? false
    }

    /// See ``LocalClient/wakeUp(storePath:)``. Returns without waiting.
    package func wakeUp() { notify { $0.hasWakeUp = true } }

    /// See ``LocalClient/pauseChanged(_:storePath:)``. Returns without waiting.
    package func pauseChanged(_ delivery: DeliveryID) {
        notify { state in
            if state.changed.count < Self.maxChanged {
                state.changed.insert(delivery)
            } else {
                state.hasWakeUp = true
            }
        }
    }

    /// Returns the master's status; `nil` if no master is running.
    /// - Throws: The error that made the request fail. If the master counts as silent, an error is thrown and
    ///   no request is made.
    package func status() throws(MasterError) -> MasterStatus? {
        guard !isSilent else {
            throw .system(
                what: "query the master at", path: LocalSocket.path(forStore: storePath),
                errorNumber: ETIMEDOUT)
        }
        do throws(MasterError) {
            return try LocalClient.status(storePath: storePath, within: timeouts.status)
        } catch {
            if case .system(_, _, let number) = error, number == ETIMEDOUT || number == EAGAIN {
                noteSilence()
            }
            throw error
        }
    }

    /// See ``LocalClient/carryOut(_:for:mark:storePath:timeouts:)``. A silent master receives nothing.
    package func carryOut(_ request: ServiceRequest, for caller: String?, mark: String?) -> CarriedOut {
        guard !isSilent else { return .silent }
        var timeouts = LocalClient.Timeouts()
        timeouts.admission = self.timeouts.admission
        let outcome = LocalClient.carryOut(
            request, for: caller, mark: mark, storePath: storePath, timeouts: timeouts)
        if outcome == .silent { noteSilence() }
        return outcome
    }

    private func noteSilence() {
        let end = Clocks.monotonic().advanced(byMilliseconds: timeouts.silence)
        state.withLock { $0.silentUntil = end }
    }

    // MARK: Notifications

    private func notify(_ change: (inout State) -> Void) {
        let begins = state.withLock { state in
            change(&state)
            defer { state.isNotifying = true }
            return !state.isNotifying
        }
        if begins { queue.async { self.sendAll() } }
    }

    private func sendAll() {
        while let requests = take() {
            var wasSent = true
            for (place, request) in requests.enumerated() {
                let reception = LocalClient.notify(request, storePath, within: timeouts.notification)
                wasSent = wasSent && reception.isTaken
                guard reception.isSilent else { continue }
                announce()
                return repeatLater(requests[place...])
            }
            state.withLock { $0.silentUntil = nil }
            if !wasSent { announce() }
        }
    }

    /// Returns the next notifications; `nil` if there are none. If this function returns `nil`, the next
    /// notification starts another thread.
    private func take() -> [LocalClient.Notice]? {
        state.withLock { state in
            let requests =
                state.changed.sorted().map(LocalClient.Notice.pauseChanged)
                + (state.hasWakeUp ? [.wakeUp] : [])
            (state.changed, state.hasWakeUp) = ([], false)
            state.isNotifying = !requests.isEmpty
            return requests.isEmpty ? nil : requests
        }
    }

    private func repeatLater(_ requests: ArraySlice<LocalClient.Notice>) {
        noteSilence()
        state.withLock { state in
            for request in requests {
                if case .pauseChanged(let delivery) = request { state.changed.insert(delivery) }
                if case .wakeUp = request { state.hasWakeUp = true }
            }
        }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(timeouts.silence))) { self.sendAll() }
    }
}
