import Testing
import pushload

extension EndToEnd.Accounts {
    @Test
    func
        `an account that the gateway refuses in mid-delivery is held, and its messages wait until it is let in`()
        async throws
    {
        let count = 4_000
        var settings = HouseSettings()
        settings.gateway.rules = "* status 403 InvalidProviderToken every 700 times 1\n"
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            let account = try await Waiting.until("the account to be held") {
                try await house.status().master?.accounts.first { $0.state == "closed" }
            }
            #expect(account.reason.contains("InvalidProviderToken"))
            let held = try await house.show(delivery)
            #expect(held.counts.failed == 0 && held.counts.pending > 0)

            // The breaker asks again with a single message after half a minute.
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count).with { $0.rejected = 1 })
        }
    }
}
