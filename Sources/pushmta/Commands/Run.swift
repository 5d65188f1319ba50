internal import ArgumentParser
internal import Glibc
internal import Logging
internal import PushConfig
internal import PushMaster
internal import PushStore
internal import ServiceLifecycle
internal import UnixSignals

struct Run: AsyncParsableCommand {
    enum Module: String, CaseIterable, ExpressibleByArgument {
        case mta, web
    }

    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the service in the foreground.",
        discussion: """
            Starts the modules that have autoStart="true" in the configuration. SIGTERM and SIGINT end it when what \
            is in flight has its answer; however it ends, nothing accepted is lost. \
            Logs go to standard error, as much as mta/@logLevel says: 0 errors, 1 warnings too, 2 information too.
            """)

    @Option(help: "Run this module alone, whether it starts by itself or not.")
    var module: Module?

    @OptionGroup var config: ConfigurationOption

    func run() async throws {
        let instance = try Instance(config)
        let modules = module.map { [$0] } ?? Self.autoStarted(instance.settings)
        guard !modules.isEmpty else {
            throw CommandFailure.failed(
                "\(config.path): no module has autoStart=\"true\"; set it for mta, or name one with --module")
        }
        let logger = ServiceLog.logger(level: instance.settings.mta.logLevel)
        for finding in instance.configuration.findings where finding.severity == .warning {
            logger.warning("\(finding.text(inFile: instance.configuration.path))")
        }
        if instance.settings.web.autoStart {
            logger.notice("web/@autoStart has no effect: this version has no web module")
        }
        let services = try Self.services(modules, of: instance, logger: logger)
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
    }

    private static func autoStarted(_ settings: ServerConfiguration) -> [Module] {
        // The web module is not built yet, so its autoStart, which the shipped file has, starts nothing.
        settings.mta.autoStart ? [.mta] : []
    }

    private static func services(
        _ modules: [Module], of instance: Instance, logger: Logger
    ) throws -> [any ServiceLifecycle.Service] {
        guard !modules.contains(.web) else {
            throw CommandFailure.failed("this version has no web module; run --module mta")
        }
        let store = try instance.openStore()
        let key = try store.instanceKey()
        return try modules.map { _ in
            MasterService(
                settings: instance.settings, store: store, key: key, childExecutable: try ownExecutable(),
                childArguments: [MTAChild._commandName], logger: logger)
        }
    }

    /// The file of this very program, whatever it was called by: children must be of the same build.
    private static func ownExecutable() throws -> String {
        guard let path = unsafe realpath("/proc/self/exe", nil) else {
            throw CommandFailure.failed("cannot find this program's own file: \(SystemError.text(errno))")
        }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
