internal import Dispatch
internal import Synchronization

/// Runs calls in order on a separate thread, so that a callback does not delay the writer.
final class CompletionQueue: Sendable {
    private let calls = Mutex<(waiting: [@Sendable () -> Void], isClosed: Bool)>(([], false))
    private let wake = DispatchSemaphore(value: 0)

    func add(_ more: [@Sendable () -> Void]) {
        guard !more.isEmpty else { return }
        calls.withLock { $0.waiting += more }
        wake.signal()
    }

    /// Closes the queue. Calls that are already in the queue still run.
    func close() {
        calls.withLock { $0.isClosed = true }
        wake.signal()
    }

    /// Runs calls until the queue is closed and empty.
    func run() {
        while true {
            let (present, isClosed) = calls.withLock { calls in
                defer { calls.waiting = [] }
                return calls
            }
            for call in present { call() }
            if present.isEmpty {
                if isClosed { return }
                wake.wait()
            }
        }
    }
}
