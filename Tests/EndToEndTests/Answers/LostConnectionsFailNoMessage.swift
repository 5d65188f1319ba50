import Testing
import pushload

extension EndToEnd.Answers {
    @Test(arguments: [
        "* status 503 Shutdown every 97 times 20",
        "* status 400 IdleTimeout every 97 times 20",
        "* goaway Shutdown every 700 times 3",
        "* goaway graceful Shutdown every 700 times 3",
        "* refuse every 97 times 20",
        // A key that the connection does not accept, and a token that is reported as too old. A single such
        // answer does not stop the account.
        "* status 403 UnrelatedKeyIdInToken every 700 times 1",
        "* status 403 ExpiredProviderToken every 700 times 1",
        "* max-streams 1 every 500 times 1",
    ])
    func `messages that the gateway did not process are sent again, and no device receives one twice`(
        rules: String
    ) async throws {
        let count = 4_000
        var settings = TestbedSettings()
        settings.gateway.rules = rules
        settings.gateway.delayMilliseconds = rules.contains("max-streams") ? 0 : 5
        try await withTestbed(settings) { testbed in
            let audit = try await Self.send(count, in: testbed)
            #expect(
                audit
                    == .everyoneOnce(count).with {
                        $0.rejected = audit.rejected
                        $0.unanswered = audit.unanswered
                    })
            let summary = try testbed.gatewaySummary()
            #expect(summary.protocolErrors == 0)
            let times = try #require(rules.split(separator: " ").last.flatMap { Int($0) })
            #expect(summary.rejected == (rules.contains("status") ? times : 0))
            #expect(summary.refused == (rules.contains("refuse") ? times : 0))
            // A request that would have triggered a GOAWAY may itself be rejected by the previous GOAWAY.
            if rules.contains("goaway") {
                #expect((1...times).contains(summary.goAways))
                #expect(summary.unprocessed == audit.unanswered)
            }
        }
    }

    @Test(arguments: ["* reset every 900 times 3", "* close every 900 times 3"])
    func `messages that are cut off without an answer are sent again, and only these may arrive twice`(
        rules: String
    )
        async throws
    {
        let count = 4_000
        var settings = TestbedSettings()
        settings.gateway.rules = rules
        settings.gateway.delayMilliseconds = 5
        try await withTestbed(settings) { testbed in
            let audit = try await Self.send(count, in: testbed)
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.unanswered > 0)
            let requests = try testbed.gatewayRequests()
            let broken = Set(requests.filter { $0.ending == .cut }.map(\.connection))
            // A connection that received two such requests before the first of them was due breaks only once.
            #expect((1...3).contains(broken.count))
            // A device that was reached twice was first reached over a connection that broke before the
            // answer arrived.
            var acceptances: [String: [GatewayRequest]] = [:]
            for request in requests where request.ending == .accepted {
                acceptances[request.token, default: []].append(request)
            }
            for twice in acceptances.values where twice.count > 1 {
                #expect(twice.dropLast().allSatisfy { broken.contains($0.connection) })
            }
        }
    }

    private static func send(_ count: Int, in testbed: Testbed) async throws -> DeliveryAudit {
        try await testbed.createApp()
        try await testbed.startEngine()
        try await testbed.importSubscribers(SyntheticSubscribers(count))
        let delivery = try await testbed.submit()
        try await testbed.settle(delivery)
        try await testbed.stopEngine()
        return try await testbed.audit(of: delivery)
    }
}
