import Testing
import pushload

extension EndToEnd.Answers {
    @Test
    func `a now-or-never delivery makes one attempt for each message, whatever the answer`()
        async throws
    {
        let (count, each) = (200, 20)
        var settings = TestbedSettings()
        settings.gateway.rules = """
            d1* status 503 ServiceUnavailable
            d2* status 429 TooManyRequests

            """
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d1", "d2"], perPrefix: each))
            var document = DeliveryText()
            document.validity = "0"
            let delivery = try await testbed.submit(document)
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let requests = try testbed.gatewayRequests()
            #expect(requests.allSatisfy { $0.expiration == "0" })
            let rows = try await testbed.messageLog(delivery)
            #expect(rows.count == count)
            for (prefix, reason) in [("d1", "ServiceUnavailable"), ("d2", "TooManyRequests")] {
                let failed = rows.filter { $0.providerReason.contains(reason) }
                #expect(failed.count == each && failed.allSatisfy { $0.state == "failed" }, "\(reason)")
                #expect(requests.count { $0.token.hasPrefix(prefix) } == each, "\(reason)")
            }
            #expect(rows.count { $0.state == "sent" } == count - 2 * each)
        }
    }

    @Test(arguments: [
        "status 503 ServiceUnavailable", "status 503 Shutdown", "status 500 InternalServerError", "reset",
    ])
    func `a now-or-never message makes one attempt`(answer: String) async throws {
        var settings = TestbedSettings()
        settings.gateway.rules = "* \(answer)\n"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(1))
            try await testbed.startEngine()
            let waited = try await testbed.pushmta([
                "send", "--app", Testbed.app, "--token", SyntheticSubscribers(1).token(0), "--title", "Ring",
                "--validity", "0", "--wait",
            ])
            #expect(waited.output.contains("failed"))
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let requests = try testbed.gatewayRequests()
            #expect(requests.map(\.expiration) == ["0"])
        }
    }
}
