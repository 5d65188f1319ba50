internal import ArgumentParser
internal import CPushShims
internal import Dispatch
internal import Glibc
internal import Logging
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushMaster
internal import PushModel
internal import PushServer
internal import PushStore
internal import PushSystem
internal import Synchronization

/// The process that serves: what `pushmta run` is once its options are read.
struct ServiceProcess {
    private let instance: Instance
    private let log: ServiceLog
    private let modules: Set<Run.Module>
    private let pidFile: String?
    private let logger: Logger
    private let manager = ServiceManager()
    /// This program's file as it was called when it started: what ``beginAnew()`` becomes is what lies there by
    /// then.
    private let program: String
    /// What children are started from: the program that runs, also when an upgrade has put another file in its
    /// place. Whoever executes this is about to leave this very program: posix_spawn(3) shares its memory till
    /// then.
    private static let runningProgram = "/proc/self/exe"
    private let secondsPerDay: Int64
    private let hostTimes: HostLease.Times

    init(
        _ instance: Instance, _ log: ServiceLog, modules: Set<Run.Module>, pidFile: String?,
        secondsPerDay: Int64, hostTimes: HostLease.Times
    ) throws {
        self.secondsPerDay = secondsPerDay
        self.hostTimes = hostTimes
        program = try Self.ownExecutable()
        self.instance = instance
        self.log = log
        self.modules = modules
        self.pidFile = pidFile
        logger = log.logger(level: instance.settings.mta.logLevel)
    }

    /// On this thread and a few more, all of which run before it says "serving": what is started later, as
    /// Swift's pool starts threads, may not start, and nothing would say so.
    func serve() throws {
        for finding in instance.configuration.findings where finding.severity == .warning {
            logger.warning("\(finding.text(inFile: instance.configuration.path))")
        }
        try OrphanReaper.start()
        let attempts = AttemptLogFile(log.format, logger: logger)
        attempts.write(to: try attempts.prepare(instance.settings.mta.deliveryLog))
        defer { attempts.finish() }
        manager.waiting(for: "opening the store")
        let store = try instance.openStore()
        if let warning = FolderAccess.warning(ofInstanceAt: instance.storePath) {
            logger.warning("\(warning.printable(atMost: 1_000))")
        }
        if modules.contains(.web) {
            APITokenFile.provide(
                instance.settings.web.apiTokenFile, in: Self.operations(instance, store), logger)
        }
        try modules.contains(.mta) ? serveMaster(of: store, attempts) : serveWeb(beside: store)
    }

    private func serveMaster(of store: Store, _ attempts: AttemptLogFile) throws {
        let service = try MasterService(
            settings: instance.settings, connectors: ConnectorCatalogue.rows, store: store,
            key: try store.instanceKey(),
            children: ChildProcess.Order(
                executable: Self.runningProgram, arguments: [MTAChild._commandName], name: program),
            logger: logger, attempts: attempts, secondsPerDay: secondsPerDay,
            host: HostTerms(name: LocalHostName.now, release: ProductVersion.build, times: hostTimes))
        let web = WebStart(instance.settings.web, logger)
        let running = RunningInstance(service, instance.configuration, log, attempts, web, logger)
        let local = LocalStart(logger)
        try ServiceSignals.watch { [logger, manager] signal in
            switch signal {
            case .end: service.shutDown()
            case .hangUp:
                running.reopenLogs()
                let isTaken = local.run {
                    manager.reloading()
                    running.reload()
                    manager.serving()
                }
                if !isTaken { logger.notice("SIGHUP comes too early or too late: send it again") }
            }
        }
        let webhooks = WebhookStart(logger)
        let devices = DevicesOfMaster(service, running, logger)
        let beginWeb: @Sendable () throws -> Void = { [modules, logger] in
            guard modules.contains(.web), !web.hasBegun else { return }
            service.handle.noteWeb(
                try web.start(
                    WebSource(
                        hasMaster: true, product: .this, logger: logger, devices: { devices.now },
                        writeTrouble: { devices.trouble }
                    ) { running.operations }))
        }
        let watcher = ProcessWatcher(manager, pidFile, logger, local) { socket in
            let source = WebSource(hasMaster: true, product: .this, logger: logger, devices: { nil }) {
                running.operations
            }
            try DedicatedThread.requireRoom(for: LocalModule.threads, named: "local API")
            return try LocalModule(on: socket, source)
        } stand: { [modules, logger] in
            if modules.contains(.web) { try devices.standBy(store, logger) }
            try beginWeb()
        } begin: {
            try beginWeb()
        } lead: {
            try webhooks.start(service.sharedStore) { running.operations.configuration.settings }
        }
        // It answers until the last outcome is recorded: that it takes nothing new any more is what it says
        // then.
        defer {
            webhooks.stop()
            web.stop()
            devices.end()
        }
        // The log has said why.
        switch try service.serve(watchedBy: watcher) {
        case .asOrdered: break
        case .filesChanged: throw Ending.failed
        case .toRestart: throw Restart()
        }
    }

    /// The web module alone: what it says of a master it asks the one that runs elsewhere, if there is one.
    private func serveWeb(beside store: Store) throws {
        let end = DispatchSemaphore(value: 0)
        let web = WebStart(instance.settings.web, logger)
        let running = WebInstance(store, instance.configuration, log, web, logger)
        try ServiceSignals.watch { signal in
            switch signal {
            case .end: end.signal()
            case .hangUp: running.reload()
            }
        }
        let writer = try DeviceWriter(store, logger)
        defer { writer.end() }
        let devices = try running.operations.devices(writer: writer.service, logger)
        _ = try web.start(
            WebSource(
                hasMaster: false, product: .this, logger: logger, devices: { devices },
                writeTrouble: { writer.trouble }
            ) {
                running.operations
            })
        let webhooks = WebhookStart(logger)
        try webhooks.start(store) { running.operations.configuration.settings }
        defer { webhooks.stop() }
        let watcher = ProcessWatcher(manager, pidFile, logger)
        watcher.serving()
        logger.notice("serving \(store.path.printable(atMost: 1_000)) without a master")
        // systemd's watchdog wants to hear from it.
        while end.wait(timeout: .now() + .seconds(1)) == .timedOut { watcher.alive() }
        watcher.stopping()
        web.stop()
        logger.notice("stopped")
    }

    /// Beside a master in another process, or none.
    private static func operations(_ instance: Instance, _ store: Store) -> Operations {
        Operations(
            configuration: instance.configuration, store: store,
            engine: MasterProcess(store: store, configuration: instance.configuration),
            clock: .ofTheMachine, caller: "the service")
    }

    /// This process is to begin anew.
    struct Restart: Error {}

    /// Becomes what its file is now, with the same number: whoever watches the process sees no end.
    /// - Returns: only where that is not possible.
    func beginAnew() -> CommandFailure {
        manager.handOn()
        var words = unsafe CommandLine.arguments.map { unsafe strdup($0) }
        unsafe words.append(nil)
        // Threads that have signals blocked hand that on.
        push_close_on_exec(3)
        ServiceSignals.keepOnlyHangUps()
        unsafe execv(program, words)
        return .failed("cannot start \(program) again: \(SystemErrorText.of(errno)); start it by hand")
    }

    /// The file of this very program, whatever it was called by.
    static func ownExecutable() throws -> String {
        guard let path = unsafe realpath("/proc/self/exe", nil) else {
            throw CommandFailure.failed("cannot find this program's own file: \(SystemErrorText.of(errno))")
        }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}

/// Tells the service's manager, and writes the pid file while the service has its lock.
private final class ProcessWatcher: ServiceWatcher {
    private let manager: ServiceManager
    private let path: String?
    private let logger: Logger
    private let local: LocalStart?
    private let reach: (@Sendable (Int32) throws -> LocalModule)?
    private let stand: @Sendable () throws -> Void
    private let begin: @Sendable () throws -> Void
    private let lead: @Sendable () throws -> Void
    private let file = Mutex<PIDFile?>(nil)

    /// - Parameters:
    ///   - local: what answers other processes of the machine.
    ///   - reach: starts that on a listening socket.
    ///   - stand: starts what is to serve while another host sends.
    ///   - begin: starts what is to serve beside the master.
    ///   - lead: starts what one process does for all that share the store.
    init(
        _ manager: ServiceManager, _ path: String?, _ logger: Logger, _ local: LocalStart? = nil,
        reach: (@Sendable (Int32) throws -> LocalModule)? = nil,
        stand: @escaping @Sendable () throws -> Void = {}, begin: @escaping @Sendable () throws -> Void = {},
        lead: @escaping @Sendable () throws -> Void = {}
    ) {
        (self.local, self.reach) = (local, reach)
        self.lead = lead
        self.manager = manager
        self.path = path
        self.logger = logger
        self.stand = stand
        self.begin = begin
    }

    func reachable(on socket: Int32) throws {
        if let local, let reach { local.begin(try reach(socket)) }
    }

    func leaving() { local?.stop() }

    func owning() throws { try begin() }

    func leading() throws { try lead() }

    func waiting(for what: String) { manager.waiting(for: what) }

    /// Ready to take another's place: whoever started it need not wait for that.
    func standingBy() throws {
        try stand()
        writeFile()
        manager.standingBy()
    }

    func serving() {
        writeFile()
        manager.serving()
    }

    private func writeFile() {
        guard let path, file.withLock({ $0 == nil }) else { return }
        do {
            let made = try PIDFile(path)
            file.withLock { $0 = made }
        } catch { logger.error("\(error)") }
    }

    func alive() { manager.alive() }

    func stopping() { manager.stopping() }

    func restarting() { manager.restarting() }
}
