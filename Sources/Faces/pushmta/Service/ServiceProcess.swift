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

/// The process of the service. `pushmta run` creates this value after reading its options.
struct ServiceProcess {
    private let instance: Instance
    private let log: ServiceLog
    private let modules: Set<Run.Module>
    private let pidFile: String?
    private let logger: Logger
    private let manager = ServiceManager()
    /// The path of this program's file when the process started. ``reexecute()`` executes the file that is
    /// then at this path, which an upgrade may have replaced.
    private let program: String
    /// The executable for children: the running program, even if an upgrade has replaced its file. The path
    /// refers to this very program even in the new process, because posix_spawn(3) shares this process's
    /// memory until the new program is executed.
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

    /// Serves on this thread and a few others, which have all started before the service reports "serving".
    /// Threads that are started later, such as those of Swift's pool, might fail to start without any report.
    func serve() throws {
        for finding in instance.configuration.findings where finding.severity == .warning {
            logger.warning("\(finding.text(inFile: instance.configuration.path))")
        }
        try OrphanReaper.start()
        let attempts = AttemptLogFile(log.format, logger: logger)
        attempts.write(to: try attempts.prepare(instance.settings.mta.deliveryLog))
        manager.waiting(for: "opening the store")
        let store = try instance.openStore()
        if let warning = FolderAccess.warning(ofInstanceAt: instance.storePath) {
            logger.warning("\(warning.printable(atMost: 1_000))")
        }
        if modules.contains(.web) {
            APITokenFile.provide(
                instance.settings.web.apiTokenFile, in: Self.operations(instance, store), logger)
        }
        let hasConsole = modules.contains(.web) && instance.settings.web.console
        let link = hasConsole ? FirstPersonLink(in: Self.operations(instance, store), logger) : nil
        try modules.contains(.mta)
            ? serveMaster(of: store, attempts, link) : serveWeb(alongside: store, attempts, link)
    }

    /// - Parameter link: The link of the console's first person; `nil` if there is none.
    private func serveMaster(of store: Store, _ attempts: AttemptLogFile, _ link: FirstPersonLink?) throws {
        let service = try MasterService(
            settings: instance.settings, connectors: ConnectorCatalogue.rows, store: store,
            key: try store.instanceKey(),
            children: ChildProcess.Order(
                executable: Self.runningProgram, arguments: [MTAChild._commandName], name: program),
            logger: logger, attempts: attempts,
            writtenFiles: { [log] in
                [("the log", log.path), ("the delivery log", attempts.path)].compactMap { name, path in
                    path.map { WrittenFile(name, path: $0) }
                }
            }, secondsPerDay: secondsPerDay,
            host: HostOptions(name: LocalHostName.now, release: ProductVersion.build, times: hostTimes))
        let web = WebPart(instance.settings.web, logger, firstLink: link) { service.handle.noteWeb($0) }
        let running = RunningInstance(service, instance.configuration, log, attempts, web, logger)
        let devices = MasterDevices(service, of: store, running, logger)
        let local = LocalPart { [logger] in
            WebSource(hasMaster: true, product: .this, logger: logger, devices: { nil }) {
                running.operations
            }
        }
        web.serve(
            WebSource(
                hasMaster: true, product: .this, logger: logger, devices: { devices.now },
                writeFailure: { devices.failure }
            ) { running.operations })
        let webhooks = WebhookPart(service.sharedStore, logger) { running.operations.configuration.settings }
        let parts = parts([attempts, local, devices] + (modules.contains(.web) ? [web] : []) + [webhooks])
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
                if !isTaken {
                    logger.notice("SIGHUP was ignored because it came too early or too late: send it again")
                }
            }
        }
        // The parts answer requests until the last outcome is recorded, and then accept nothing new.
        defer { parts.end() }
        try parts.reach(.opened)
        let watcher = ProcessWatcher(manager, pidFile, logger, parts, local)
        // The log already contains the reason why the master stopped serving.
        switch try service.serve(watchedBy: watcher) {
        case .asOrdered: break
        case .filesChanged: throw CommandExit.failed
        case .toRestart: throw Restart()
        }
    }

    /// Serves the web module only. It queries the master in another process, if there is one, for all
    /// information about a master.
    private func serveWeb(
        alongside store: Store, _ attempts: AttemptLogFile, _ link: FirstPersonLink?
    ) throws {
        let end = DispatchSemaphore(value: 0)
        let web = WebPart(instance.settings.web, logger, firstLink: link)
        let running = WebInstance(store, instance.configuration, log, web, logger)
        let devices = StandaloneDevices(store, logger) { running.operations }
        web.serve(
            WebSource(
                hasMaster: false, product: .this, logger: logger, devices: { devices.now },
                writeFailure: { devices.failure }
            ) { running.operations })
        let webhooks = WebhookPart(store, logger) { running.operations.configuration.settings }
        let parts = parts([attempts, devices, web, webhooks])
        try ServiceSignals.watch { signal in
            switch signal {
            case .end: end.signal()
            case .hangUp: running.reload()
            }
        }
        defer { parts.end() }
        try parts.reach(.opened)
        let watcher = ProcessWatcher(manager, pidFile, logger, parts)
        try watcher.owning()
        try watcher.leading()
        watcher.serving()
        logger.notice("serving \(store.path.printable(atMost: 1_000)) without a master")
        // systemd's watchdog expects a regular sign of life from the service.
        while end.wait(timeout: .now() + .seconds(1)) == .timedOut { watcher.alive() }
        watcher.stopping()
        parts.end()
        logger.notice("stopped")
    }

    private func parts(_ list: [any ServicePart]) -> ServiceParts {
        ServiceParts(list) { [logger] part in
            guard part is LocalPart else { return }
            logger.warning(
                """
                the service ends while an operation of a command is still running, and the command does not \
                receive the result; check the effect of the operation before you repeat it
                """
            )
        }
    }

    /// Returns operations that work alongside a master in another process or without a master.
    private static func operations(_ instance: Instance, _ store: Store) -> Operations {
        Operations(
            configuration: instance.configuration, store: store,
            engine: MasterProcess(store: store, configuration: instance.configuration),
            clock: .ofTheMachine, caller: "the service")
    }

    /// Requests that this process starts again.
    struct Restart: Error {}

    /// Replaces this process with its current program file and keeps the process id, so that a process that
    /// monitors this process does not see it end.
    /// - Returns: The error that prevented the replacement. If the replacement succeeds, the method does not
    ///   return.
    func reexecute() -> CommandFailure {
        manager.exportEnvironment()
        var words = unsafe CommandLine.arguments.map { unsafe strdup($0) }
        unsafe words.append(nil)
        // The new program inherits the thread's mask of blocked signals.
        push_close_on_exec(3)
        ServiceSignals.keepOnlyHangUps()
        unsafe execv(program, words)
        return .failed("cannot start \(program) again: \(SystemErrorText.of(errno)); start it manually")
    }

    /// Returns the file of this very program, regardless of the name under which it was started.
    static func ownExecutable() throws -> String {
        guard let path = AbsolutePath.resolved("/proc/self/exe") else {
            throw CommandFailure.failed(
                """
                cannot determine the path of this program: \(SystemErrorText.of(errno)); check that /proc \
                is mounted
                """)
        }
        return path
    }
}

/// Starts the service's parts as the master reaches their stages, notifies the service manager, and writes
/// the pid file, which exists while the service has its lock.
private final class ProcessWatcher: ServiceWatcher {
    private let manager: ServiceManager
    private let path: String?
    private let logger: Logger
    private let parts: ServiceParts
    private let local: LocalPart?
    private let file = Mutex<PIDFile?>(nil)

    init(
        _ manager: ServiceManager, _ path: String?, _ logger: Logger, _ parts: ServiceParts,
        _ local: LocalPart? = nil
    ) {
        (self.manager, self.path, self.logger) = (manager, path, logger)
        (self.parts, self.local) = (parts, local)
    }

    func reachable(on socket: Int32) throws {
        local?.listen(on: socket)
        try parts.reach(.reachable)
    }

    func leaving() { parts.end(.reachable) }

    func owning() throws { try parts.reach(.owning) }

    func leading() throws { try parts.reach(.leading) }

    func waiting(for what: String) { manager.waiting(for: what) }

    /// Reports readiness to take another host's place. The process that started the service need not wait
    /// until that happens.
    func standingBy() throws {
        try parts.reach(.standingBy)
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
