internal import PushConnectors
package import PushModel

/// What creating or changing an app came to.
package struct AppChange: View, Equatable {
    package static let about = [
        "sandbox": "of a pair, the app for sandbox tokens", "warnings": "what is probably a mistake",
        "credentialEnds": "when the given credential expires; null: never, or none was given",
    ]

    package var app: AppView
    package var sandbox: AppView?
    package var warnings: [String]
    package var credentialEnds: WallTime?

    init(_ app: AppView, warnings: [String], credential: IntakenCredential?) {
        self.app = app
        self.warnings = warnings
        credentialEnds = credential?.notAfter
    }
}
