internal import Dispatch
package import Logging
package import PushModel
package import PushStore
internal import PushTransport
internal import Synchronization

/// Sends events from the store's outbox to receivers for as long as a process serves. The sender runs on a
/// separate thread, which may wait for the store but never for a receiver.
///
/// **Promises.** Events are delivered at least once: the sender repeats a batch, with the same id and the
/// same events, until the receiver has accepted it. If the process ends, the next process continues with the
/// same batch. The receiver's cursor moves only after the receiver has accepted the batch. A receiver that
/// hangs, refuses events or no longer exists does not delay other receivers or messages to devices. Only one
/// process per instance sends. **Failures.** A receiver's failures are recorded in its webhook's row and in
/// the log. If the store fails, the sender tries again each second. **Neighbours.** `WebhookPlan` decides
/// which receivers are due, and ``SenderLoop`` carries out these decisions.
package final class WebhookSender: Sendable {
    /// Returns the current limits on the events that the store keeps for receivers that do not accept events.
    package typealias Bounds = @Sendable () -> (days: Int, megabytes: Int)

    let store: Store
    let cipher: MessageIDCipher
    let key: InstanceKey
    let bounds: Bounds
    let moment: @Sendable () -> WallMoment
    let logger: Logger
    private let isEnding = Mutex(false)
    private let wake = DispatchSemaphore(value: 0)

    package init(
        store: Store, key: InstanceKey, bounds: @escaping Bounds,
        moment: @escaping @Sendable () -> WallMoment,
        logger: Logger
    ) {
        self.store = store
        self.key = key
        cipher = MessageIDCipher(key: key)
        self.bounds = bounds
        self.moment = moment
        self.logger = logger
    }

    /// Runs on the caller's thread until ``end()`` is called.
    package func run() {
        let loop = SenderLoop(self)
        while !hasEnded { loop.turn() }
    }

    /// Ends the sender. Requests under way are cancelled, and the next sender sends them again.
    package func end() {
        isEnding.withLock { $0 = true }
        wake.signal()
    }

    var hasEnded: Bool { isEnding.withLock(\.self) }

    func sleep(milliseconds: Int) { _ = wake.wait(timeout: .now() + .milliseconds(milliseconds)) }
}
