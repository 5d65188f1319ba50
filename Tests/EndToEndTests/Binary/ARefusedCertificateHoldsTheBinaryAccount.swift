import Testing
import pushload

extension EndToEnd.Binary {
    @Test
    func `a certificate that the binary gateway refuses puts its account on hold until it is replaced`()
        async throws
    {
        let count = 2_000
        try await withBinaryTestbed(certificate: .stranger) { testbed in
            try await testbed.importSubscribers(.init(count), into: Testbed.binaryApp)
            try await testbed.startEngine()
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.binaryApp]))
            let account = try await testbed.account(in: "waiting")
            #expect(account.reason.contains("certificate"))
            let held = try await testbed.show(delivery)
            #expect(held.counts.pending == count && held.counts.sent + held.counts.failed == 0)
            // The line is logged once, however often the account has been tried since then.
            #expect(
                testbed.engineLog.split(separator: "\n").count {
                    $0.contains("is held back, its messages are waiting")
                }
                    == 1)

            try await testbed.updateBinaryApp(certificate: .good)
            // The delivery continues immediately, without waiting for the breaker's next probe.
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
            #expect(try testbed.gatewaySummary().binary.handshakesFailed.values.reduce(0, +) >= 1)
        }
    }
}
