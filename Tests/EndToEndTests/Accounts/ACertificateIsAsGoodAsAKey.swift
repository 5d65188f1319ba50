import Testing
import pushload

extension EndToEnd.Accounts {
    @Test(arguments: [
        HouseSettings.Credential.certificate, .pkcs12, .pkcs12OfAKeychain,
    ])
    func `a certificate opens the gateway as well as a key, a keychain's own export too`(
        credential: HouseSettings.Credential
    ) async throws {
        let count = 500
        var settings = HouseSettings()
        settings.credential = credential
        settings.gateway.requiresClientCertificate = true
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            try await house.settle(delivery)
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
