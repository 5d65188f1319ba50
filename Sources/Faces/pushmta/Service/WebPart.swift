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
    private let listening: @Sendable (_ urls: WebURLs) -> Void
    private let firstLink: FirstPersonLink?
    private let source = Mutex<WebSource?>(nil)
    private let module = Mutex<WebModule?>(nil)

    /// - Parameters:
    ///   - firstLink: The link of the console's first person; `nil` if there is none.
    ///   - listening: Called with the module's URLs once the module is listening.
    init(
        _ settings: WebConfiguration, _ logger: Logger, firstLink: FirstPersonLink?,
        listening: @escaping @Sendable (WebURLs) -> Void = { _ in }
    ) {
        (self.settings, self.logger, self.listening) = (settings, logger, listening)
        self.firstLink = firstLink
    }

    /// Sets the source to serve. Must be called before the part starts.
    func serve(_ source: WebSource) { self.source.withLock { $0 = source } }

    func start() throws {
        guard let source = source.withLock(\.self) else { return }
        try DedicatedThread.requireRoom(for: WebModule.threads, named: "web")
        let started = try WebModule(settings, source)
        module.withLock { $0 = started }
        let scheme = started.isSecure ? "https" : "http"
        let urls = WebURLs(
            devices: "\(scheme)://\(started.address)",
            admin: started.adminAddress.map { "\(scheme)://\($0)" },
            console: settings.console
                ? "\(scheme)://\(started.adminAddress ?? started.address)/console/" : nil)
        if let admin = urls.admin {
            logger.notice(
                "web listens on \(urls.devices) for devices, and on \(admin) for everything else")
        } else {
            logger.notice("web listens on \(urls.devices)")
        }
        if let console = urls.console { logger.notice("the console is at \(console)") }
        firstLink?.log(for: urls.admin ?? urls.devices, logger)
        listening(urls)
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

extension WebSource.Product {
    static var this: WebSource.Product {
        WebSource.Product(
            version: ProductVersion.text, commit: ProductVersion.commit,
            schema: "\(StoreSchema.sqlite)/\(StoreSchema.postgreSQL)")
    }
}
