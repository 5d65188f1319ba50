import Testing
import pushload

extension EndToEnd.Accounts {
    /// The sick account's gateway sends interim responses for as long as somebody listens.
    @Test func `a gateway that never comes to an answer stops its own account, with one line`() async throws {
        let count = 2_000
        var settings = HouseSettings()
        settings.logLevel = 1
        settings.gateway.rules = "d* interim\n"
        try await withHouse(settings) { house in
            try await house.createService()
            try await house.createApp("sick", credential: .token)
            try await house.createApp("sound", credential: .pkcs12)
            try await house.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d"], perPrefix: count), into: "sick")
            try await house.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["e"], perPrefix: count), into: "sound")
            try await house.startEngine()
            var document = DeliveryText()
            document.apps = ["sick", "sound"]
            let delivery = try await house.submit(document)
            let report = try await house.wait(for: delivery, "the sound half to be sent") {
                $0.counts.sent == count
            }
            #expect(report.state == "inProgress" && report.counts.failed == 0)
            let account = try await Waiting.until("the sick account to be closed") {
                try await house.status().master?.accounts.first { $0.state == "closed" }
            }
            #expect(
                account.reason.contains("given up as hostile: more than 100 interim answers to a request"))
            #expect(house.logLines("given up as hostile").count == 1)

            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(ledger.sent == count && ledger.reached == count && ledger.unfinished == count)
        }
    }
}
