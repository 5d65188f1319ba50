import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `the next delivery excludes dead tokens, except those that have registered since`()
        async throws
    {
        let count = 400
        let each = 10
        var settings = TestbedSettings()
        // Each token is refused only once, so a device to which another message is sent is reached.
        settings.gateway.rules = """
            d1* status 410 Unregistered each 1
            d2* status 410 Unregistered timestamp 1000000 each 1
            d3* status 400 DeviceTokenNotForTopic each 1
            """
        let subscribers = SyntheticSubscribers(count, prefixes: ["d1", "d2", "d3"], perPrefix: each)
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(subscribers)
            try await testbed.startEngine()
            let first = try await testbed.submit()
            let report = try await testbed.settle(first)
            #expect(report.counts.sent == count - 3 * each && report.counts.failed == 3 * each)
            // Verdicts are judged when the account has nothing more to send, and before the master ends.
            try await testbed.stopEngine()
            #expect(testbed.logLines("is stopped").isEmpty)

            try await testbed.startEngine()
            let second = try await testbed.submit()
            try await testbed.settle(second)
            let rows = try await testbed.messageLog(second)
            let out = rows.filter { $0.state == "excluded" }
            #expect(out.count == each)
            for row in out {
                #expect(row.token.hasPrefix("d1"))
                #expect(row.failureReason == "Address in quarantine")
                #expect(row.providerReason.contains("in quarantine") && row.attempts == 0)
            }
            // A token that was dead before its latest registration is valid. One error of a token in another
            // app is only one error.
            #expect(rows.count { $0.state == "sent" } == count - each)

            // Imports the same file again. A list does not count as a registration unless its owner states
            // that it does.
            try await testbed.importSubscribers(subscribers)
            let again = try await testbed.submit()
            #expect(try await testbed.settle(again).counts.excluded == each)
            try await testbed.importSubscribers(subscribers, liftingQuarantine: true)
            let third = try await testbed.submit()
            let last = try await testbed.settle(third)
            #expect(last.counts.sent == count && last.counts.excluded == 0)
            try await testbed.stopEngine()
            let all = [first, second, again, third]
            let audit = try await testbed.audit(of: second, among: all)
            #expect(audit == .everyoneOnce(count - each).with { $0.excluded = each })
        }
    }
}
