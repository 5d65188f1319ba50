internal import Logging
internal import PushConfig
internal import PushMaster
internal import PushServer
internal import PushStore
internal import Synchronization

/// The web module of this process, from when it may begin until the process ends.
final class WebStart: Sendable {
    private let settings: WebConfiguration
    private let logger: Logger
    private let module = Mutex<WebModule?>(nil)

    init(_ settings: WebConfiguration, _ logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    var hasBegun: Bool { module.withLock { $0 != nil } }

    /// - Returns: where it listens.
    /// - Throws: if it cannot.
    func start(_ source: WebSource) throws -> String {
        try DedicatedThread.requireRoom(for: WebModule.threads, named: "web")
        let started = try WebModule(settings, source)
        module.withLock { $0 = started }
        logger.notice("web listens on \(started.isSecure ? "https" : "http")://\(started.address)")
        return started.address
    }

    /// Goes on with what another file says.
    func go(on settings: WebConfiguration) { module.withLock(\.self)?.go(on: settings) }

    /// Does nothing where it has not begun.
    func stop() {
        let module = module.withLock { module in
            defer { module = nil }
            return module
        }
        module?.stop()
    }
}

/// What answers other processes of the machine, from when this one may serve the store until it ends.
final class LocalStart: Sendable {
    private let logger: Logger
    private let module = Mutex<LocalModule?>(nil)

    init(_ logger: Logger) { self.logger = logger }

    func begin(_ started: LocalModule) { module.withLock { $0 = started } }

    /// Has work of the service itself done on one of its threads.
    /// - Returns: false: it has not begun, or has stopped.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let module = module.withLock(\.self) else { return false }
        module.run(work)
        return true
    }

    func stop() {
        let module = module.withLock { module in
            defer { module = nil }
            return module
        }
        guard module?.stop() == false else { return }
        logger.warning(
            "leaving an operation of a command that is still performed: its command does not learn how it ends"
        )
    }
}

extension WebSource.Product {
    static var this: WebSource.Product {
        WebSource.Product(
            version: ProductVersion.text, commit: ProductVersion.commit,
            schema: "\(StoreSchema.sqlite)/\(StoreSchema.postgreSQL)")
    }
}
