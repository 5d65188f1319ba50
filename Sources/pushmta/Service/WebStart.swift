internal import Logging
internal import PushConfig
internal import PushStore
internal import PushWeb
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
    /// - Throws: where it cannot.
    func start(_ source: WebSource) throws(WebError) -> String {
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

extension WebSource.Product {
    static var this: WebSource.Product {
        WebSource.Product(
            version: ProductVersion.text, commit: ProductVersion.commit,
            schema: "\(StoreSchema.sqlite)/\(StoreSchema.postgreSQL)")
    }
}
