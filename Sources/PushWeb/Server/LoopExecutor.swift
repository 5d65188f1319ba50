internal import NIOCore

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
