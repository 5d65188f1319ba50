internal import Glibc
internal import Logging
internal import NIOCore
internal import PushAPI
internal import PushConfig
internal import PushModel
internal import PushSystem

/// The maintenance of a running web module: it closes connections that have waited too long for their client,
/// replaces the certificate, and applies reloaded settings.
final class WebUpkeep: Sendable {
    let rules: WebRules
    /// The connections of the first listener.
    let connections: ConnectionTable
    /// The connections of the second listener; `nil` if there is none.
    let adminConnections: ConnectionTable?
    /// The certificate; `nil` without TLS.
    let tls: WebTLS?
    private let logger: Logger

    private static let sweepInterval = TimeAmount.seconds(1)
    /// The interval between checks of the certificate's files.
    private static let lookInterval = TimeAmount.seconds(10)

    init(_ settings: WebConfiguration, _ tls: WebTLS?, _ logger: Logger) {
        rules = WebRules(settings)
        let most = Self.connections(settings, logger)
        connections = ConnectionTable(most: most, keepAlive: settings.keepAlive)
        adminConnections = settings.adminPort.map { _ in
            ConnectionTable(most: most, keepAlive: settings.keepAlive)
        }
        self.tls = tls
        self.logger = logger
        if let tls { tell(until: tls.notAfter) }
    }

    /// Runs on the module's loop until the loop ends. Work that waits for the disk runs on the executor's
    /// threads.
    func begin(
        on loop: any EventLoop, _ executor: APIExecutor, _ console: ConsoleLanes?,
        _ operations: @escaping @Sendable () -> Operations
    ) {
        loop.scheduleRepeatedTask(initialDelay: Self.sweepInterval, delay: Self.sweepInterval) { [self] _ in
            for table in tables { table.sweep() }
            executor.sweep()
            console?.sweep()
            operations().waits.jobs.maintain(operations)
        }
        guard tls != nil else { return }
        loop.scheduleRepeatedTask(initialDelay: Self.lookInterval, delay: Self.lookInterval) { [self] _ in
            executor.run { self.lookAtCertificate() }
        }
    }

    func become(_ settings: WebConfiguration) {
        rules.become(settings)
        // The listeners of a running module do not change.
        var settings = settings
        settings.adminPort = adminConnections.map { _ in settings.adminPort ?? 0 }
        let most = Self.connections(settings, logger)
        for table in tables { table.allow(most, keepAlive: settings.keepAlive) }
        lookAtCertificate()
    }

    private var tables: [ConnectionTable] { [connections] + (adminConnections.map { [$0] } ?? []) }
    /// The number of open connections.
    var openConnections: Int { tables.reduce(0) { $0 + $1.count } }

    private func lookAtCertificate() {
        switch tls?.refresh() {
        case .renewed(let end):
            logger.notice("web/@certificateChain has changed: new connections use the new certificate")
            tell(until: end)
        case .refused(let why):
            logger.error(
                """
                the web module's certificate has changed and cannot be used: \(why); the old one remains in \
                use until you correct the files
                """
            )
        case nil: break
        }
    }

    private func tell(until end: WallTime) {
        let days = end.seconds(since: Clocks.wall()) / 86_400
        guard days < 14 else { return }
        let what = days < 0 ? "has expired" : "expires in \(days) days"
        logger.warning(
            """
            web/@certificateChain: the certificate \(what); renew it, because clients refuse an expired \
            certificate
            """
        )
    }

    /// Returns the maximum number of connections of each listener that the settings allow. Half of the files
    /// that the process may have open are reserved for other purposes.
    private static func connections(_ settings: WebConfiguration, _ logger: Logger) -> Int {
        let wanted = settings.maxConnections
        guard let files = OpenFileLimit.now else { return wanted }
        let hasTwo = settings.adminPort != nil
        let possible = max(files / (hasTwo ? 4 : 2), 16)
        guard wanted > possible else { return wanted }
        let what =
            """
            \(wanted)\(hasTwo ? " on each of two ports" : "") is more than half of the process's limit on \
            open files; at most \(possible) connections are accepted\(hasTwo ? " on each" : "")
            """
        logger.warning("web/@maxConnections: \(what): \(OpenFileLimit.advice)")
        return possible
    }
}
