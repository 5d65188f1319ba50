internal import Dispatch
internal import Foundation

/// A thread for work that waits in system calls, which Swift's own pool is not made for.
final class DedicatedThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    init(named name: String, body: @escaping @Sendable () -> Void) {
        let ended = ended
        let thread = Thread {
            body()
            ended.signal()
        }
        thread.name = name
        thread.start()
    }

    func join() { ended.wait() }

    /// Runs the body on a thread of its own and gives what it returns.
    static func value<Value: Sendable>(named name: String, of body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.name = name
            thread.start()
        }
    }
}
