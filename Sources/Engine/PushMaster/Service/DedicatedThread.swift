internal import CPushShims
internal import Dispatch
package import PushModel
internal import PushSystem

/// A thread for work that waits in system calls. Swift's own thread pool is not designed for such work.
///
/// The thread is created with pthread_create(3), because that function reports failure. Without such a
/// report, a caller would wait forever for a thread that never started. The system delivers no signal on this
/// thread: the thread that requests the service's signals receives them.
package final class DedicatedThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    /// The usual 8 MiB for each of about 30 threads would take more address space than a small container has.
    private static let maxStackBytes = 2 << 20

    /// Limits the stacks of all threads that start later, including those of libraries, to 2 MiB.
    package static func limitStacks() { push_limit_thread_stacks(maxStackBytes) }

    /// - Parameter name: The name of the thread in errors and in debuggers. Debuggers show its first 15
    ///   bytes.
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

    /// Verifies that the given number of threads can run, by starting and ending them. A library that starts
    /// its own threads ends the process if it cannot start one.
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

    /// - Returns: Whether the thread ended before the deadline.
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
