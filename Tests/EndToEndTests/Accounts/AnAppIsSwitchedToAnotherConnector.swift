import Testing
import pushload

extension EndToEnd.Accounts {
    @Test(
        arguments: [
            (.apple, .sqlite), (.apple, .postgresql), (.google, .sqlite),
        ] as [(SwitchScenario.Gateway, TestbedSettings.StoreEngine)])
    func `switching an app to another connector and back in mid-delivery neither loses nor repeats a message`(
        gateway: SwitchScenario.Gateway, store: TestbedSettings.StoreEngine
    ) async throws {
        try await expectThatAllHolds(
            in: try SwitchScenario.with {
                ($0.gateway, $0.store, $0.devices, $0.ratePerSecond) = (gateway, store, 10_000, 1_500)
            })
    }

    @Test
    func `if a master is killed after each connector switch, at most its children's messages are repeated`()
        async throws
    {
        try await expectThatAllHolds(
            in: try SwitchScenario.with {
                ($0.gateway, $0.devices, $0.ratePerSecond, $0.killsMaster) = (.apple, 10_000, 1_500, true)
            })
    }

    @Test
    func `an app that is switched from the stub to a real connector in mid-delivery uses it for the rest`()
        async throws
    {
        let count = 4_000
        try await withTestbed { testbed in
            try await testbed.createService()
            try await testbed.succeed([
                "app", "create", Testbed.app, "--service", Testbed.service, "--platform", "ios",
                "--integration-key", "key", "--connector", "stub",
            ])
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            var text = DeliveryText()
            text.ratePerSecond = 800
            let delivery = try await testbed.submit(text)
            try await testbed.wait(for: delivery, "the stub to take some") { $0.counts.sent > 400 }
            let lacking = try await testbed.pushmta(["app", "update", Testbed.app, "--connector", "iosHTTP2"])
            #expect(lacking.ending.status == 3 && lacking.complaints.contains("needs a credential"))
            try await testbed.succeed(
                [
                    "app", "update", Testbed.app, "--connector", "iosHTTP2", "--bundle-id",
                    testbed.account.bundleID,
                ]
                    + testbed.ownKey)
            let report = try await testbed.settle(delivery)
            #expect(report.counts.sent == count)
            try await testbed.stopEngine()
            // The gateway received the messages that the stub had not accepted, each once, with the topic
            // that was set later.
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.reached > 0 && audit.reached < count)
            #expect(
                audit
                    == .everyoneOnce(count).with {
                        $0.reached = audit.reached
                        $0.missing = count - audit.reached
                    })
            #expect(try testbed.gatewayRequests().allSatisfy { $0.topic == testbed.account.bundleID })
        }
    }
}
