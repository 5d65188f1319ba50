import pushload

/// Provides a testbed whose gateway speaks the binary protocol, with one app for it. The gateway can fill the
/// whole window.
func withBinaryTestbed(
    rules: String = "", certificate: Testbed.BinaryCertificate = .good,
    _ change: (inout TestbedSettings) -> Void = { _ in }, _ scenario: (Testbed) async throws -> Void
) async throws {
    var settings = TestbedSettings()
    var gateway = TestbedSettings.Gateway.Binary()
    gateway.rules = rules
    settings.gateway.binary = gateway
    change(&settings)
    try await withTestbed(settings) { testbed in
        try await testbed.createService()
        try await testbed.createBinaryApp(certificate: certificate)
        try await scenario(testbed)
    }
}

extension Testbed {
    /// Runs one delivery to these devices, from the start of the engine until the delivery ends.
    func sendToBinary(
        _ subscribers: SyntheticSubscribers
    ) async throws -> (audit: DeliveryAudit, rows: [MessageRow]) {
        try await importSubscribers(subscribers, into: Testbed.binaryApp)
        try await startEngine()
        let delivery = try await submit(DeliveryText(apps: [Testbed.binaryApp]))
        try await settle(delivery)
        try await stopEngine()
        return (try await audit(of: delivery), try await messageLog(delivery))
    }

    /// Replaces the app's certificate, as an operator would.
    func updateBinaryApp(
        _ name: String = Testbed.binaryApp, certificate: BinaryCertificate
    ) async throws {
        try await succeed(["app", "update", name, "--pem", path(of: certificate)])
    }

    /// A device from which the app was removed.
    struct Removal: Sendable {
        var token: String
        /// Seconds since 1970.
        var time: Int
    }

    func tellFeedback(_ removals: [Removal]) throws(LoadError) {
        try Folder.write(Array(removals.map { "\($0.time) \($0.token)\n" }.joined().utf8), to: feedbackFile)
    }
}
