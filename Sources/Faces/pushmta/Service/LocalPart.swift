internal import PushMaster
internal import PushModel
internal import PushServer
internal import Synchronization

/// The API on the Unix socket, for other processes on the machine.
final class LocalPart: ServicePart {
    let stages: Set<ServiceStage> = [.reachable]
    let drainMilliseconds: Int64 = 2_000
    private let source: @Sendable () -> WebSource
    private let socket = Mutex<Int32?>(nil)
    private let module = Mutex<LocalModule?>(nil)

    init(source: @escaping @Sendable () -> WebSource) { self.source = source }

    /// - Parameter listener: A listening socket, which stays open until the part has ended.
    func listen(on listener: Int32) { socket.withLock { $0 = listener } }

    func start() throws {
        guard let socket = socket.withLock(\.self) else { return }
        try DedicatedThread.requireRoom(for: LocalModule.threads, named: "local API")
        let started = try LocalModule(on: socket, source())
        module.withLock { $0 = started }
    }

    /// Performs work of the service itself on one of the part's threads.
    /// - Returns: `false` if the part has not started or has ended.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let module = module.withLock(\.self) else { return false }
        module.run(work)
        return true
    }

    func drain(until deadline: MonotonicTime) -> Bool {
        module.withLock(\.self)?.drain(until: deadline) ?? true
    }

    func stop() {
        module.withLock { module in
            module?.stop()
            module = nil
        }
    }
}
