/// The three ways to a device that a testbed can have.
extension Testbed {
    package enum Platform: String, CaseIterable, Sendable {
        /// APNs over HTTP/2.
        case ios
        /// FCM HTTP v1, by the V2 connector.
        case android
        /// APNs' ended binary protocol.
        case iosBinary = "ios-binary"

        package var app: String {
            switch self {
            case .ios: Testbed.app
            case .android: Testbed.androidApp
            case .iosBinary: Testbed.binaryApp
            }
        }
    }

    /// An app of that kind in the service, which must be there.
    package func createApp(for platform: Platform) async throws {
        switch platform {
        case .ios: try await createApp(Self.app, credential: settings.credential)
        case .android: try await createAndroidApp()
        case .iosBinary: try await createBinaryApp()
        }
    }

    /// The service with one app, and that app's name.
    package func createOnlyApp(for platform: Platform) async throws -> String {
        try await createService()
        try await createApp(for: platform)
        return platform.app
    }

    /// The service with these apps, each of which has subscribers.
    func createApps(_ apps: [(platform: Platform, subscribers: SyntheticSubscribers)]) async throws {
        try await createService()
        for app in apps {
            try await createApp(for: app.platform)
            try await importSubscribers(app.subscribers, into: app.platform.app)
        }
    }

    /// The same, and the engine.
    func begin(_ apps: [(platform: Platform, subscribers: SyntheticSubscribers)]) async throws {
        try await createApps(apps)
        try await startEngine()
    }

    /// Ends the engine and the gateway, whose log and summary are whole then.
    func finish() async throws {
        try await stopEngine()
        try await stopGateway()
    }
}
