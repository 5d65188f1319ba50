internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushOperations
internal import PushStore
internal import PushWire

/// The sending side as a command reaches it: a master in another process, by its lock and its control socket.
struct MasterProcess: SendingEngine {
    let store: Store
    let settings: ServerConfiguration

    /// Where that cannot be told, a master is assumed: to step aside for one costs little.
    var isRunning: Bool { (try? InstanceLock.isHeld(besideStore: store.path)) ?? true }

    func status() throws -> MasterStatus? { try ControlClient.status(storePath: store.path) }

    func nudge() { ControlClient.nudge(storePath: store.path) }

    func gateway(of connector: ConnectorName) throws -> GatewayOrder {
        try GatewaySettings(settings).gateway(of: connector)
    }

    /// Worked out as the master does it, so that both call it by one name.
    func account(of app: App) throws -> SendingAccount {
        var found: AccountDefinition?
        var directory = AccountDirectory(
            store: store, key: try store.instanceKey(), gateways: try GatewaySettings(settings)
        ) { event in
            // It knows no other account yet, so the one that it defines is the one asked for.
            if case .account(_, let definition) = event { found = definition }
        }
        do { _ = try directory.account(of: app.id) } catch let error as AccountDirectory.Unaddressable {
            throw OperationError.failed(error.why)
        }
        guard let found else { throw OperationError.failed("app \(app.name) has no account; look at 'app show'") }
        return SendingAccount(name: found.name, mark: found.mark, order: found.order)
    }
}
