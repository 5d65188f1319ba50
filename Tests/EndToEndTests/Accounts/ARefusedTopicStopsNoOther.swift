import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `with two apps on one key, a mistyped bundle id stops only its own app`() async throws {
        let count = 300
        try await withTestbed { testbed in
            try await testbed.createService()
            try await testbed.createApp("mistyped", testbed.ownKey, bundleID: "org.example.stranger")
            try await testbed.createApp("sound", testbed.ownKey, bundleID: testbed.account.bundleID)
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d"], perPrefix: count), into: "mistyped")
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["e"], perPrefix: count), into: "sound")
            try await testbed.startEngine()
            let wrong = try await testbed.submit(DeliveryText(apps: ["mistyped"]))
            _ = try await testbed.refusedTopic()
            let right = try await testbed.submit(DeliveryText(apps: ["sound"]))
            // Without the update, the topic would be probed only after half a minute.
            try await testbed.settle(right, within: .seconds(25))
            let held = try await testbed.show(wrong)
            #expect(held.counts.pending == count && held.counts.failed == 0)
            let status = try await testbed.status()
            #expect(status.master?.accounts.map(\.state) == ["working"])
            #expect(testbed.logLines("is stopped").isEmpty && testbed.logLines("is held back").isEmpty)
            try await testbed.stopEngine()
        }
    }

    @Test func `only messages of a refused push type wait, and plain alerts from the same app continue`()
        async throws
    {
        var settings = TestbedSettings()
        let subscribers = SyntheticSubscribers(10)
        settings.gateway.rules = "\(subscribers.token(0)) status 400 TopicDisallowed\n"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(subscribers)
            try await testbed.startEngine()
            try testbed.folder.write(#"{"ios":{"type":"voip"},"custom":{"call":1}}"#, to: "voip.json")
            let call = try await testbed.succeed([
                "send", "--app", Testbed.app, "--token", subscribers.token(0), "--content",
                testbed.folder.file("voip.json"),
            ])
            let topic = try await testbed.refusedTopic()
            #expect(topic.name == testbed.account.bundleID + ".voip")
            for number in 1..<10 {
                let sent = try await testbed.succeed(
                    [
                        "send", "--app", Testbed.app, "--token", subscribers.token(number), "--title", "x",
                        "--wait",
                    ], within: .seconds(25))
                #expect(sent.output.hasSuffix(" sent\n"))
            }
            let explained = try await testbed.succeed(["explain", Testbed.app]).output
            #expect(explained.contains("refuses topic \(topic.name)"))
            let message = call.output.split(separator: "\n").last.map(String.init) ?? ""
            #expect(try await testbed.succeed(["message", "show", message]).output.contains("pending"))
            try await testbed.stopEngine()
        }
    }

    @Test func `tokens from a platform for which the project has no credential do not stop other messages`()
        async throws
    {
        let count = 400
        let strangers = 40
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.rules = "d1* fcm THIRD_PARTY_AUTH_ERROR\n"
        settings.gateway.fcm = fcm
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d1"], perPrefix: strangers, isAndroid: true),
                into: Testbed.androidApp)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            let sent = try await testbed.wait(for: delivery, "all others to be sent") {
                $0.counts.sent == count - strangers && $0.counts.retrying == strangers
            }
            #expect(sent.counts.failed == 0)
            let status = try await testbed.status()
            #expect(status.master?.accounts.map(\.state) == ["working"])
            #expect(testbed.logLines("reject tokens").isEmpty)
            try await testbed.stopEngine()
        }
    }

    @Test func `a Retry-After of one day in the answer to one message delays only that message`() async throws
    {
        let count = 200
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.rules = "d1* fcm UNAVAILABLE retry-after 86400 each 1\n"
        settings.gateway.fcm = fcm
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d1"], perPrefix: 1, isAndroid: true),
                into: Testbed.androidApp)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            _ = try await testbed.wait(for: delivery, "all others to be sent") {
                $0.counts.sent == count - 1 && $0.counts.retrying == 1
            }
            try await testbed.stopEngine()
        }
    }

    @Test func `if two messages are refused for different reasons, all other messages continue`() async throws
    {
        let subscribers = SyntheticSubscribers(40)
        var settings = TestbedSettings()
        settings.gateway.rules = """
            \(subscribers.token(0)) status 403 Forbidden
            \(subscribers.token(1)) status 403 BlockedByFilter

            """
        // The gateway accepts nothing in between, because an acceptance would be evidence that the account
        // works.
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(subscribers)
            try await testbed.startEngine()
            for number in 0..<2 {
                try await testbed.succeed([
                    "send", "--app", Testbed.app, "--token", subscribers.token(number), "--title", "x",
                ])
            }
            let delivery = try await testbed.submit()
            _ = try await testbed.wait(for: delivery, "all others to be sent") {
                $0.counts.sent == 38 && $0.counts.retrying == 2
            }
            let account = try #require(try await testbed.status().master?.accounts.first)
            #expect(account.state == "working" && account.topics.isEmpty)
            #expect(testbed.logLines("refuses topic").isEmpty && testbed.logLines("is stopped").isEmpty)
            try await testbed.stopEngine()
        }
    }

    @Test
    func `a Retry-After of one day for all messages stops the account for minutes, or until it is resumed`()
        async throws
    {
        let count = 50
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.rules = "d* fcm UNAVAILABLE retry-after 86400 times 3\n"
        settings.gateway.fcm = fcm
        settings.parallelRequests = 1
        try await withTestbed(settings) { testbed in
            // On a busy machine the waits together take longer than a minute.
            testbed.expectedComplaints = ["is stalled: messages are due"]
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d"], perPrefix: count, isAndroid: true),
                into: Testbed.androidApp)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            let account = try await testbed.account(in: "waiting")
            #expect(account.reason.contains("Retry-After") && account.waitEndsAt != nil)
            let shown = try await testbed.succeed(["status"]).output
            #expect(shown.contains(", until ") && shown.contains("account resume"))
            try await testbed.succeed(["reload"])
            let resumed = try await testbed.succeed(["account", "resume", Testbed.androidApp]).output
            #expect(resumed.contains("contacts its gateway now"))
            // The next answer of this type pauses the account immediately. A second message is not needed as
            // confirmation.
            _ = try await Waiting.until("the account to rest again", within: Waiting.patience) {
                testbed.logLines("is suspended until").count == 2 ? true : nil
            }
            let again = try await testbed.account(in: "waiting")
            #expect(again.reason.contains("Retry-After"))
            try await testbed.succeed(["account", "resume", Testbed.androidApp])
            _ = try await testbed.wait(for: delivery, "all others to be sent") {
                $0.counts.sent == count - 3 && $0.counts.retrying == 3
            }
            // A line that is repeated within a minute is counted and not written, so the number of lines
            // depends on timing.
            #expect(!testbed.logLines("which was waiting").isEmpty)
            #expect(
                try await testbed.succeed(["account", "resume", account.name]).output.contains(
                    "was not waiting")
            )
            let unknown = try await testbed.pushmta(["account", "resume", "nobody"])
            #expect(
                unknown.ending.status == 3 && unknown.complaints.contains("no account or app nobody")
            )
            #expect(try await testbed.succeed(["audit"]).output.contains("account.resume"))
            try await testbed.stopEngine()
        }
    }
}
