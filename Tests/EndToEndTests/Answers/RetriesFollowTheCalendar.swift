import Testing
import pushload

extension EndToEnd.Answers {
    @Test
    func
        `messages that a gateway cannot accept yet are retried on the calendar, and each attempt is counted`()
        async throws
    {
        let count = 400
        let each = 20
        var settings = TestbedSettings()
        settings.gateway.rules = """
            d1* status 503 ServiceUnavailable each 2
            d2* status 429 TooManyRequests each 1
            d3* status 500 InternalServerError each 1
            d4* status 503 ServiceUnavailable
            d5* refuse each 1
            """
        let prefixes = ["d1", "d2", "d3", "d4", "d5"]
        try await withTestbed(settings) { testbed in
            try testbed.addSettings(#"<retry count="5" period="1s" minimumDelays="false"/>"#)
            try await testbed.createApp()
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: prefixes, perPrefix: each))
            try await testbed.startEngine()
            var document = DeliveryText()
            document.validity = "8s"
            let delivery = try await testbed.submit(document)
            try await testbed.wait(for: delivery, "some to wait for another try") { $0.counts.retrying > 0 }
            try await testbed.settle(delivery)
            try await testbed.stopEngine()

            let rows = try await testbed.messageLog(delivery)
            for (prefix, attempts) in [("d1", 3), ("d2", 2), ("d3", 2)] {
                let tried = rows.filter { $0.token.hasPrefix(prefix) }
                #expect(tried.count == each)
                #expect(tried.allSatisfy { $0.state == "sent" && $0.attempts == attempts })
            }
            // The gateway did not accept them during their validity, so they failed. The log contains the
            // gateway's last answer.
            let lost = rows.filter { $0.token.hasPrefix("d4") }
            #expect(lost.count == each)
            for row in lost {
                #expect(row.state == "failed" && row.attempts >= 2)
                #expect(row.failureType == "Soft" && row.failureReason == "Refused")
                #expect(row.providerReason == "ServiceUnavailable")
            }
            // A refused stream was not processed, so it was not an attempt.
            #expect(rows.filter { $0.token.hasPrefix("d5") }.allSatisfy { $0.attempts == 1 })
            let audit = try await testbed.audit(of: delivery)
            #expect(
                audit
                    == .everyoneOnce(count - each).with {
                        $0.targeted = count
                        $0.failed = each
                        $0.rejected = 4 * each + lost.reduce(0) { $0 + $1.attempts }
                        $0.unanswered = each
                    })
        }
    }

    @Test func `a delivery can define its own retry calendar`() async throws {
        let count = 100
        var settings = TestbedSettings()
        settings.gateway.rules = "* status 503 ServiceUnavailable each 1\n"
        try await withTestbed(settings) { testbed in
            try testbed.addSettings(#"<retry count="5" period="1h" minimumDelays="false"/>"#)
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let delivery = try await testbed.submit(DeliveryText(), retry: #"{"count": 3, "period": "1s"}"#)
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.messageLog(delivery).allSatisfy { $0.attempts == 2 })
            #expect(
                try await testbed.audit(of: delivery) == .everyoneOnce(count).with { $0.rejected = count })
        }
    }
}
