import Testing
import pushload

extension EndToEnd.Answers {
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

    @Test func `what was tried in vain until then fails with the last trouble, what was not is cancelled`()
        async throws
    {
        let count = 300
        var settings = HouseSettings()
        settings.gateway.rules = "* reset\n"
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            var document = DeliveryText()
            document.validity = "4s"
            let delivery = try await house.submit(document)
            try await house.settle(delivery)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(ledger.failed > 0)
            var expected = DeliveryLedger()
            expected.targeted = count
            (expected.failed, expected.cancelled) = (ledger.failed, count - ledger.failed)
            expected.unanswered = ledger.unanswered
            #expect(ledger == expected)
            for row in try await house.messageLog(delivery) where row.state == "failed" {
                #expect(row.failureType == "Undefined" && row.failureReason == "Unreachable")
                #expect(row.providerReason.hasPrefix("(connection lost)"))
                #expect(row.attempts > 0)
            }
        }
    }

    @Test func `a gateway that only says Shutdown is asked seldom, and nothing is lost by it`() async throws {
        let count = 300
        var settings = HouseSettings()
        settings.gateway.rules = "* status 503 Shutdown\n"
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            var document = DeliveryText()
            document.validity = "5s"
            let delivery = try await house.submit(document)
            try await house.settle(delivery)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            // Shutdown says that a message was not looked at, so none of them counts as tried.
            var expected = DeliveryLedger()
            expected.targeted = count
            expected.cancelled = count
            expected.rejected = ledger.rejected
            #expect(ledger == expected)
            // With a second between two attempts that doubles.
            #expect((2...6).contains(try house.gatewaySummary().connections))
        }
    }
}
