import Testing
import pushload

extension EndToEnd.Accounts {
    private static func quarantined(_ testbed: Testbed) async throws -> Int {
        try await testbed.succeed(["quarantine", "list", "--app", Testbed.app, "--state", "quarantined"])
            .output
            .split(separator: "\n").count { $0.contains("user-") }
    }

    @Test
    func
        `a verdict about a token waits until the gateway has accepted another message from the same account`()
        async throws
    {
        let count = 200
        let dead = 5
        var settings = TestbedSettings()
        settings.gateway.rules = "d1* status 410 Unregistered\n"
        let subscribers = SyntheticSubscribers(count, prefixes: ["d1"], perPrefix: dead)
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(subscribers)
            try await testbed.startEngine()
            var document = DeliveryText()
            let keys = (0..<dead).map { "\"\(subscribers.userKey($0))\"" }.joined(separator: ", ")
            document.target = #"{"userKeys": [\#(keys)]}"#
            let proof = try await testbed.submit(document)
            #expect(try await testbed.settle(proof).counts.failed == dead)
            // Before the master ends, it judges everything that was reported to it. For this account no
            // verdict is believed yet.
            try await testbed.stopEngine()
            #expect(try await Self.quarantined(testbed) == 0)

            try await testbed.startEngine()
            let report = try await testbed.settle(try await testbed.submit())
            #expect(report.counts.excluded == 0)
            #expect(report.counts.failed == dead && report.counts.sent == count - dead)
            try await testbed.stopEngine()
            #expect(try await Self.quarantined(testbed) == dead)
        }
    }

    @Test
    func `an error that is only counted quarantines a token after enough occurrences, far enough apart`()
        async throws
    {
        let count = 100
        let suspect = 5
        var settings = TestbedSettings()
        settings.gateway.rules = "d1* status 400 DeviceTokenNotForTopic\n"
        let subscribers = SyntheticSubscribers(count, prefixes: ["d1"], perPrefix: suspect)
        try await withTestbed(settings) { testbed in
            try testbed.addSettings(#"<quarantine maxErrors="3" significantErrorDelay="1s"/>"#)
            try await testbed.createApp()
            try await testbed.importSubscribers(subscribers)
            try await testbed.startEngine()
            var deliveries = 0
            try await Waiting.until("the tokens to be in quarantine") {
                let report = try await testbed.settle(try await testbed.submit())
                deliveries += 1
                #expect(report.counts.sent == count - suspect)
                #expect(report.counts.excluded + report.counts.failed == suspect)
                return report.counts.excluded == suspect ? () : nil
            }
            // Three deliveries that counted, and the delivery in which the tokens were found to be dead.
            #expect(deliveries >= 4)
            #expect(try await Self.quarantined(testbed) == suspect)
            try await testbed.succeed(
                ["quarantine", "release", "--app", Testbed.app, "--user-key", subscribers.userKey(0)])
            let last = try await testbed.settle(try await testbed.submit())
            #expect(last.counts.excluded == suspect - 1 && last.counts.failed == 1)
            try await testbed.stopEngine()
        }
    }
}
