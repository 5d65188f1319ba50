import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `a wrong key stops its account and no other; the right one lets it go on within seconds`()
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

            // The same key identifier, so the gateway's connection of old must not be used again.
            try await testbed.succeed(["app", "update", "sick"] + testbed.ownKey)
            // Of itself the account would be asked again after half a minute.
            try await testbed.settle(delivery, within: .seconds(25))
            #expect(testbed.logLines("is stopped, its messages wait").count == 1)
            #expect(testbed.logLines("goes on through").count == 1)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit == .everyoneOnce(2 * count).with { $0.rejected = audit.rejected })
            // One request told the engine.
            #expect((1...2).contains(audit.rejected))
            #expect(try await testbed.messageLog(delivery).allSatisfy { $0.attempts == 1 })
        }
    }

    @Test func `a wrong topic waits by itself; the right one lets it go on within seconds`() async throws {
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

            // What was submitted is what is sent, so that what waits has to be named too.
            let update = try await testbed.succeed([
                "app", "update", Testbed.app, "--bundle-id", testbed.account.bundleID,
            ])
            #expect(update.complaints.contains("app update \(Testbed.app) --live-deliveries"))
            try await testbed.succeed(["app", "update", Testbed.app, "--live-deliveries"])
            // Of itself the account would be asked again after half a minute.
            try await testbed.settle(delivery, within: .seconds(25))
            #expect(testbed.logLines("refuses topic").count == 1)
            #expect(testbed.logLines("is stopped, its messages wait").isEmpty)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit == .everyoneOnce(count).with { $0.rejected = audit.rejected })
            #expect((1...3).contains(audit.rejected))
        }
    }

    @Test func `a project that was refused is asked again at once when its app is updated`() async throws {
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

            // The project was mended in Google's console; the credential is what it was.
            let file = testbed.folder.file("certs/service-account.json")
            try await testbed.succeed(["app", "update", Testbed.androidApp, "--service-account", file])
            // Of itself the account would be asked again after half a minute.
            _ = try await testbed.wait(for: delivery, "all but the first message", within: .seconds(25)) {
                $0.counts.sent >= count - 1
            }
            #expect(testbed.logLines("is stopped, its messages wait").count == 1)
            // The first message was refused before it was known that the project is meant: it goes again by itself.
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count).with { $0.rejected = 2 })
        }
    }
}
