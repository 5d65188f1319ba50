internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushStore

/// Connects to the gateway with the application's credential and says what it answered. Nothing reaches any
/// device. Takes as long as the gateway does, up to a minute.
package struct TestApp: LongOperation {
    package typealias Progress = Never

    package var name: String

    package init(name: String) { self.name = name }

    package func perform(in operations: Operations, watchedBy watch: Watch<Never>) throws -> TestedApp {
        let app = try operations.requireApp(named: name)
        let credential = try operations.store.credentials(key: try operations.key()).credential(of: app.id)
        var settings = app.settings
        if operations.settings.mta.verifyMode { settings.connector = .stub }
        let result = ConnectionTest.run(
            settings: settings, credential: credential,
            gateway: try operations.engine.gateway(of: settings.connector))
        return TestedApp(succeeded: result.succeeded, lines: result.lines)
    }
}

/// What came of it.
package struct TestedApp: Codable, Equatable, Sendable {
    package var succeeded: Bool
    /// What was done and what the gateway said, a line each.
    package var lines: [String]
}
