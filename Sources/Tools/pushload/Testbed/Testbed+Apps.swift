internal import ArgumentParser

/// The service of a testbed and its apps, which reach devices in three ways.
extension Testbed {
    package static let service = "neotrips"
    package static let app = "neotrips-ios"
    package static let androidApp = "neotrips-android"
    package static let binaryApp = "neotrips-binary"

    package enum Platform: String, CaseIterable, ExpressibleByArgument, Sendable {
        /// APNs over HTTP/2.
        case ios
        /// FCM HTTP v1, through the V2 connector.
        case android
        /// APNs' discontinued binary protocol.
        case iosBinary = "ios-binary"

        package var app: String {
            switch self {
            case .ios: Testbed.app
            case .android: Testbed.androidApp
            case .iosBinary: Testbed.binaryApp
            }
        }
    }

    package enum AndroidConnector: String, CaseIterable, Sendable {
        /// The connector with one request at a time in each child.
        case one = "androidPushConnector"
        /// The connector with as many requests at a time as `maxGCMConnectPerChild` allows.
        case many = "androidPushConnectorV2"
    }

    package enum AndroidCredential: CaseIterable, Sendable {
        /// FCM HTTP v1.
        case serviceAccount
        /// The legacy interface.
        case projectKey
    }

    package enum BinaryCertificate: String, Sendable {
        case good = "client.pem"
        /// Issued by an authority that the gateway does not know.
        case stranger = "client-stranger.pem"
    }

    package func path(of certificate: BinaryCertificate) -> String { certificateFile(certificate.rawValue) }

    private func certificateFile(_ name: String) -> String { folder.file("certs/\(name)") }

    // MARK: Creating

    package func createService() async throws { try await succeed(["service", "create", Self.service]) }

    /// Creates the service with its only app, whose credential depends on the settings.
    package func createApp() async throws { _ = try await createOnlyApp(for: .ios) }

    /// Creates the service with one app and returns the app's name.
    package func createOnlyApp(for platform: Platform) async throws -> String {
        try await createService()
        try await createApp(for: platform)
        return platform.app
    }

    /// Creates the app for this platform in the service, which must exist.
    package func createApp(for platform: Platform) async throws {
        switch platform {
        case .ios: try await createApp(Self.app, credential: settings.credential)
        case .android: try await createAndroidApp()
        case .iosBinary: try await createBinaryApp()
        }
    }

    package func createApp(_ name: String, credential: TestbedSettings.Credential) async throws {
        try await create(
            name,
            ["ios", "iosHTTP2", "--environment", "production", "--bundle-id", account.bundleID]
                + options(of: credential), messageIDFormat: settings.messageIDFormat)
    }

    /// Copies the APNs key under other key ids. For the gateway and the engine, each copy is a separate key.
    func makeProviderKeys() throws(LoadError) {
        guard settings.gateway.providerKeys > 1 else { return }
        let key = try Folder.read(certificateFile("AuthKey_\(account.keyID).p8"))
        for number in 2...settings.gateway.providerKeys {
            try folder.write(key, to: "certs/AuthKey_\(Self.keyID(number)).p8")
        }
    }

    /// Returns an id of ten characters, like Apple's.
    private static func keyID(_ number: Int) -> String { "A\(100_000_000 + number)" }

    /// Creates an APNs app that uses the account of the key with the given number. Numbers begin with 2.
    func createApp(_ name: String, providerKey number: Int) async throws {
        let id = Self.keyID(number)
        try await create(
            name,
            ["ios", "iosHTTP2", "--environment", "production", "--bundle-id", account.bundleID]
                + [
                    "--p8", certificateFile("AuthKey_\(id).p8"), "--key-id", id, "--team-id", account.teamID,
                ])
    }

    package func createAndroidApp(
        _ name: String = Testbed.androidApp, connector: AndroidConnector = .many,
        credential: AndroidCredential = .serviceAccount, messageIDFormat: String? = nil
    ) async throws {
        let options =
            switch credential {
            case .serviceAccount: ["--service-account", certificateFile("service-account.json")]
            case .projectKey: ["--project-key-file", certificateFile("project.key")]
            }
        try await create(name, ["android", connector.rawValue] + options, messageIDFormat: messageIDFormat)
    }

    package func createBinaryApp(
        _ name: String = Testbed.binaryApp, certificate: BinaryCertificate = .good
    ) async throws {
        try await create(
            name,
            [
                "ios", "ios", "--environment", "production", "--pem", path(of: certificate), "--bundle-id",
                account.bundleID,
            ])
    }

    /// - Parameter kind: The platform, the connector, and the options for both.
    private func create(_ name: String, _ kind: [String], messageIDFormat: String? = nil) async throws {
        try await succeed(
            ["app", "create", name, "--service", Self.service, "--integration-key", name]
                + ["--platform", kind[0], "--connector", kind[1]] + kind.dropFirst(2)
                + (messageIDFormat.map { ["--message-id-format", $0] } ?? []))
    }

    /// Returns the options of `app create` and `app update` for a credential.
    func options(of credential: TestbedSettings.Credential) -> [String] {
        let password = ["--password-file", certificateFile("client.password")]
        return switch credential {
        case .token:
            [
                "--p8", certificateFile("AuthKey_\(account.keyID).p8"), "--key-id", account.keyID,
                "--team-id", account.teamID,
            ]
        case .certificate: ["--pem", certificateFile("client.pem")]
        case .pkcs12: ["--p12", certificateFile("client.p12")] + password
        case .pkcs12OfAKeychain: ["--p12", certificateFile("client-rc2.p12")] + password
        }
    }

    // MARK: With subscribers

    @discardableResult
    package func importSubscribers(
        _ subscribers: SyntheticSubscribers, into app: String = Testbed.app, liftingQuarantine: Bool = false
    ) async throws -> CommandResult {
        let lifting = liftingQuarantine ? ["--lift-quarantine"] : []
        let file = folder.file("subscribers.csv")
        try subscribers.writeCSV(to: file)
        return try await succeed(
            ["subscribers", "import", file, "--app", app] + lifting, within: .seconds(600))
    }

    /// Creates the service with these apps and their subscribers.
    func createApps(_ apps: [(platform: Platform, subscribers: SyntheticSubscribers)]) async throws {
        try await createService()
        for app in apps {
            try await createApp(for: app.platform)
            try await importSubscribers(app.subscribers, into: app.platform.app)
        }
    }

    /// Creates the service with these apps and their subscribers, and starts the engine.
    func begin(_ apps: [(platform: Platform, subscribers: SyntheticSubscribers)]) async throws {
        try await createApps(apps)
        try await startEngine()
    }

    /// Ends the engine and the gateway. The gateway's log and summary are complete afterwards.
    func finish() async throws {
        try await stopEngine()
        try await stopGateway()
    }

    // MARK: Feedback

    /// The path of the file with the answers of the binary gateway's feedback service, which sends the
    /// answers once after each change to the file.
    package var feedbackFile: String { folder.file("feedback.txt") }
}
