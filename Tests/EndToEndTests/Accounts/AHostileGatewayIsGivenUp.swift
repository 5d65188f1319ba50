import Testing
import pushload

extension EndToEnd.Accounts {
    /// The sick account's gateway sends interim responses for as long as a client reads them.
    @Test
    func `a gateway that never completes an answer stops only its own account, with one line in the log`()
        async throws
    {
        let count = 2_000
        var settings = TestbedSettings()
        settings.logLevel = 1
        settings.gateway.rules = "d* interim\n"
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
            #expect(report.state == "inProgress" && report.counts.failed == 0)
            let account = try await testbed.account(in: "waiting")
            #expect(
                account.reason.contains("closed as abusive: more than 100 interim answers to one request"))
            #expect(testbed.logLines("closed as abusive").count == 1)

            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.sent == count && audit.reached == count && audit.unfinished == count)
        }
    }
}
