import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test
    func `a single message arrives on each of its user's devices, and its results are reported`() async throws
    {
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(3))
            try await testbed.startEngine()
            let token = SyntheticSubscribers(3).token(1)
            let waited = try await testbed.succeed([
                "send", "--app", Testbed.app, "--token", token, "--title", "Code", "--body", "1234", "--wait",
            ])
            #expect(waited.output.hasSuffix(" sent\n"))
            let refused = try await testbed.pushmta([
                "send", "--app", Testbed.app, "--token", "nobody's", "--title", "Code",
            ])
            #expect(refused.ending.status == 3 && refused.output.isEmpty)
            let big = try await testbed.pushmta([
                "send", "--app", Testbed.app, "--token", token, "--body",
                String(repeating: "x", count: 5_000),
            ])
            #expect(big.ending.status == 3 && big.output.isEmpty)
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let requests = try testbed.gatewayRequests()
            #expect(requests.map(\.token) == [token])
            #expect(requests[0].body.contains("1234"))
        }
    }
}
