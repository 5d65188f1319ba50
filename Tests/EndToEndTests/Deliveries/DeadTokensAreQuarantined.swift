import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `dead tokens are left out of the next delivery, those that registered since are not`()
        async throws
    {
        let count = 400
        let each = 10
        var settings = HouseSettings()
        // Each token is refused once: whoever is sent to again is reached.
        settings.gateway.rules = """
            d1* status 410 Unregistered each 1
            d2* status 410 Unregistered timestamp 1000000 each 1
            d3* status 400 DeviceTokenNotForTopic each 1
            """
        let subscribers = SyntheticSubscribers(count, prefixes: ["d1", "d2", "d3"], perPrefix: each)
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.importSubscribers(subscribers)
            try await house.startEngine()
            let first = try await house.submit()
            let report = try await house.settle(first)
            #expect(report.counts.sent == count - 3 * each && report.counts.failed == 3 * each)
            // Verdicts are judged when the account has nothing more to send, and before the master's end.
            try await house.stopEngine()
            #expect(house.logLines("is stopped").isEmpty)

            try await house.startEngine()
            let second = try await house.submit()
            try await house.settle(second)
            let rows = try await house.messageLog(second)
            let out = rows.filter { $0.state == "excluded" }
            #expect(out.count == each)
            for row in out {
                #expect(row.registrationToken.hasPrefix("d1"))
                #expect(row.failureReason == "Address in quarantine")
                #expect(row.providerReason.contains("in quarantine") && row.attempts == 0)
            }
            // A token that was dead before it registered is alive; one error of another app's token is but
            // one.
            #expect(rows.count { $0.state == "sent" } == count - each)

            // The same file again: a list is no registration, unless its owner says that it is.
            try await house.importSubscribers(subscribers)
            let again = try await house.submit()
            #expect(try await house.settle(again).counts.excluded == each)
            try await house.importSubscribers(subscribers, liftingQuarantine: true)
            let third = try await house.submit()
            let last = try await house.settle(third)
            #expect(last.counts.sent == count && last.counts.excluded == 0)
            try await house.stopEngine()
            let all = [first, second, again, third]
            let ledger = try await house.ledger(of: second, among: all)
            #expect(ledger == .everyoneOnce(count - each).with { $0.excluded = each })
        }
    }
}
