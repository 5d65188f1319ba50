import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `a credential that is replaced repeatedly in mid-delivery loses no message`() async throws {
        let count = 12_000
        var settings = KillScenario.settings(stopsAfter: [2_000, 4_000, 6_000])
        settings.gateway.delayMilliseconds = 50
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            let certificate = ["--pem", testbed.folder.file("certs/client.pem")]
            // Rotates to a credential of another type, then back to the first one, and then to the one that
            // is already in use. The log would report the last change with the same text, and a line that is
            // repeated within a minute is only counted.
            for (round, credential) in [certificate, testbed.ownKey, testbed.ownKey].enumerated() {
                try await testbed.amidDelivery {
                    try await testbed.succeed(["app", "update", Testbed.app] + credential)
                }
                try await Waiting.until("the master to have noticed") {
                    testbed.logLines("it now uses account").count > min(round, 1) ? () : nil
                }
            }
            let report = try await testbed.settle(delivery)
            #expect(report.counts.sent == count)
            #expect((2...3).contains(testbed.logLines("it now uses account").count))
            try await testbed.stopEngine()
            // Requests in flight were completed through the old connections.
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
            #expect(try await testbed.messageLog(delivery).allSatisfy { $0.attempts == 1 })
        }
    }
}
