import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `while one account is held, the other of the same delivery is sent`() async throws {
        let count = 2_000
        var settings = HouseSettings()
        settings.gateway.rules = "d* status 403 InvalidProviderToken\n"
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
            #expect(
                report.state == "inProgress" && report.counts.pending == count && report.counts.failed == 0)
            let states = try await house.status().master?.accounts.map(\.state).sorted()
            #expect(states == ["closed", "open"])

            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(
                ledger
                    == .everyoneOnce(count).with {
                        $0.targeted = 2 * count
                        $0.unfinished = count
                        $0.rejected = ledger.rejected
                    })
            // One request told the engine; it did not ask with every message.
            #expect((1...3).contains(ledger.rejected))
        }
    }
}
