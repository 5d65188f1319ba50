internal import CPushShims
internal import Dispatch
package import PushModel
internal import PushSystem

/// A thread for work that waits in system calls, which Swift's own pool is not made for.
///
/// Made by pthread_create(3), which reports failure: the work of a thread that never started would be waited
/// for without end. No signal is delivered on it: those that a service obeys go to the thread that asks for
/// them.
package final class DedicatedThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    /// The usual 8 MiB, of some 30 threads, take more addresses than a small container has.
    private static let maxStackBytes = 2 << 20

    /// Limits the stacks of all threads that start later, including those of libraries, to 2 MiB.
    package static func limitStacks() { push_limit_thread_stacks(maxStackBytes) }

    /// - Parameter name: for debuggers, which show 15 bytes of it, and for the error.
    package init(named name: String, body: @escaping @Sendable () -> Void) throws(MasterError) {
        let ended = ended
        let work = Work {
            body()
            ended.signal()
        }
        let held = unsafe Unmanaged.passRetained(work)
        let error = unsafe push_thread(
            name, { unsafe Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() },
            held.toOpaque())
        if error != 0 { unsafe held.release() }
        guard error == 0 else { throw .noThread(name: name, errorNumber: error) }
    }

    /// Starts as many threads at once and ends them: a library that starts its own ends the process if it cannot.
    package static func requireRoom(for count: Int, named name: String) throws(MasterError) {
        let end = DispatchSemaphore(value: 0)
        var threads: [DedicatedThread] = []
        defer {
            for _ in threads { end.signal() }
            for thread in threads { thread.join() }
        }
        for _ in 0..<count { threads.append(try DedicatedThread(named: name) { end.wait() }) }
    }

    package func join() {
        ended.wait()
        ended.signal()
    }

    /// - Returns: whether it had ended by then.
    package func join(until deadline: MonotonicTime) -> Bool {
        let left = max(deadline.milliseconds(since: Clocks.monotonic()), 0)
        guard ended.wait(timeout: .now() + .milliseconds(Int(left))) == .success else { return false }
        ended.signal()
        return true
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
