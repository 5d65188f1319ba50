internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

/// The sending side's information about settings and accounts, whichever process the master runs in. This
/// process computes the information as the master does, so that commands and the master use the same name for
/// an account.
protocol InstanceEngine: SendingEngine {
    var store: Store { get }
    var configuration: LoadedConfiguration { get }
}

extension InstanceEngine {
    private var gateways: GatewaySettings {
        get throws { try GatewaySettings(configuration.settings, connectors: ConnectorCatalogue.rows) }
    }

    func gateway(of connector: ConnectorName) throws -> GatewayOrder {
        try gateways.gateway(of: connector)
    }

    func account(of app: App) throws -> SendingAccount {
        var found: AccountDefinition?
        var directory = AccountDirectory(
            store: store, key: try store.instanceKey(), gateways: try gateways
        ) { event in
            // The directory knows no other account yet, so the account that it defines is the requested one.
            if case .account(_, let definition) = event { found = definition }
        }
        do { _ = try directory.account(of: app.id) } catch let error as AccountDirectory.Unaddressable {
            throw OperationError.failed(error.why)
        }
        guard let found else {
            throw OperationError.failed("app \(app.name) has no account; look at 'pushmta app show'")
        }
        return SendingAccount(name: found.name, mark: found.mark, order: found.order)
    }
}

extension LoadedConfiguration {
    /// Returns a mark of the build, the instance (not its name) and every setting. If a command and a master
    /// have the same mark, the result of an operation does not depend on which of them carries it out. `nil`
    /// if the file at the instance's path cannot be examined.
    func operationMark(of store: Store) -> String? {
        guard let file = FileIdentity.look(at: store.instancePath).identity else { return nil }
        let settings = origins.map { "\($0.path)=\($0.value)" }.joined(separator: "\n")
        // FNV-1a, 64 bits. It distinguishes files that were edited, but not files that were deliberately made
        // to look alike.
        let hash = settings.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return "\(ProductVersion.build)/\(file.device)-\(file.inode)/\(String(hash, radix: 16))"
    }
}
