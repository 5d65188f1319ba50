internal import Dispatch
package import Logging
package import PushModel
package import PushStore
internal import PushTransport
internal import Synchronization

/// Tells receivers what happened, from the store's outbox, for as long as a process serves: on a thread of its
/// own, which may wait for the store and never for a receiver.
///
/// **Promises.** At least once: a batch is sent until the receiver has taken it, with the same id and the same
/// events, also by the next process; only then its cursor moves. A receiver that hangs, refuses or is gone
/// delays nobody else, and nothing that is sent to devices. Of one instance one process sends.
/// **Failures.** What a receiver does is in its row, and in the log; what the store does is tried again each
/// second. **Neighbours.** `WebhookPlan` decides who is due, ``SenderLoop`` obeys.
package final class WebhookSender: Sendable {
    /// How much is kept for receivers that do not take it, now.
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

    /// Until ``end()``, on the caller's thread.
    package func run() {
        let loop = SenderLoop(self)
        while !hasEnded { loop.turn() }
    }

    /// What is under way is given up, and sent again by whoever comes next.
    package func end() {
        isEnding.withLock { $0 = true }
        wake.signal()
    }

    var hasEnded: Bool { isEnding.withLock(\.self) }

    func sleep(milliseconds: Int) { _ = wake.wait(timeout: .now() + .milliseconds(milliseconds)) }
}
