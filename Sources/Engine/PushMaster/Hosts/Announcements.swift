internal import Synchronization

/// Pending notifications to other hosts that this host has changed the store. Any thread may add a
/// notification. The thread that renews the lease sends the notifications, and combines several changes into
/// one notification.
package final class Announcements: Sendable {
    private let isWanted = Atomic(false)
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// - Parameter wake: A function that causes pending notifications to be sent. It may be called on any
    ///   thread.
    package func attach(_ wake: @escaping @Sendable () -> Void) { self.wake.withLock { $0 = wake } }

    package func add() {
        guard !isWanted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        wake.withLock(\.self)?()
    }

    /// - Returns: Whether a notification has been added since the last call.
    package func take() -> Bool { isWanted.exchange(false, ordering: .acquiringAndReleasing) }
}
