internal import ArgumentParser
internal import Glibc
internal import Logging
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem

struct Run: ParsableCommand {
    enum Module: String, CaseIterable, ExpressibleByArgument {
        case mta, web
    }

    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the service in the foreground.",
        discussion: """
            Starts the modules that have autoStart="true" in the configuration. SIGTERM and SIGINT end it when what \
            is in flight has its answer; however it ends, nothing accepted is lost. SIGHUP and SIGUSR1 change nothing. \
            The limit of open files is raised as far as it may be (the hard limit), for the children too. \
            Logs go to standard error, as much as mta/@logLevel says: 0 errors, 1 warnings too, 2 information too. \
            Where nobody reads them in time, lines are dropped and counted.
            """)

    @Option(help: "Run this module alone, whether it starts by itself or not.")
    var module: Module?

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance(config)
        let modules = module.map { [$0] } ?? Self.autoStarted(instance.settings)
        guard !modules.isEmpty else {
            throw CommandFailure.failed(
                "\(config.path): no module has autoStart=\"true\"; set it for mta, or name one with --module")
        }
        guard !modules.contains(.web) else {
            throw CommandFailure.failed("this version has no web module; run --module mta")
        }
        // Who reads the log may go: that is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        OpenFiles.raiseLimit()
        let log = try ServiceLog(descriptor: STDERR_FILENO)
        defer { log.finish() }
        do { try Self.serve(instance, log) } catch {
            guard let ending = error as? Ending ?? Ending(of: error) else { throw error }
            if !(error is Ending) {
                log.line("pushmta: \("\(error)".printable(atMost: CommandFailure.longestLine))")
            }
            throw ending
        }
    }

    /// On this thread and a few more, all of which run before it says "serving": what is started later, as
    /// Swift's pool starts threads, may not start, and nothing would say so.
    private static func serve(_ instance: Instance, _ log: ServiceLog) throws {
        let logger = log.logger(level: instance.settings.mta.logLevel)
        for finding in instance.configuration.findings where finding.severity == .warning {
            logger.warning("\(finding.text(inFile: instance.configuration.path))")
        }
        if instance.settings.web.autoStart {
            logger.notice("web/@autoStart has no effect: this version has no web module")
        }
        let store = try instance.openStore()
        let service = try MasterService(
            settings: instance.settings, store: store, key: try store.instanceKey(),
            childExecutable: try ownExecutable(), childArguments: [MTAChild._commandName], logger: logger)
        try ServiceSignals.watch { [shutDown = service.shutDown] signal in
            switch signal {
            case .end: shutDown()
            case .hangUp:
                logger.notice(
                    "SIGHUP changes nothing: serverConf.xml is read at the start, so start again to apply it")
            }
        }
        // The log has said why.
        let operations = OperationService(of: service.handle, in: service.sharedStore, instance.configuration)
        if try service.serve(carryingOut: operations) == .filesChanged { throw Ending.failed }
    }

    private static func autoStarted(_ settings: ServerConfiguration) -> [Module] {
        // The web module is not built yet, so its autoStart, which the shipped file has, starts nothing.
        settings.mta.autoStart ? [.mta] : []
    }

    /// The file of this very program, whatever it was called by: children must be of the same build.
    private static func ownExecutable() throws -> String {
        guard let path = unsafe realpath("/proc/self/exe", nil) else {
            throw CommandFailure.failed("cannot find this program's own file: \(SystemErrorText.of(errno))")
        }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
