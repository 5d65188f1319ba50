import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test(arguments: ["BadDeviceToken", "DeviceTokenNotForTopic"])
    func `a storm stops its account in mid-delivery, and the other devices are reached once it is discarded`(
        reason: String
    ) async throws {
        let count = 5_000
        // The largest share of devices that can be dead. The capacity is so small that few good answers
        // arrive together with the last dead tokens.
        let bad = count * 65 / 100
        var settings = TestbedSettings()
        settings.capacity = 100
        settings.gateway.delayMilliseconds = 5
        settings.gateway.rules = "* status 400 \(reason) times \(bad)\n"
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["answers reject tokens"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            _ = try await testbed.account(in: "stopped")
            // Messages in flight are answered, and then nothing changes.
            let stopped = try await testbed.master("nothing to be out") { $0.unrecorded == 0 ? $0 : nil }
            #expect(stopped.accounts.map(\.state) == ["stopped"])
            let report = try await testbed.show(delivery)
            #expect(report.state == "inProgress" && report.counts.failed == bad)
            #expect(report.counts.pending == count - report.counts.failed - report.counts.sent)
            #expect(report.counts.pending > 1_000)

            // The operator has fixed the cause and discards the storm.
            try await testbed.succeed(["quarantine", "storm", "discard", Testbed.app])
            let end = try await testbed.settle(delivery)
            #expect(end.counts.failed == bad && end.counts.sent == count - bad)
            try await testbed.stopEngine()
            #expect(
                try await testbed.audit(of: delivery)
                    == .everyoneOnce(count - bad).with {
                        $0.targeted = count
                        $0.failed = bad
                        $0.rejected = bad
                    })
            let list = ["quarantine", "list", "--app", Testbed.app, "--state", "quarantined"]
            #expect(try await !testbed.succeed(list).output.contains("user-"))
        }
    }
}
