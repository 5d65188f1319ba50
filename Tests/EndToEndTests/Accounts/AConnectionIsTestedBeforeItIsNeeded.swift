import Testing
import pushload

extension EndToEnd.Accounts {
    @Test(arguments: [HouseSettings.Credential.token, .pkcs12])
    func `app test says what the gateway answered and reaches no device`(
        credential: HouseSettings.Credential
    ) async throws {
        var settings = HouseSettings()
        settings.credential = credential
        try await withHouse(settings) { house in
            try await house.createApp()
            let good = try await house.pushmta(["app", "test", House.app])
            #expect(good.ending.status == 0, "\(good.complaints)")
            #expect(good.output.contains("127.0.0.1:\(house.ports.apns)"))

            try await house.stopGateway()
            let bad = try await house.pushmta(["app", "test", House.app])
            #expect(bad.ending.status == 1)
            #expect(!bad.output.isEmpty || !bad.complaints.isEmpty)
            #expect(try house.gatewaySummary().protocolErrors == 0)
            try await house.startGateway()
        }
    }
}
