/// The side of a testbed that speaks Apple's ended binary protocol: apps of connector `ios`, and the feedback
/// service.
extension Testbed {
    package static let binaryApp = "neotrips-binary"

    package enum BinaryCertificate: String, Sendable {
        case good = "client.pem"
        /// Of an authority that the gateway does not know.
        case stranger = "client-stranger.pem"
    }

    /// One more app of the service.
    package func createBinaryApp(
        _ name: String = Testbed.binaryApp, certificate: BinaryCertificate = .good
    ) async throws {
        try await succeed(
            [
                "app", "create", name, "--service", Self.service, "--platform", "ios", "--integration-key",
                name,
                "--connector", "ios", "--environment", "production", "--pem", path(of: certificate),
                "--bundle-id", account.bundleID,
            ])
    }

    /// The operator puts another certificate in the place of the app's.
    package func updateBinaryApp(
        _ name: String = Testbed.binaryApp, certificate: BinaryCertificate
    ) async throws {
        try await succeed(["app", "update", name, "--pem", path(of: certificate)])
    }

    private func path(of certificate: BinaryCertificate) -> String {
        folder.file("certs/\(certificate.rawValue)")
    }

    // MARK: Feedback

    /// What the feedback service has to say, once for each change.
    var feedbackFile: String { folder.file("feedback.txt") }

    /// One device from which the app was removed.
    package struct Removal: Sendable {
        package var token: String
        /// Seconds since 1970.
        package var time: Int
        package init(token: String, time: Int) {
            self.token = token
            self.time = time
        }
    }

    package func tellFeedback(_ removals: [Removal]) throws(LoadError) {
        try folder.write(removals.map { "\($0.time) \($0.token)\n" }.joined(), to: "feedback.txt")
    }
}
