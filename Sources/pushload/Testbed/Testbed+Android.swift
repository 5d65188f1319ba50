/// Android's side of a testbed: apps of FCM.
extension Testbed {
    package static let androidApp = "neotrips-android"

    package enum AndroidConnector: String, CaseIterable, Sendable {
        /// One request at a time in each child.
        case one = "androidPushConnector"
        /// As many as `maxGCMConnectPerChild` says.
        case many = "androidPushConnectorV2"
    }

    package enum AndroidCredential: CaseIterable, Sendable {
        /// FCM HTTP v1.
        case serviceAccount
        /// The legacy interface.
        case projectKey
    }

    /// One more app of the service.
    package func createAndroidApp(
        _ name: String = Testbed.androidApp, connector: AndroidConnector = .many,
        credential: AndroidCredential = .serviceAccount, messageIDFormat: String? = nil
    ) async throws {
        let certs = folder.file("certs")
        let options =
            switch credential {
            case .serviceAccount: ["--service-account", "\(certs)/service-account.json"]
            case .projectKey: ["--project-key-file", "\(certs)/project.key"]
            }
        try await createApp(
            name, ["--platform", "android", "--connector", connector.rawValue] + options,
            messageIDFormat: messageIDFormat)
    }
}
