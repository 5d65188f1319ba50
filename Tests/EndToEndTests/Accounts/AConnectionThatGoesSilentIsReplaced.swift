import Testing
import pushload

extension EndToEnd.Accounts {
    /// Its machine acknowledges and answers PINGs, so nothing but the missing answers gives it away.
    @Test func `a connection that answers no more requests is replaced, and everybody is reached`()
        async throws
    {
        let count = 600
        var settings = HouseSettings()
        settings.requestTimeoutSeconds = 2
        settings.retry = HouseSettings.Retry(count: 1_000, period: "1s", minimumDelays: false)
        settings.gateway.streams = 100
        settings.gateway.rules = "* silent connection-after 200\n"
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            try await house.startEngine()
            let delivery = try await house.submit()
            try await house.settle(delivery)
            #expect(!house.logLines("the peer answered PINGs and no request for 2 s").isEmpty)
            let troubles = try await house.status().master?.accounts.flatMap(\.troubles) ?? []
            #expect(troubles.contains { $0.text == "(connection lost) no answer in time" })
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(ledger.sent == count && ledger.missing == 0 && ledger.doubled == 0)
        }
    }

    @Test(arguments: [
        ("* silent\n", 1_000, "the peer answered PINGs and no request for 2 s"),
        ("", 0, "the peer allows no request (SETTINGS_MAX_CONCURRENT_STREAMS is 0)"),
    ])
    func `a gateway that answers no request, or allows none, closes its account and says why`(
        rules: String, streams: Int, why: String
    ) async throws {
        var settings = HouseSettings()
        settings.requestTimeoutSeconds = 2
        settings.gateway.rules = rules
        settings.gateway.streams = streams
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(100))
            try await house.startEngine()
            _ = try await house.submit()
            let account = try await house.account(in: "closed")
            #expect(account.reason.contains(why))
            #expect(account.troubles.contains { $0.text.contains(why) })
            #expect(house.logLines("is held back").contains { $0.contains(why) })
        }
    }
}
