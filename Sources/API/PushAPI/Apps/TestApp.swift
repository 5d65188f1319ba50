internal import GatewayAPNs
internal import GatewayKit
internal import PushConfig
internal import PushConnectors
package import PushModel
internal import PushStore

/// The settings of an app's connection to its gateway, as a request gives them. A setting that is `nil` keeps
/// the value that the app has.
package struct ConnectionFields: Members, Equatable {
    package var connector: String?
    package var environment: PushEnvironment?
    package var bundleId: String?
    package var credential: CredentialFile?

    package init() {}

    static let connectorHelp =
        "A connector for the app's platform, or Campaign's URL for the connector: …/iosHTTP2.jsp. "
        + "stub accepts every message and sends none. Connectors: "
        + ConnectorCatalogue.names.map(\.rawValue).joined(separator: ", ") + "."
    static let environmentHelp =
        "The gateway environment of the app's tokens. It cannot be changed once the app has subscribers."
    static let bundleIDHelp = "The bundle identifier, which is the APNs topic."
    static let credentialHelp = "The credential for the gateway, of a kind that the connector can use."
    private static let present = "the app's present one"

    package static let members: [Member<Self>] = [
        .field(\.connector, "connector", connectorHelp, absent: present),
        .field(\.environment, "environment", environmentHelp, absent: present),
        .field(\.bundleId, "bundleId", bundleIDHelp, absent: present),
        .field(\.credential, "credential", credentialHelp, absent: present).secret,
    ]

    package static func == (left: Self, right: Self) -> Bool { left.json == right.json }
}

/// Connects to the gateway with the app's connection settings, or with other settings that the app could be
/// switched to, and reports the gateway's answer. No device receives anything, and nothing is changed. The
/// test waits for the gateway for up to a minute.
package struct TestApp: WaitingOperation, UseCase {
    package static let name = "app.test"
    package static let operation = Operation(
        .post, "/apps/{name}/test", .admin,
        "Connects to the gateway with the app's credential, or with other connection settings, and reports "
            + "the gateway's answer. No device receives anything. The test takes up to a minute.",
        maxBodyBytes: AppFields.maxBodyBytes)
    package static let example = #"{"connector": "stub"}"#
    package static let members: [Member<Self>] =
        [.path(\.name, "name", AppFields.nameHelp)] + Member.all(of: \.connection)

    package var name = ""
    /// The settings to test instead of the app's present ones.
    package var connection = ConnectionFields()

    package init() {}
    package init(name: String, connection: ConnectionFields = ConnectionFields()) {
        (self.name, self.connection) = (name, connection)
    }

    package func perform(in operations: Operations) throws -> TestedApp {
        let app = try operations.requireApp(named: name)
        return try ConnectionTrial(of: app, with: connection, in: operations).run(in: operations)
    }
}

package struct TestedApp: View, Equatable {
    package static let about = [
        "succeeded": "whether the gateway accepts the credential",
        "lines": "the steps of the test and the gateway's answers",
    ]

    package var succeeded: Bool
    package var lines: [String]
}

/// A test of connection settings that an app has or may be switched to.
package struct ConnectionTrial: Sendable {
    let settings: AppSettings
    let credential: OpaqueCredential?

    init(settings: AppSettings, credential: OpaqueCredential?) {
        (self.settings, self.credential) = (settings, credential)
    }

    /// - Throws: The reason why the app cannot have these settings, whatever the gateway answers.
    init(of app: App, with fields: ConnectionFields, in operations: Operations) throws {
        let change = try ConnectorSwitch(
            of: app, to: fields.connector, credential: fields.credential, bundleID: fields.bundleId)
        let stored = try operations.store.credentials(key: try operations.key()).credential(of: app.id)
        var settings = change.settings
        if let environment = fields.environment { settings.environment = environment }
        try AppRules.check(change.credential, of: fields.credential, in: settings.environment)
        if fields != ConnectionFields() {
            let shown = change.credential ?? stored.flatMap { CredentialIntake.certificate(in: $0) }
            settings.bundleID = AppRules.bundleID(settings.bundleID, shownWith: shown).id
        }
        self.init(settings: settings, credential: change.credential?.opaque ?? stored)
    }

    func run(in operations: Operations) throws -> TestedApp {
        var settings = settings
        if operations.settings.mta.verifyMode { settings.connector = .stub }
        // A gateway may hang and block a thread. At most one of the shared threads can be blocked in this
        // way.
        let result = try operations.waits.alone("an app's test") {
            ConnectionTest.run(
                settings: settings, credential: credential,
                gateway: try operations.engine.gateway(of: settings.connector))
        }
        return TestedApp(succeeded: result.succeeded, lines: result.lines)
    }

    /// Runs the test before a switch.
    /// - Parameter app: The app to be switched. If it is changed during the test, the switch would be another
    ///   one than the one that was tested.
    /// - Returns: The lines of the test.
    /// - Throws: A refusal with these lines if the gateway does not accept the settings.
    func passed(before app: App, in operations: Operations) throws -> [String] {
        let tested = try run(in: operations)
        guard tested.succeeded else {
            throw OperationError(
                .refused,
                lines: [
                    "the gateway did not accept the new connection of app \(app.name), so nothing was changed"
                        + "; correct the settings, or switch without this test "
                        + "(\(command: "--skip-test", api: "skipsTest"))"
                ] + tested.lines)
        }
        guard try operations.requireApp(named: app.name) == app else {
            throw OperationError.conflict(
                "app \(app.name) was changed during the test, so it was not switched; repeat the request")
        }
        return tested.lines
    }
}
