internal import ArgumentParser
internal import Glibc
internal import PushChild
internal import PushConfig
internal import PushMaster
internal import PushModel

struct Run: ProcessCommand {
    static let localReason = "It is the process of the service itself."

    enum Module: String, CaseIterable, ExpressibleByArgument {
        case mta, web
    }

    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the service in the foreground.",
        discussion: """
            Starts the modules that have autoStart="true" in the configuration: mta sends, web answers HTTP (/healthz, \
            /readyz, /metrics). SIGTERM and SIGINT end it when what \
            is in flight has its answer; however it ends, nothing accepted is lost. SIGHUP reads serverConf.xml anew, \
            as 'pushmta reload' does. SIGUSR1 changes nothing. \
            The limit of open files is raised as far as it may be (the hard limit), for the children too. \
            Whoever started it is told by NOTIFY_SOCKET, as systemd wants it (Type=notify), and with WATCHDOG_USEC that \
            it lives.

            The log is one line an event, as much as mta/@logLevel says: 0 errors, 1 warnings too, 2 information too. \
            What repeats within a minute is said once, with 'repeats'. Where nobody reads lines in time, they are \
            dropped and counted.
            """)

    @Option(help: "Run this module alone, whether it starts by itself or not.")
    var module: Module?

    @OptionGroup var log: LogOptions

    @Option(
        name: .customLong("pid-file"),
        help: ArgumentHelp("Write the process's number into this file while it serves.", valueName: "file"),
        completion: .file())
    var pidFile: String?

    /// A week of retention within a minute: for `pushload week`.
    @Option(help: .hidden)
    var retentionDaySeconds: Int64 = 86_400

    /// When another host's place is taken, in milliseconds; its other times follow. For tests.
    @Option(help: .hidden)
    var takeOverMs: Int64 = 20_000

    @OptionGroup var config: ConfigurationOption

    /// It starts some 40, and libraries some more.
    private static let maxThreads = 48

    func run() throws {
        ServiceSignals.keepHangUps()
        let instance = try Instance(config)
        let modules = module.map { [$0] } ?? Self.autoStarted(instance.settings)
        guard !modules.isEmpty else { throw Self.nothingToRun(config.path) }
        // Who reads the log may go: that is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        OpenFiles.raiseLimit()
        DedicatedThread.limitStacks()
        // Libraries end the process, or wait without end, if they cannot start a thread: there is room for all or none.
        try DedicatedThread.requireRoom(for: Self.maxThreads, named: "service")
        let log = try ServiceLog(to: log.destination, format: log.format)
        let process = try ServiceProcess(
            instance, log, modules: Set(modules), pidFile: pidFile,
            secondsPerDay: max(retentionDaySeconds, 1),
            hostTimes: HostLease.Times(takeOverMilliseconds: takeOverMs))
        do { try process.serve() } catch is ServiceProcess.Restart {
            log.finish()
            throw process.beginAnew()
        } catch {
            defer { log.finish() }
            guard let ending = error as? Ending ?? Ending(of: error) else { throw error }
            if !(error is Ending) { log.failure("\(error)".printable(atMost: CommandFailure.longestLine)) }
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

/// Where a service's log goes, and what it looks like.
struct LogOptions: ParsableArguments {
    @Option(
        name: .customLong("log-format"),
        help: "What lines look like: text (name=value) or json (an object each).")
    var format = LogFormat.text

    @Option(
        name: .customLong("log-file"),
        help: ArgumentHelp(
            "Append the log to this file instead of standard error; at 64 MiB it becomes FILE.1, and five are kept.",
            valueName: "file"), completion: .file())
    var file: String?

    var destination: ServiceLog.Destination { file.map { .file($0) } ?? .descriptor(STDERR_FILENO) }
}

extension LogFormat: ExpressibleByArgument {}

/// `mtachild`: what the master starts. Takes nothing from the command line and reads no file.
struct MTAChild: ProcessCommand {
    static let localReason = "It is a child of the master, and only the master starts it."

    static let configuration = CommandConfiguration(
        commandName: "mtachild", abstract: "A child of the master; started by it alone.", shouldDisplay: false
    )

    func run() throws {
        takeName()
        throw ExitCode(ChildMain.run())
    }

    /// It was started as /proc/self/exe, and lists of processes would call it exe (proc(5), /proc/[pid]/comm).
    private func takeName() {
        let file = unsafe open("/proc/self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        let name = Array(PushMTA._commandName.utf8)
        unsafe _ = write(file, name, name.count)
    }
}
