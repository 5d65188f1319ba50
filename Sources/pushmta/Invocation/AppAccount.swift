internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

/// The account that an app's messages go through, worked out as the master does it: so both call it by one name.
struct AppAccount {
    let definition: AccountDefinition
    var mark: AccountMark { definition.mark }
    var order: AccountOrder { definition.order }

    /// - Throws: ``CommandFailure`` where the app cannot be addressed, as with a credential of another instance.
    init(of app: App, in store: Store, of instance: Instance) throws {
        var found: AccountDefinition?
        var directory = AccountDirectory(
            store: store, key: try store.instanceKey(), gateways: try GatewaySettings(instance.settings)
        ) { event in
            // It knows no other account yet, so the one that it defines is the one asked for.
            if case .account(_, let definition) = event { found = definition }
        }
        do { _ = try directory.account(of: app.id) } catch let error as AccountDirectory.Unaddressable {
            throw CommandFailure.failed(error.why)
        }
        guard let found else { throw CommandFailure.failed("app \(app.name) has no account; look at 'app show'") }
        definition = found
    }
}
