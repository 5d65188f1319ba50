internal import Logging
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushServer
internal import PushStore
internal import PushSystem
internal import Synchronization

/// The web module: devices, API and metrics on TCP.
final class WebPart: ServicePart {
    let stages: Set<ServiceStage> = [.standingBy, .owning]
    let drainMilliseconds: Int64 = 1_000
    private let settings: WebConfiguration
    private let logger: Logger
    private let listening: @Sendable (_ address: String) -> Void
    private let source = Mutex<WebSource?>(nil)
    private let module = Mutex<WebModule?>(nil)

    /// - Parameter listening: is called with the address when it listens.
    init(
        _ settings: WebConfiguration, _ logger: Logger,
        listening: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.settings, self.logger, self.listening) = (settings, logger, listening)
    }

    /// Sets what it serves, which must be done before it starts.
    func serve(_ source: WebSource) { self.source.withLock { $0 = source } }

    func start() throws {
        guard let source = source.withLock(\.self) else { return }
        try DedicatedThread.requireRoom(for: WebModule.threads, named: "web")
        let started = try WebModule(settings, source)
        module.withLock { $0 = started }
        logger.notice("web listens on \(started.isSecure ? "https" : "http")://\(started.address)")
        listening(started.address)
    }

    /// Applies changed settings, unless they need a restart.
    func apply(_ settings: WebConfiguration) { module.withLock(\.self)?.go(on: settings) }

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

/// The API on the Unix socket, for other processes of the machine.
final class LocalPart: ServicePart {
    let stages: Set<ServiceStage> = [.reachable]
    let drainMilliseconds: Int64 = 2_000
    private let source: @Sendable () -> WebSource
    private let socket = Mutex<Int32?>(nil)
    private let module = Mutex<LocalModule?>(nil)

    init(source: @escaping @Sendable () -> WebSource) { self.source = source }

    /// - Parameter listener: a listening socket, which stays open until the part has ended.
    func listen(on listener: Int32) { socket.withLock { $0 = listener } }

    func start() throws {
        guard let socket = socket.withLock(\.self) else { return }
        try DedicatedThread.requireRoom(for: LocalModule.threads, named: "local API")
        let started = try LocalModule(on: socket, source())
        module.withLock { $0 = started }
    }

    /// Performs work of the service itself on one of the part's threads.
    /// - Returns: false: the part has not started, or has ended.
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

extension WebSource.Product {
    static var this: WebSource.Product {
        WebSource.Product(
            version: ProductVersion.text, commit: ProductVersion.commit,
            schema: "\(StoreSchema.sqlite)/\(StoreSchema.postgreSQL)")
    }
}
