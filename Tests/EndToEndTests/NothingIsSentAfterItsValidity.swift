import Testing
import pushload

extension EndToEnd {
    @Test func `messages that could not be tried in time are cancelled as expired`() async throws {
        let count = 1_000
        try await withHouse { house in
            try await house.stopGateway()
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            var document = DeliveryText()
            document.validity = "3s"
            let delivery = try await house.submit(document)
            let report = try await house.settle(delivery)
            #expect(report.state == "finished")
            var expected = DeliveryLedger()
            expected.targeted = count
            expected.cancelled = count
            #expect(try await house.ledger(of: delivery) == expected)
            let rows = try await house.messageLog(delivery)
            #expect(rows.allSatisfy { $0.state == "cancelled" && $0.providerReason.contains("expired") })
            try await house.startGateway()
        }
    }

    @Test func `messages that were tried in vain until their validity ended fail with the last answer`() async throws {
        let count = 300
        var settings = HouseSettings()
        settings.gateway.rules = "d* status 503 Shutdown\n"
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count, prefixes: ["d"], perPrefix: 100))
            var document = DeliveryText()
            document.validity = "4s"
            let delivery = try await house.submit(document)
            try await house.settle(delivery)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(ledger == .everyoneOnce(200).with {
                $0.targeted = count
                $0.failed = 100
                $0.rejected = ledger.rejected
            })
            // Each was tried again, and not in a tight loop.
            #expect(ledger.rejected >= 200 && ledger.rejected <= 600)
            for row in try await house.messageLog(delivery) where row.state == "failed" {
                #expect(row.failureType == "Undefined" && row.failureReason == "Unreachable")
                #expect(row.providerReason == "Shutdown")
            }
        }
    }
}
