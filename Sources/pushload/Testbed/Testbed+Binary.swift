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
        try await createApp(
            name,
            [
                "--platform", "ios", "--connector", "ios", "--environment", "production", "--pem",
                path(of: certificate), "--bundle-id", account.bundleID,
            ])
    }

    package func path(of certificate: BinaryCertificate) -> String {
        folder.file("certs/\(certificate.rawValue)")
    }

    // MARK: Feedback

    /// What the feedback service has to say, once for each change.
    package var feedbackFile: String { folder.file("feedback.txt") }
}
