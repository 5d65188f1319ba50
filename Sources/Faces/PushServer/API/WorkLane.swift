internal import NIOPosix
internal import PushAPI
internal import PushModel
internal import PushSystem
internal import Synchronization

/// Threads that may wait for the store, for one kind of work, and the slots of its ``FairQueue``.
final class WorkLane: Sendable {
    private struct Item: Sendable {
        let perform: @Sendable () -> Void
        let refuse: @Sendable (OperationError) -> Void
    }

    private let queue: Mutex<FairQueue<Item>>
    private let pool: NIOThreadPool

    private static let ending = OperationError(.unavailable, "the service is stopping; try again in a moment")
    private static let late = OperationError(
        .unavailable, "too many requests of this kind are being answered; try again in a moment")

    init(threads: Int, _ limits: QueueLimits) {
        queue = Mutex(FairQueue(limits))
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
    }

    /// Does not wait for threads: one may hang in the store.
    func close() { pool.shutdownGracefully { _ in } }

    /// - Returns: whether the caller has a slot; then ``leave(_:)`` must follow.
    func enter(_ caller: String) -> Bool { queue.withLock { $0.enter(caller) } }

    func leave(_ caller: String) { queue.withLock { $0.leave(caller) } }

    /// Has work done on a thread of the lane in the caller's turn. Either closure is called, once.
    func submit(
        of caller: String, _ perform: @escaping @Sendable () -> Void,
        orRefuse refuse: @escaping @Sendable (OperationError) -> Void
    ) {
        queue.withLock { $0.add(Item(perform: perform, refuse: refuse), of: caller, at: Clocks.monotonic()) }
        pool.submit { [self] state in
            // Nothing is left if work was refused meanwhile because it had waited too long.
            guard let item = queue.withLock({ $0.next() }) else { return }
            if state == .active { item.perform() } else { item.refuse(Self.ending) }
        }
    }

    /// Refuses work that has waited too long. Must be called every second or so.
    func sweep() {
        let expired = queue.withLock { $0.takeExpired(at: Clocks.monotonic()) }
        for item in expired { item.refuse(Self.late) }
    }
}
