import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `a credential that is replaced again and again in mid-delivery costs nobody a message`()
        async throws
    {
        let count = 12_000
        var settings = KillScenario.settings()
        settings.gateway.delayMilliseconds = 50
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            let certificate = ["--pem", house.folder.file("certs/client.pem")]
            // Another kind, back to the first, and the one that is there already.
            for (round, credential) in [certificate, house.ownKey, house.ownKey].enumerated() {
                try await house.wait(for: delivery, "a part to be sent") {
                    $0.counts.sent >= (round + 1) * 2_000
                }
                try await house.succeed(["app", "update", House.app] + credential)
                try await Waiting.until("the master to have noticed") {
                    house.logLines("goes on through").count > round ? () : nil
                }
            }
            let report = try await house.settle(delivery)
            #expect(report.counts.sent == count)
            #expect(house.logLines("goes on through").count == 3)
            try await house.stopEngine()
            // What was under way came to its end through the old connections.
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
            #expect(try await house.messageLog(delivery).allSatisfy { $0.attempts == 1 })
        }
    }
}
