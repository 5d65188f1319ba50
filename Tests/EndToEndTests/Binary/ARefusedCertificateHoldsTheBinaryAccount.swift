import Testing
import pushload

extension EndToEnd.Binary {
    @Test
    func
        `a certificate that the binary gateway refuses holds its account until the operator gives a good one`()
        async throws
    {
        let count = 2_000
        try await withBinaryHouse(certificate: .stranger) { house in
            try await house.importSubscribers(.init(count), into: House.binaryApp)
            try await house.startEngine()
            let delivery = try await house.submit(DeliveryText(apps: [House.binaryApp]))
            let account = try await Waiting.until("the account to be held") {
                try await house.status().master?.accounts.first { $0.state == "closed" }
            }
            #expect(account.reason.contains("certificate"))
            let held = try await house.show(delivery)
            #expect(held.counts.pending == count && held.counts.sent + held.counts.failed == 0)
            // Once, however often it was tried since.
            #expect(
                house.engineLog.split(separator: "\n").count { $0.contains("is stopped, its messages wait") }
                    == 1)

            try await house.updateBinaryApp(certificate: .good)
            // At once, and not when the breaker would ask next.
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
            #expect(try house.gatewaySummary().binary.handshakesFailed.values.reduce(0, +) >= 1)
        }
    }
}
