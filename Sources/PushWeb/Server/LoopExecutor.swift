internal import NIOCore
internal import NIOPosix

/// Has tasks run on an event loop's thread: all that the web module does runs on threads that it started
/// itself, and no thread of Swift's pool is needed, which may not start when the machine is short of them.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// The executors of a group's loops.
struct LoopExecutors: Sendable {
    private let executors: [ObjectIdentifier: LoopExecutor]
    private let first: LoopExecutor

    init(_ group: MultiThreadedEventLoopGroup) {
        let first = LoopExecutor(group.next())
        var executors: [ObjectIdentifier: LoopExecutor] = [:]
        for loop in group.makeIterator() { executors[ObjectIdentifier(loop)] = LoopExecutor(loop) }
        (self.first, self.executors) = (first, executors)
    }

    /// That of the loop, or of any where it is of another group.
    func of(_ loop: any EventLoop) -> LoopExecutor { executors[ObjectIdentifier(loop)] ?? first }
    var any: LoopExecutor { first }
}

extension MultiThreadedEventLoopGroup {
    /// Ends the group and the threads of its module, and waits for none of them. NIO needs a thread of Dispatch for it,
    /// and waits until the machine has one: an event loop waits, not the process that ends.
    func end(_ observatory: Observatory, _ desk: APIDesk) {
        next().execute { [self] in
            observatory.close()
            desk.close()
            shutdownGracefully { _ in }
        }
    }
}
