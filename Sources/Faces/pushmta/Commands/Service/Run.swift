internal import ArgumentParser
internal import Glibc
internal import PushChild
internal import PushConfig
internal import PushMaster
internal import PushModel

struct Run: ProcessCommand {
    static let localReason = "The command is the process of the service itself."

    enum Module: String, CaseIterable, ExpressibleByArgument {
        case mta, web
    }

    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the service in the foreground.",
        discussion: """
            Starts the modules that have autoStart="true" in the configuration: mta sends, web answers HTTP \
            (/healthz, /readyz, /metrics). After SIGTERM or SIGINT, the service ends when all messages in \
            flight have been answered. No accepted work is lost, however the service ends. After SIGHUP, the \
            service reads serverConf.xml again, as with 'pushmta reload'. SIGUSR1 has no effect. The service \
            and its children raise their limit on open files to the hard limit. The service reports its \
            state through NOTIFY_SOCKET, as systemd requires (Type=notify), and if WATCHDOG_USEC is set, it \
            also reports regularly that it is alive.

            The log has one line per event. mta/@logLevel sets the level: 0 errors, 1 also warnings, 2 also \
            information. A line that repeats within a minute is written once, and 'repeats' then states how \
            often it was repeated. If the log's reader is too slow, lines are dropped and counted.

            Example: pushmta run --log-format json
            """)

    @Option(help: "Run only this module, whether or not it has autoStart.")
    var module: Module?

    @OptionGroup var log: LogOptions

    @Option(
        name: .customLong("pid-file"),
        help: ArgumentHelp(
            "Write the process id to this file while the service is "
                + "running.", valueName: "file"),
        completion: .file())
    var pidFile: String?

    /// The length of a day of retention, in seconds. `pushload week` uses it to run a week of retention
    /// within a minute.
    @Option(help: .hidden)
    var retentionDaySeconds: Int64 = 86_400

    /// The number of milliseconds without a sign of life after which this host takes over from another host.
    /// The other timings of hosts are derived from this number. The option is for tests.
    @Option(help: .hidden)
    var takeOverMs: Int64 = 20_000

    @OptionGroup var config: ConfigurationOption

    /// The service starts about 40 threads, and libraries start some more.
    private static let maxThreads = 48

    func run() throws {
        ServiceSignals.keepHangUps()
        let instance = try Instance(config)
        let modules = module.map { [$0] } ?? Self.autoStarted(instance.settings)
        guard !modules.isEmpty else { throw Self.nothingToRun(config.path) }
        // The service must not end if the reader of its log disappears.
        signal(SIGPIPE, SIG_IGN)
        OpenFiles.raiseLimit()
        DedicatedThread.limitStacks()
        // If libraries cannot start a thread, they end the process or wait forever. The service therefore
        // verifies first that all threads can be started.
        try DedicatedThread.requireRoom(for: Self.maxThreads, named: "service")
        let log = try ServiceLog(to: log.destination, format: log.format)
        let process = try ServiceProcess(
            instance, log, modules: Set(modules), pidFile: pidFile,
            secondsPerDay: max(retentionDaySeconds, 1),
            hostTimes: HostLease.Times(takeOverMilliseconds: takeOverMs))
        do { try process.serve() } catch is ServiceProcess.Restart {
            log.finish()
            throw process.reexecute()
        } catch {
            defer { log.finish() }
            guard let ending = error as? CommandExit ?? CommandExit(of: error) else { throw error }
            if !(error is CommandExit) {
                log.failure("\(error)".printable(atMost: CommandFailure.maxLineLength))
            }
            throw ending
        }
        log.finish()
    }

    static func nothingToRun(_ path: String) -> CommandFailure {
        .failed("\(path): no module has autoStart=\"true\"; set it for mta or web, or name one with --module")
    }

    static func autoStarted(_ settings: ServerConfiguration) -> [Module] {
        (settings.mta.autoStart ? [.mta] : []) + (settings.web.autoStart ? [.web] : [])
    }
}

/// The destination and the format of a service's log.
struct LogOptions: ParsableArguments {
    @Option(
        name: .customLong("log-format"),
        help: "The format of log lines: text (name=value) or json (one object per line).")
    var format = LogFormat.text

    @Option(
        name: .customLong("log-file"),
        help: ArgumentHelp(
            """
            Append the log to this file instead of standard error. At 64 MiB, the file is renamed to FILE.1; \
            five old files are kept.
            """,
            valueName: "file"), completion: .file())
    var file: String?

    var destination: ServiceLog.Destination { file.map { .file($0) } ?? .descriptor(STDERR_FILENO) }
}

extension LogFormat: ExpressibleByArgument {}

/// `mtachild`: the process that the master starts. It does not use the command line and does not read files.
struct MTAChild: ProcessCommand {
    static let localReason = "The process is a child of the master, and only the master starts it."

    static let configuration = CommandConfiguration(
        commandName: "mtachild", abstract: "Run a child of the master; only the master starts it.",
        shouldDisplay: false
    )

    func run() throws {
        takeName()
        throw ExitCode(ChildMain.run())
    }

    /// Sets the process name. The process was started as /proc/self/exe, so process lists would show it as
    /// exe (proc(5), /proc/[pid]/comm).
    private func takeName() {
        let file = unsafe open("/proc/self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        let name = Array(PushMTA._commandName.utf8)
        unsafe _ = write(file, name, name.count)
    }
}
