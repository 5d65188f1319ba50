import pushload

/// A house whose gateway speaks the binary protocol, with one app of it and a gateway that has the window to
/// fill.
func withBinaryHouse(
    rules: String = "", certificate: House.BinaryCertificate = .good,
    _ change: (inout HouseSettings) -> Void = { _ in }, _ scenario: (House) async throws -> Void
) async throws {
    var settings = HouseSettings()
    var gateway = HouseSettings.Gateway.Binary()
    gateway.rules = rules
    settings.gateway.binary = gateway
    change(&settings)
    try await withHouse(settings) { house in
        try await house.createService()
        try await house.createBinaryApp(certificate: certificate)
        try await scenario(house)
    }
}

extension House {
    /// One delivery to these devices, from the engine's start to its end.
    func sendToBinary(
        _ subscribers: SyntheticSubscribers
    ) async throws -> (ledger: DeliveryLedger, rows: [MessageRow]) {
        try await importSubscribers(subscribers, into: House.binaryApp)
        try await startEngine()
        let delivery = try await submit(DeliveryText(apps: [House.binaryApp]))
        try await settle(delivery)
        try await stopEngine()
        return (try await ledger(of: delivery), try await messageLog(delivery))
    }
}
