internal import PushConnectors
package import PushModel

/// What creating or changing an app came to.
package struct AppChange: Codable, Equatable, Sendable {
    package var app: AppView
    /// Where a pair was made, its app for sandbox tokens.
    package var sandbox: AppView?
    /// What is probably not meant, a line each.
    package var warnings: [String]
    /// When the credential that was given ends by itself; nil: it does not, or none was given.
    package var credentialEnds: WallTime?

    init(_ app: AppView, warnings: [String], credential: IntakenCredential?) {
        self.app = app
        self.warnings = warnings
        credentialEnds = credential?.notAfter
    }
}
