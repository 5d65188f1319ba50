internal import NIOPosix
internal import PushAPI
internal import PushModel
internal import PushSystem
internal import Synchronization

/// The threads for one kind of work that may wait for the store, and the slots of its ``FairQueue``.
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

    /// Closes the lane without waiting for its threads, because a thread may hang in the store.
    func close() { pool.shutdownGracefully { _ in } }

    /// - Returns: Whether the caller received a slot. If so, ``leave(_:)`` must be called later.
    func enter(_ caller: String) -> Bool { queue.withLock { $0.enter(caller) } }

    func leave(_ caller: String) { queue.withLock { $0.leave(caller) } }

    /// Runs work on a thread of the lane when it is the caller's turn. Exactly one of the two closures is
    /// called, exactly once.
    func submit(
        of caller: String, _ perform: @escaping @Sendable () -> Void,
        orRefuse refuse: @escaping @Sendable (OperationError) -> Void
    ) {
        queue.withLock { $0.add(Item(perform: perform, refuse: refuse), of: caller, at: Clocks.monotonic()) }
        pool.submit { [self] state in
            // The queue is empty if the work was refused in the meantime because it had waited too long.
            guard let item = queue.withLock({ $0.next() }) else { return }
            if state == .active { item.perform() } else { item.refuse(Self.ending) }
        }
    }

    /// Refuses work that has waited too long. Must be called about once a second.
    func sweep() {
        let expired = queue.withLock { $0.takeExpired(at: Clocks.monotonic()) }
        for item in expired { item.refuse(Self.late) }
    }
}
