import Testing
import pushload

extension EndToEnd.Accounts {
    @Test(arguments: [TestbedSettings.Credential.token, .pkcs12])
    func `app test reports the gateway's answer and sends nothing to any device`(
        credential: TestbedSettings.Credential
    ) async throws {
        var settings = TestbedSettings()
        settings.credential = credential
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            let good = try await testbed.pushmta(["app", "test", Testbed.app])
            #expect(good.ending.status == 0, "\(good.complaints)")
            #expect(good.output.contains("127.0.0.1:\(testbed.ports.apns)"))

            try await testbed.stopGateway()
            let bad = try await testbed.pushmta(["app", "test", Testbed.app])
            #expect(bad.ending.status == 1)
            #expect(!bad.output.isEmpty || !bad.complaints.isEmpty)
            #expect(try testbed.gatewaySummary().protocolErrors == 0)
            try await testbed.startGateway()
        }
    }
}
