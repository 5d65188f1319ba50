internal import GatewayAPNs
internal import GatewayKit
internal import PushConfig
package import PushModel
package import PushStore

/// A change of an app's connection that is tested against the gateway before anything is changed.
///
/// The test takes up to a minute, which is longer than a command waits for the running service. The process
/// that received the request therefore makes the test, and requests the change without the test.
package protocol TestedSwitch: Change, UseCase where Answer == AppChange {
    var name: String { get }
    var skipsTest: Bool { get set }
    var liveDeliveries: Bool { get set }

    /// Returns the settings to test.
    /// - Throws: The reason why the app cannot be switched, whatever the gateway answers.
    func trial(of app: App, in operations: Operations) throws -> ConnectionTrial
}

extension TestedSwitch {
    package var followUpCommand: String { "app list" }
    package var auditText: AuditText? { .of(name) }

    package func perform(in operations: Operations) throws -> AppChange {
        let lines = try test(in: operations)
        var change = try commit(in: operations)
        change.test = lines
        if liveDeliveries { try change.bindLiveDeliveries(in: operations) }
        return change
    }

    package func begin(
        in operations: Operations, then: @escaping @Sendable (Result<AppChange, OperationError>) -> Void
    ) {
        if skipsTest, !liveDeliveries { return commit(in: operations, then: then) }
        operations.waits.run(then) { () throws(OperationError) in try carryOut(by: operations) }
    }

    package func carryOut(by operations: Operations) throws(OperationError) -> AppChange {
        // A process that does not know the settings cannot make the test.
        guard operations.engine.refusal == nil else { return try operations.carryOut(self) }
        let lines: [String]?
        do { lines = try test(in: operations) } catch { throw OperationError(error) }
        var tested = self
        tested.skipsTest = true
        var change = try operations.carryOut(tested)
        change.test = lines
        return change
    }

    /// - Returns: The lines of the test; `nil` if the request skips it.
    private func test(in operations: Operations) throws -> [String]? {
        guard !skipsTest else { return nil }
        let app = try operations.requireApp(named: name)
        // The user need not wait for the gateway to learn of an error that has nothing to do with it.
        _ = try prepare(in: operations)
        return try trial(of: app, in: operations).passed(before: app, in: operations)
    }

    fileprivate static var switchMembers: [Member<Self>] {
        [
            .field(
                \.skipsTest, "skipsTest",
                "Whether to switch without testing the new connection against the gateway first.",
                default: false),
            .field(
                \.liveDeliveries, "liveDeliveries",
                """
                Whether a new bundle id also applies to deliveries that have not ended. The connector and \
                the credential always apply to them.
                """,
                default: false),
        ]
    }
}

/// Switches an app to another connector or credential, after a test of the new connection. The present
/// connection is kept, so that ``SwitchAppBack`` can restore it.
package struct SwitchApp: TestedSwitch {
    package static let name = "app.switch"
    package static let operation = Operation(
        .post, "/apps/{name}/switch", .admin,
        "Tests another connector or credential against the gateway, and switches the app to it if the "
            + "gateway accepts it. The test takes up to a minute.",
        maxBodyBytes: AppFields.maxBodyBytes)
    package static let example = #"{"connector": "stub"}"#
    package static let members: [Member<Self>] =
        [.path(\.name, "name", AppFields.nameHelp)] + Member.all(of: \.connection)
        + switchMembers

    package var name = ""
    package var connection = ConnectionFields()
    package var skipsTest = false
    package var liveDeliveries = false

    package init() {}
    package init(name: String, connection: ConnectionFields, skipsTest: Bool = false) {
        (self.name, self.connection, self.skipsTest) = (name, connection, skipsTest)
    }

    /// The same change without the test.
    private var update: UpdateApp {
        var update = UpdateApp()
        (update.name, update.liveDeliveries) = (name, liveDeliveries)
        update.changes.set(\.connector, to: connection.connector)
        update.changes.set(\.environment, to: connection.environment)
        if let bundleId = connection.bundleId { update.changes.set(\.bundleId, to: .some(bundleId)) }
        if let file = connection.credential { update.changes.set(\.credential, to: .some(file)) }
        return update
    }

    package func prepare(in operations: Operations) throws -> Step<AppChange> {
        guard connection != ConnectionFields() else {
            throw OperationError.refused(
                "there is nothing to switch to: give another connector, credential, bundle id or environment")
        }
        return try update.prepare(in: operations)
    }

    package func trial(of app: App, in operations: Operations) throws -> ConnectionTrial {
        try ConnectionTrial(of: app, with: connection, in: operations)
    }
}

/// Switches an app back to the connection that it had before its connector or credential was last changed.
/// The present connection becomes the former one, so that the same request switches the app forth again.
package struct SwitchAppBack: TestedSwitch {
    package static let name = "app.switch-back"
    package static let operation = Operation(
        .post, "/apps/{name}/switch-back", .admin,
        "Tests the connector and the credential that the app had before their last change, and switches the "
            + "app back to them if the gateway accepts them. The test takes up to a minute.")
    package static let members: [Member<Self>] =
        [.path(\.name, "name", AppFields.nameHelp)] + switchMembers

    package var name = ""
    package var skipsTest = false
    package var liveDeliveries = false

    package init() {}
    package init(name: String, skipsTest: Bool = false) { (self.name, self.skipsTest) = (name, skipsTest) }

    package func prepare(in operations: Operations) throws -> Step<AppChange> {
        let app = try operations.requireApp(named: name)
        let (settings, credential) = try former(of: app, in: operations)
        try ConnectorSwitch(of: app, to: settings).checkLiveDeliveries(
            in: operations.store, operations.settings.nmac)
        let certificate = credential.flatMap { CredentialIntake.certificate(in: $0) }
        if let end = certificate?.notAfter, end <= operations.clock.moment().time {
            throw OperationError.refused(
                "the certificate to which app \(name) would be switched back expired at \(end.utcText); give "
                    + "another credential: \(see: SwitchApp.self)")
        }
        var warnings = AppRules.warnings(of: settings, credential: certificate, operations.settings.nmac)
        if !liveDeliveries, ConnectorSwitch.isBoundOtherwise(app.settings, settings) {
            warnings += try UpdateApp.unchanged(boundTo: app, in: operations.store.catalogue)
        }
        let key = try operations.key()
        let forgetApps = operations.forgetApps
        return Step(effects: { _ in forgetApps() }) { [warnings] store in
            let updated = try store.catalogueWriter(key: key).updateApp(
                app.id, to: settings, credential: credential, checkedAgainst: app)
            return AppChange(
                try AppView(updated, in: store.catalogue), warnings: warnings, credential: certificate)
        }
    }

    package func trial(of app: App, in operations: Operations) throws -> ConnectionTrial {
        let (settings, credential) = try former(of: app, in: operations)
        let present = try operations.store.credentials(key: try operations.key()).credential(of: app.id)
        return ConnectionTrial(settings: settings, credential: credential ?? present)
    }

    /// Returns the app's settings with its former connection, and that connection's credential. If the former
    /// connection had no credential, the app keeps its present one, as every app that changes to the stub
    /// connector does.
    private func former(
        of app: App, in operations: Operations
    ) throws -> (settings: AppSettings, credential: OpaqueCredential?) {
        let reader = operations.store.credentials(key: try operations.key())
        guard let (former, credential) = try reader.formerConnection(of: app) else {
            throw OperationError.absent(
                "app \(app.name) has no former connection: neither its connector nor its credential was "
                    + "changed")
        }
        var settings = app.settings
        settings.connector = former.connector
        settings.environment = former.environment
        if let bundleID = former.bundleID.nonEmpty { settings.bundleID = bundleID }
        if credential != nil { settings.credentialIdentity = former.credentialIdentity }
        return (settings, credential)
    }
}

/// A connection to which an app can be switched back, as it is shown: everything except its secrets.
package struct FormerConnectionView: View, Equatable {
    package static let schemaName = "FormerConnection"
    package static let about = [
        "bundleId": "null if the gateway does not use one",
        "credential": "the identity that the gateway sees; null if the connection had no credential",
        "replacedAt": "when the app was switched to its present connection",
    ]

    package var connector: ConnectorName
    package var environment: PushEnvironment
    package var bundleId: String?
    package var credential: String?
    package var replacedAt: WallTime

    init(_ former: FormerConnection) {
        (connector, environment) = (former.connector, former.environment)
        (bundleId, credential) = (former.bundleID.nonEmpty, former.credentialIdentity.nonEmpty)
        replacedAt = former.replacedAt
    }
}
