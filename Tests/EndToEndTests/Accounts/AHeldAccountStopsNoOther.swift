import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `while one account is on hold, the other account of the same delivery continues to send`()
        async throws
    {
        let count = 2_000
        var settings = TestbedSettings()
        settings.gateway.rules = "d* status 403 InvalidProviderToken\n"
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createApp("sick", credential: .token)
            try await testbed.createApp("sound", credential: .pkcs12)
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d"], perPrefix: count), into: "sick")
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["e"], perPrefix: count), into: "sound")
            try await testbed.startEngine()
            var document = DeliveryText()
            document.apps = ["sick", "sound"]
            let delivery = try await testbed.submit(document)
            let report = try await testbed.wait(for: delivery, "the sound half to be sent") {
                $0.counts.sent == count
            }
            #expect(
                report.state == "inProgress" && report.counts.pending == count && report.counts.failed == 0)
            let states = try await testbed.status().master?.accounts.map(\.state).sorted()
            #expect(states == ["waiting", "working"])

            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(
                audit
                    == .everyoneOnce(count).with {
                        $0.targeted = 2 * count
                        $0.unfinished = count
                        $0.rejected = audit.rejected
                    })
            // The engine needed only one refused request. It did not send every message to find out.
            #expect((1...3).contains(audit.rejected))
        }
    }
}
