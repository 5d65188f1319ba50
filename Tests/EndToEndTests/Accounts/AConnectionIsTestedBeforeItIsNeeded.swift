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

    @Test(arguments: [TestbedSettings.StoreEngine.sqlite, .postgresql])
    func `an app is switched only to a connection that its gateway accepts, and back`(
        store: TestbedSettings.StoreEngine
    ) async throws {
        try await withTestbed(TestbedSettings(store: store)) { testbed in
            try await testbed.createService()
            try await testbed.succeed([
                "app", "create", Testbed.app, "--service", Testbed.service, "--platform", "ios",
                "--integration-key", "key", "--connector", "stub",
            ])
            try await testbed.startEngine()
            let change = ["app", "switch", Testbed.app, "--connector", "iosHTTP2"] + testbed.ownKey
            let foreign = try await testbed.pushmta(change + ["--bundle-id", "org.example.stranger"])
            #expect(foreign.ending.status == 3, "\(foreign.output)")
            #expect(foreign.complaints.contains("nothing was changed"))
            let done = try await testbed.succeed(change + ["--bundle-id", testbed.account.bundleID])
            #expect(done.output.contains("127.0.0.1:\(testbed.ports.apns)"))
            #expect(done.output.contains("app \(Testbed.app) now uses iosHTTP2 in production"))
            for connector in ["stub", "iosHTTP2"] {
                let back = try await testbed.succeed(["app", "switch-back", Testbed.app])
                #expect(back.output.contains("now uses \(connector) in"), "\(back.output)")
            }
        }
    }
}
