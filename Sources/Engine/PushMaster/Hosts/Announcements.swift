internal import Synchronization

/// What other hosts are to be told of: that the store was changed by this one. Any thread says so; whoever keeps
/// the lease tells them, several changes at once.
package final class Announcements: Sendable {
    private let isWanted = Atomic(false)
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// - Parameter wake: has them taken, from any thread.
    package func attach(_ wake: @escaping @Sendable () -> Void) { self.wake.withLock { $0 = wake } }

    package func add() {
        guard !isWanted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        wake.withLock(\.self)?()
    }

    /// - Returns: whether something was added since it was taken last.
    package func take() -> Bool { isWanted.exchange(false, ordering: .acquiringAndReleasing) }
}
