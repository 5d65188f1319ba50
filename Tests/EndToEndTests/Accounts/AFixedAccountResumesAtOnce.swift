import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `a wrong key stops its account only, and the right key resumes the account within seconds`()
        async throws
    {
        let count = 500
        try await withTestbed { testbed in
            try await testbed.createService()
            try await testbed.createApp("sick", try testbed.strangeKey(), bundleID: testbed.account.bundleID)
            try await testbed.createApp("sound", credential: .certificate)
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d"], perPrefix: count), into: "sick")
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["e"], perPrefix: count), into: "sound")
            try await testbed.startEngine()
            let delivery = try await testbed.submit(DeliveryText(apps: ["sick", "sound"]))
            let held = try await testbed.wait(for: delivery, "the sound half to be sent") {
                $0.counts.sent == count
            }
            #expect(held.counts.pending == count && held.counts.failed == 0)
            let account = try await testbed.account(in: "waiting")
            #expect(account.reason.contains("InvalidProviderToken"))
            let shown = try await testbed.succeed(["delivery", "show", "\(delivery)"]).output
            #expect(shown.contains("InvalidProviderToken"))

            // The key identifier is the same, so the gateway's old connection must not be used again.
            try await testbed.succeed(["app", "update", "sick"] + testbed.ownKey)
            // Without the update, the account would be probed only after half a minute.
            try await testbed.settle(delivery, within: .seconds(25))
            #expect(testbed.logLines("is held back, its messages are waiting").count == 1)
            #expect(testbed.logLines("it now uses account").count == 1)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit == .everyoneOnce(2 * count).with { $0.rejected = audit.rejected })
            // The engine needed only one refused request.
            #expect((1...2).contains(audit.rejected))
            #expect(try await testbed.messageLog(delivery).allSatisfy { $0.attempts == 1 })
        }
    }

    @Test func `only messages with a wrong topic wait, and the right topic resumes them within seconds`()
        async throws
    {
        let count = 300
        try await withTestbed { testbed in
            try await testbed.createService()
            try await testbed.createApp(Testbed.app, testbed.ownKey, bundleID: "org.example.stranger")
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            let topic = try await testbed.refusedTopic()
            #expect(topic.name == "org.example.stranger" && topic.reason.contains("Topic"))
            #expect(try await testbed.show(delivery).counts.pending == count)
            let shown = try await testbed.succeed(["delivery", "show", "\(delivery)"]).output
            #expect(shown.contains("refuses topic org.example.stranger"))

            // Messages are sent as they were submitted, so waiting deliveries must be updated explicitly as
            // well.
            let update = try await testbed.succeed([
                "app", "update", Testbed.app, "--bundle-id", testbed.account.bundleID,
            ])
            #expect(update.complaints.contains("app update \(Testbed.app) --live-deliveries"))
            try await testbed.succeed(["app", "update", Testbed.app, "--live-deliveries"])
            // Without the update, the account would be probed only after half a minute.
            try await testbed.settle(delivery, within: .seconds(25))
            #expect(testbed.logLines("refuses topic").count == 1)
            #expect(testbed.logLines("is held back, its messages are waiting").isEmpty)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit == .everyoneOnce(count).with { $0.rejected = audit.rejected })
            #expect((1...3).contains(audit.rejected))
        }
    }

    @Test
    func `after an app is updated, the engine immediately contacts the project that had refused messages`()
        async throws
    {
        let count = 300
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.rules = "* rpc 403 PERMISSION_DENIED times 2\n"
        settings.gateway.fcm = fcm
        settings.parallelRequests = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.importSubscribers(.init(count, isAndroid: true), into: Testbed.androidApp)
            try await testbed.startEngine()
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            let account = try await testbed.account(in: "waiting")
            #expect(account.reason.contains("PERMISSION_DENIED"))
            let held = try await testbed.show(delivery).counts
            #expect(held.pending == count - 1 && held.retrying == 1)

            // The project was fixed in Google's console; the credential is unchanged.
            let file = testbed.folder.file("certs/service-account.json")
            try await testbed.succeed(["app", "update", Testbed.androidApp, "--service-account", file])
            // Without the update, the account would be probed only after half a minute.
            _ = try await testbed.wait(for: delivery, "all but the first message", within: .seconds(25)) {
                $0.counts.sent >= count - 1
            }
            #expect(testbed.logLines("is held back, its messages are waiting").count == 1)
            // The first message was refused before the engine knew that the refusal concerns the project. The
            // engine retries this message without a command.
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count).with { $0.rejected = 2 })
        }
    }
}
