internal import Logging
internal import PushAPI
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushServer
internal import PushStore
internal import Synchronization

/// The use cases of a master's own process, with the settings that are currently in effect: the settings from
/// its start or from the last reload.
final class RunningInstance: Sendable {
    private struct Present {
        var configuration: LoadedConfiguration
        /// See ``LoadedConfiguration/operationMark(of:)``. Empty if it cannot be determined; the mark of a
        /// command is never empty.
        var mark: String
    }

    private let service: MasterService
    private let log: ServiceLog
    private let attempts: AttemptLogFile
    private let web: WebPart
    private let logger: Logger
    private let present: Mutex<Present>
    private let messageCache = MessageCache()
    private let registrationCache = RegistrationCache()
    private let people = PeopleMemory()
    private let waits = WaitingThreads()
    private var store: Store { service.sharedStore }

    init(
        _ service: MasterService, _ configuration: LoadedConfiguration, _ log: ServiceLog,
        _ attempts: AttemptLogFile, _ web: WebPart, _ logger: Logger
    ) {
        self.service = service
        self.web = web
        self.attempts = attempts
        self.log = log
        self.logger = logger
        let mark = configuration.operationMark(of: service.sharedStore) ?? ""
        present = Mutex(Present(configuration: configuration, mark: mark))
    }

    var operations: Operations {
        let (configuration, mark) = present.withLock { ($0.configuration, $0.mark) }
        return Operations(
            configuration: configuration, store: store,
            engine: InProcessEngine(
                handle: service.handle, store: store, configuration: configuration,
                applySettings: { [unowned self] in try applySettings(of: $0) },
                reopen: { [unowned self] in reopenLogs() },
                mark: mark, logger: logger), clock: .ofTheMachine, caller: "the service",
            messageCache: messageCache, registrationCache: registrationCache, people: people, waits: waits)
    }

    /// Reads serverConf.xml again. The use case logs the result.
    func reload() { _ = try? ReloadConfiguration().perform(in: operations) }

    /// Reopens the log files by name, regardless of the configuration. Does not wait.
    func reopenLogs() {
        log.reopen()
        attempts.reopen()
    }

    private func applySettings(of new: LoadedConfiguration) throws {
        let mark = new.operationMark(of: store) ?? ""
        let destination = try attempts.prepare(new.settings.mta.deliveryLog)
        try service.reconfigure(new.settings)
        attempts.write(to: destination)
        web.apply(new.settings.web)
        log.setLevel(new.settings.mta.logLevel)
        present.withLock { $0 = Present(configuration: new, mark: mark) }
    }
}

/// The use cases of a process that has only the web module, with the settings that are currently in effect.
final class WebInstance: Sendable {
    private let store: Store
    private let log: ServiceLog
    private let web: WebPart
    private let logger: Logger
    private let present: Mutex<LoadedConfiguration>
    private let contact: MasterContact
    private let messageCache = MessageCache()
    private let registrationCache = RegistrationCache()
    private let people = PeopleMemory()
    private let waits = WaitingThreads()

    init(
        _ store: Store, _ configuration: LoadedConfiguration, _ log: ServiceLog, _ web: WebPart,
        _ logger: Logger
    ) {
        (self.store, self.log, self.web, self.logger) = (store, log, web, logger)
        present = Mutex(configuration)
        contact = MasterContact(storePath: store.instancePath) { store.announceChange() }
    }

    /// The operations, which work alongside a master in another process or without a master.
    var operations: Operations {
        let configuration = present.withLock(\.self)
        return Operations(
            configuration: configuration, store: store,
            engine: MasterProcess(
                store: store, configuration: configuration, contact: contact,
                applySettings: { [unowned self] in applySettings(of: $0) }, logger: logger),
            clock: .ofTheMachine, caller: "the service", messageCache: messageCache,
            registrationCache: registrationCache, people: people, waits: waits)
    }

    /// Reopens the log file by name and reads serverConf.xml again. The use case logs the result.
    func reload() {
        log.reopen()
        _ = try? ReloadConfiguration().perform(in: operations)
    }

    private func applySettings(of new: LoadedConfiguration) {
        web.apply(new.settings.web)
        log.setLevel(new.settings.mta.logLevel)
        present.withLock { $0 = new }
    }
}
