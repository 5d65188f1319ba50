internal import Synchronization

/// Pending notifications to other hosts that this host has changed the store. Any thread may add a
/// notification. The thread that keeps the lease sends them, and combines several changes into one
/// notification.
package final class Announcements: Sendable {
    private let isWanted = Atomic(false)
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// - Parameter wake: Causes pending announcements to be taken; may be called on any thread.
    package func attach(_ wake: @escaping @Sendable () -> Void) { self.wake.withLock { $0 = wake } }

    package func add() {
        guard !isWanted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        wake.withLock(\.self)?()
    }

    /// - Returns: Whether an announcement was added since the last call.
    package func take() -> Bool { isWanted.exchange(false, ordering: .acquiringAndReleasing) }
}
