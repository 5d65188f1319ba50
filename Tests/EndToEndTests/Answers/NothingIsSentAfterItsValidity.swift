import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `messages that could not be tried in time are cancelled as expired`() async throws {
        let count = 1_000
        try await withTestbed { testbed in
            try await testbed.stopGateway()
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            var document = DeliveryText()
            document.validity = "3s"
            let delivery = try await testbed.submit(document)
            let report = try await testbed.settle(delivery)
            #expect(report.state == "finished")
            var expected = DeliveryAudit()
            expected.targeted = count
            expected.cancelled = count
            #expect(try await testbed.audit(of: delivery) == expected)
            let rows = try await testbed.messageLog(delivery)
            #expect(rows.allSatisfy { $0.state == "cancelled" && $0.providerReason.contains("expired") })
            try await testbed.startGateway()
        }
    }

    @Test
    func `at expiry, attempted messages fail with the last error, and other messages are cancelled`()
        async throws
    {
        let count = 300
        var settings = TestbedSettings()
        settings.gateway.rules = "* reset\n"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            var document = DeliveryText()
            document.validity = "4s"
            let delivery = try await testbed.submit(document)
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.failed > 0)
            var expected = DeliveryAudit()
            expected.targeted = count
            (expected.failed, expected.cancelled) = (audit.failed, count - audit.failed)
            expected.unanswered = audit.unanswered
            #expect(audit == expected)
            for row in try await testbed.messageLog(delivery) where row.state == "failed" {
                #expect(row.failureType == "Undefined" && row.failureReason == "Unreachable")
                #expect(row.providerReason.hasPrefix("(connection lost)"))
                #expect(row.attempts > 0)
            }
        }
    }

    @Test func `the engine rarely contacts a gateway that answers only Shutdown, and no message is lost`()
        async throws
    {
        let count = 300
        var settings = TestbedSettings()
        settings.gateway.rules = "* status 503 Shutdown\n"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            var document = DeliveryText()
            document.validity = "5s"
            let delivery = try await testbed.submit(document)
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            // "Shutdown" means that the gateway did not process the message, so no message counts as
            // attempted.
            var expected = DeliveryAudit()
            expected.targeted = count
            expected.cancelled = count
            expected.rejected = audit.rejected
            #expect(audit == expected)
            // The interval between two attempts is one second at first and doubles each time.
            #expect((2...6).contains(try testbed.gatewaySummary().connections))
        }
    }
}
