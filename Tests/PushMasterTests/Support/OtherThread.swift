import Foundation

/// A thread for blocking work, whose end can be awaited.
final class OtherThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        let ended = ended
        Thread.detachNewThread {
            body()
            ended.signal()
        }
    }

    /// Whether the thread ended within a time limit that is long enough for any machine.
    func hasEnded() -> Bool {
        let result = ended.wait(timeout: .now() + 30)
        if result == .success { ended.signal() }
        return result == .success
    }
}
