internal import Glibc
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushMaster
internal import PushServer
internal import PushStore
internal import PushSystem
internal import Synchronization

/// One instance of the system, as described by its configuration file. Every command starts from it.
struct Instance {
    let configuration: LoadedConfiguration
    var settings: ServerConfiguration { configuration.settings }
    /// The store's path without symbolic links, in the form that the master uses. The master's lock and
    /// socket have names derived from it.
    var storePath: String { settings.store.place.instancePath }

    /// - Throws: An error in the configuration, or an error if root would create files in another user's
    ///   instance.
    init(_ option: ConfigurationOption) throws {
        configuration = try ConfigurationFile.load(
            path: option.path, schema: ConnectorCatalogue.settings, productVersion: ProductVersion.text)
        try InstanceOwner.refuseRoot(at: storePath)
    }

    /// Creates an instance from a refused configuration file, if a master serves the instance. The result
    /// contains the file's store and no settings.
    init?(servedDespiteRefused option: ConfigurationOption) throws {
        guard
            let found = ConfigurationFile.probable(
                ofRefused: option.path, schema: ConnectorCatalogue.settings,
                productVersion: ProductVersion.text),
            try InstanceLock.isHeld(forStore: found.settings.store.place.instancePath)
        else { return nil }
        configuration = found
        try InstanceOwner.refuseRoot(at: storePath)
    }

    /// Opens the instance for a request to its master. If the configuration file is refused and a master
    /// serves the store, the user is warned and the instance has no settings.
    static func served(_ option: ConfigurationOption) throws -> Instance {
        do { return try Instance(option) } catch let error as ConfigurationError {
            guard let instance = try Instance(servedDespiteRefused: option) else { throw error }
            error.warnOfRefusal()
            return instance
        }
    }

    func openStore() throws(StoreError) -> Store { try Store.open(settings.store.place) }
}

/// Whether this command has warned the user about a configuration file that it refuses.
private let isRefusalReported = Atomic(false)

extension ConfigurationError {
    /// Warns the user, once per command, that the running service answered although the command refuses the
    /// file: the service has read an earlier version of the file.
    func warnOfRefusal() {
        guard !isRefusalReported.exchange(true, ordering: .relaxed) else { return }
        let errors = findings.filter { $0.severity == .error }.map { $0.text(inFile: path) }
        let count = errors.count > 1 ? " (the first of \(errors.count) errors)" : ""
        StandardError.warn(of: [
            (errors.first ?? path) + count + "; the running service still uses its earlier configuration: "
                + "correct the file, check it with 'pushmta config check', then run 'pushmta reload'"
        ])
    }
}

extension Operations {
    /// Opens the instance that the command line names. If the instance's configuration file is refused, a
    /// running service performs the request.
    init(_ option: ConfigurationOption) throws {
        do { try self.init(Instance(option)) } catch let error as ConfigurationError {
            guard let instance = try Instance(servedDespiteRefused: option) else { throw error }
            try self.init(instance, refused: error)
        }
    }

    private init(_ instance: Instance, refused: ConfigurationError? = nil) throws {
        let store = try instance.openStore()
        self.init(
            configuration: instance.configuration, store: store,
            engine: MasterProcess(
                store: store, configuration: instance.configuration, refused: refused),
            clock: .ofTheMachine, caller: Self.commandCaller)
    }

    /// The caller of this process's command, for the audit trail.
    static var commandCaller: String { LocalCaller.name(ofUser: geteuid()) }
}

/// The owner of an instance: the owner of its folder. The service runs as this user.
enum InstanceOwner {
    /// Refuses to run as root in another user's instance. Files that root creates there belong to root, and
    /// the service could not open them.
    /// - Parameter path: The prefix of the names of the instance's files.
    /// - Throws: An error if this process runs as root and the instance belongs to another user.
    static func refuseRoot(at path: String) throws(CommandFailure) {
        guard geteuid() == 0 else { return }
        var facts = stat()
        let folder = AbsolutePath.folder(of: path)
        guard unsafe stat(folder, &facts) == 0, facts.st_uid != 0 else { return }
        throw .failed(
            "the instance in \(folder) belongs to \(UserName.of(facts.st_uid)), who cannot open root's "
                + "files: run the command as that user: \(UserName.sudo(as: facts.st_uid, "pushmta …"))")
    }
}
