internal import Glibc
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushMaster
internal import PushStore
internal import PushSystem

/// One instance of the system, as its configuration file describes it: where every command begins.
struct Instance {
    let configuration: LoadedConfiguration
    var settings: ServerConfiguration { configuration.settings }
    /// Without symbolic links, as the master knows it: its lock and its socket lie beside this name.
    var storePath: String { settings.store.place.instancePath }

    /// - Throws: also where root would make files in another user's instance.
    init(_ option: ConfigurationOption) throws {
        configuration = try ConfigurationFile.load(
            path: option.path, schema: ConnectorCatalogue.settings, productVersion: ProductVersion.text)
        try InstanceOwner.refuseRoot(at: storePath)
    }

    /// The instance of a file that is refused, if a master serves it: its store, and no setting.
    init?(servedBesideRefused option: ConfigurationOption) throws {
        guard
            let found = ConfigurationFile.probable(
                ofRefused: option.path, schema: ConnectorCatalogue.settings,
                productVersion: ProductVersion.text),
            try InstanceLock.isHeld(besideStore: found.settings.store.place.instancePath)
        else { return nil }
        configuration = found
        try InstanceOwner.refuseRoot(at: storePath)
    }

    func openStore() throws(StoreError) -> Store { try Store.open(settings.store.place) }
}

extension Operations {
    /// The instance that a command line names, opened. If its configuration file is refused, a running service performs
    /// what is asked.
    init(_ option: ConfigurationOption) throws {
        do { try self.init(Instance(option)) } catch let error as ConfigurationError {
            guard let instance = try Instance(servedBesideRefused: option) else { throw error }
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

    /// Whose command this process is, for the audit trail.
    static var commandCaller: String { "command of user \(geteuid())" }
}

/// Whose an instance is: the owner of its folder, whom the service runs as.
enum InstanceOwner {
    /// What root makes in another user's instance belongs to root, and the service could not open it.
    /// - Parameter path: what names of the instance's files begin with.
    /// - Throws: where this process is root and the instance another's.
    static func refuseRoot(at path: String) throws(CommandFailure) {
        guard geteuid() == 0 else { return }
        var facts = stat()
        let folder = AbsolutePath.folder(of: path)
        guard unsafe stat(folder, &facts) == 0, facts.st_uid != 0 else { return }
        let owner = UserName.of(facts.st_uid)
        throw .failed(
            "the instance in \(folder) belongs to \(owner), and what root makes there \(owner) cannot open: run it as "
                + "that user, sudo -u \(owner) pushmta …")
    }
}
