import Testing
import pushload

extension EndToEnd.Accounts {
    @Test(arguments: [
        TestbedSettings.Credential.certificate, .pkcs12, .pkcs12OfAKeychain,
    ])
    func `a certificate, including one that Keychain exported, authenticates to the gateway as a key does`(
        credential: TestbedSettings.Credential
    ) async throws {
        let count = 500
        var settings = TestbedSettings()
        settings.credential = credential
        settings.gateway.requiresClientCertificate = true
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
