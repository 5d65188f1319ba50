internal import Dispatch
internal import Synchronization

/// Calls in order, on a thread of their own: whoever is called back does not hold up the writer.
final class CompletionQueue: Sendable {
    private let calls = Mutex<(waiting: [@Sendable () -> Void], isClosed: Bool)>(([], false))
    private let wake = DispatchSemaphore(value: 0)

    func add(_ more: [@Sendable () -> Void]) {
        guard !more.isEmpty else { return }
        calls.withLock { $0.waiting += more }
        wake.signal()
    }

    /// What is there is still called.
    func close() {
        calls.withLock { $0.isClosed = true }
        wake.signal()
    }

    /// Until it is closed and empty.
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
