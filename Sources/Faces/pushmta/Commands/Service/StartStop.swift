internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem
internal import PushWire

struct Start: ProcessCommand {
    static let localReason = "The command starts a process on the machine where it is run."

    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start the service in the background.",
        discussion: """
            Returns when the service is ready, or reports why the service is not ready. The log is appended \
            to NAME.log next to the store (or in the instance folder). NAME.pid contains the process id \
            while the service is running. Everything else is described under 'pushmta run'. If the system \
            uses systemd, use the systemd unit instead of this command.

            Example: pushmta start --log-file /var/log/pushmta.log
            """)

    @OptionGroup var starting: StartOptions
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance(config)
        try starting.start(instance)
    }
}

/// The options for starting a service. `restart` uses them as well.
struct StartOptions: ParsableArguments {
    @Option(
        name: .customLong("log-format"),
        help: "The format of log lines: text (name=value, the default) or json (one object per line).")
    var logFormat: LogFormat?

    @Option(
        name: .customLong("log-file"),
        help: ArgumentHelp("Append the log to this file.", valueName: "file"), completion: .file())
    var logFile: String?

    @Option(
        name: .customLong("pid-file"),
        help: ArgumentHelp("Write the process id to this file.", valueName: "file"),
        completion: .file())
    var pidFile: String?

    /// - Parameter running: The service whose options apply unless the command line states others.
    func start(_ instance: Instance, like running: RunningService? = nil) throws {
        guard !Run.autoStarted(instance.settings).isEmpty else {
            throw Run.nothingToRun(instance.configuration.path)
        }
        guard try !InstanceLock.isHeld(forStore: instance.storePath) else {
            let process = (try? LocalClient.status(storePath: instance.storePath)).flatMap { $0?.pid }
            throw CommandFailure.failed(
                "a master already serves \(instance.storePath)\(process.map { ", process \($0)" } ?? ""): "
                    + "see 'pushmta status', or use 'pushmta restart'")
        }
        // At the first start, create the instance's folder, which the store would otherwise create a moment
        // later.
        unsafe _ = mkdir(AbsolutePath.folder(of: instance.storePath), 0o700)
        let log = path(logFile ?? running?.logFile, instance, "log")
        let pid = path(pidFile ?? running?.pidFile, instance, "pid")
        let format = logFormat ?? running?.logFormat ?? .text
        let socket = try ReadinessSocket()
        unsafe setenv("NOTIFY_SOCKET", socket.path, 1)
        let process = try DetachedProcess(
            try ServiceProcess.ownExecutable(),
            [
                "run", "--config", AbsolutePath.of(instance.configuration.path), "--log-file", log,
                "--log-format", format.rawValue, "--pid-file", pid,
            ] + (running?.otherArguments ?? []), output: log)
        try wait(for: process, on: socket, log)
        try StandardOutput.line("started as process \(process.processID); log \(log)")
    }

    /// Waits until the service is ready. There is no deadline, because every wait of a starting service ends
    /// by itself, and the command shows what the service waits for.
    private func wait(for process: DetachedProcess, on socket: ReadinessSocket, _ log: String) throws {
        var line = ProgressLine()
        defer { line.clear() }
        while true {
            switch socket.next(withinMilliseconds: 100) {
            case .ready: return
            case .status(let text): line.show { text }
            case nil: break
            }
            guard let status = process.ending() else { continue }
            line.clear()
            // The path of the log must not be cut off at the end of a long message.
            let reason = LogTail.message(of: log).map {
                ": \($0.printable(atMost: CommandFailure.maxLineLength / 2))"
            }
            let failure =
                "the service ended before it was ready (exit status \(status))\(reason ?? ""); the log is "
                + log
            throw status == CommandExit.refused.rawValue
                ? CommandFailure.refused(failure) : CommandFailure.failed(failure)
        }
    }

    /// - Returns: The absolute path, because the service runs in another folder.
    private func path(_ named: String?, _ instance: Instance, _ suffix: String) -> String {
        AbsolutePath.of(named ?? "\(instance.storePath).\(suffix)")
    }
}

struct Stop: PerformingCommand {
    static var useCases: [any UseCase.Type] { [StopEngine.self] }

    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the running service.",
        discussion: """
            The service stops accepting work, waits until the gateways have answered the messages in flight, \
            records the answers and ends. The command returns when the service has ended. Messages that were \
            not answered in time are sent again when the service is next started. Exit status 1 if no \
            service is running.

            Example: pushmta stop --deadline 30
            """)

    @OptionGroup var stopping: StopOptions
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance.served(config)
        let process = try stopping.stop(instance)
        try StandardOutput.line("process \(process) has ended")
    }
}

/// The options for ending a service. `restart` uses them as well.
struct StopOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The maximum time that the service may take to end. Default: the time that the slowest gateway \
            may need to answer.
            """,
            valueName: "seconds"),
        transform: NumberArgument.seconds)
    var deadline: Int?

    /// The time added to the deadline so that the service can write its final records to the store.
    private static let graceSeconds: Int64 = 15

    /// Asks the service to end. A master of a different version does not carry out the request, and receives
    /// SIGTERM instead.
    /// - Returns: The id of the process that is ending.
    private func ask(_ instance: Instance) throws -> Int32 {
        do { return try instance.askMaster(StopEngine(withinSeconds: deadline)).pid } catch {
            guard error as? OperationError == .otherVersion,
                let process = LocalClient.terminate(storePath: instance.storePath)
            else { throw error }
            return process
        }
    }

    /// - Returns: The id of the process that has ended.
    func stop(_ instance: Instance) throws -> Int32 {
        let process = try ask(instance)
        let usual = MasterSettings.drainSeconds(instance.settings, connectors: ConnectorCatalogue.rows)
        let limit = min(deadline.map(Int64.init) ?? usual, usual) + Self.graceSeconds
        let end = Clocks.monotonic().advanced(bySeconds: limit)
        while try InstanceLock.isHeld(forStore: instance.storePath) {
            guard Clocks.monotonic() < end else {
                throw CommandFailure.failed(
                    "process \(process) has not ended within \(limit) s: look at its log, or end it with "
                        + "'kill -9 \(process)', which loses nothing")
            }
            usleep(20_000)
        }
        return process
    }
}

struct Restart: ProcessCommand {
    static let localReason =
        "The command ends a process on this machine and starts another process."

    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Stop the running service, if there is one, and start it again.",
        discussion: """
            Has the same effect as 'pushmta stop' followed by 'pushmta start'. The new service keeps the \
            options of the running service, such as --log-format and --log-file, unless you specify others. \
            The configuration file is checked first: if it is wrong, the running service continues.

            Example: pushmta restart --log-format json
            """)

    @OptionGroup var stopping: StopOptions
    @OptionGroup var starting: StartOptions
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try checkedInstance()
        let running = RunningService.find(of: instance)
        if try InstanceLock.isHeld(forStore: instance.storePath) { _ = try stopping.stop(instance) }
        try starting.start(instance, like: running)
    }

    /// - Throws: An error if the configuration file is refused. It contains the errors in the file and, if
    ///   the service is running, a line that states that the service continues.
    private func checkedInstance() throws -> Instance {
        do { return try Instance(config) } catch let error as ConfigurationError {
            guard (try? Instance(servedDespiteRefused: config)) != nil else { throw error }
            throw CommandFailure.refused(
                lines: OperationError(error).lines + [
                    "nothing was changed: the service continues with its earlier configuration; correct the "
                        + "file, then run 'pushmta restart' again"
                ])
        }
    }
}

struct Reload: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ReloadConfiguration.self] }

    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Make the running service read serverConf.xml again and reopen its logs.",
        discussion: """
            The log and the delivery log are reopened by their names, as after logrotate, even if \
            serverConf.xml is wrong. The service then checks that file. If the file is wrong, no setting \
            changes (exit status 3). The command prints which settings changed, which of them require a \
            restart, and warnings about the file. No message is lost: messages in flight are answered under \
            the old settings.

            Example: pushmta reload
            """)

    /// Asks the master to reload a file that this command refuses. The service reopens its logs even if it
    /// refuses the file too, and then reports what is wrong with the file.
    private static func askMaster(
        ofRefused config: ConfigurationOption, _ error: ConfigurationError
    ) throws -> ReloadView {
        guard let instance = try? Instance(servedDespiteRefused: config) else { throw error }
        do { return try instance.askMaster(ReloadConfiguration()) } catch let failure as OperationError
            where failure == .otherVersion
        { throw error }
    }

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let answer: ReloadView
        do { answer = try Instance(config).askMaster(ReloadConfiguration()) } catch let error
            as ConfigurationError
        {
            answer = try Self.askMaster(ofRefused: config, error)
        }
        if json.isWanted { return try StandardOutput.json(answer) }
        for line in answer.warnings {
            StandardError.line(line.printable(atMost: CommandFailure.maxLineLength))
        }
        try StandardOutput.lines(answer.lines)
    }
}
