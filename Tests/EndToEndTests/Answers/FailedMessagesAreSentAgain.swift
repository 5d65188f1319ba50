import Testing
import pushload

extension EndToEnd.Answers {
    @Test
    func `messages that failed because of a storm are sent again with the same ids once it is discarded`()
        async throws
    {
        let count = 150
        var settings = TestbedSettings()
        settings.gateway.rules = "* status 400 BadDeviceToken times \(count)\n"
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["answers reject tokens"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            // The waiting command reports the storm, and that no decision has been made.
            let wait = try await testbed.pushmta([
                "delivery", "submit", "--wait", try testbed.prepare(DeliveryText()),
            ])
            #expect(wait.ending.status == 1)
            #expect(
                wait.complaints.split(separator: "\n").count { $0.contains("storm: most answers to ") } == 1)
            let delivery = 1
            #expect(try await testbed.show(delivery).counts.failed == count)
            let early = try await testbed.pushmta(["delivery", "retry-failed", "\(delivery)"])
            #expect(early.ending.status == 3)
            #expect(early.complaints.contains("quarantine storm show"))

            try await testbed.succeed(["quarantine", "storm", "discard", Testbed.app])
            let said = try await testbed.succeed(["delivery", "retry-failed", "\(delivery)"]).output
            #expect(said.hasPrefix("\(count) messages of delivery 1 will be sent again until "))
            let report = try await testbed.settle(delivery)
            #expect(report.counts.sent == count && report.counts.failed == 0)
            let again = try await testbed.pushmta(["delivery", "retry-failed", "\(delivery)"])
            #expect(again.ending.status == 3 && again.complaints.contains("no failed message"))
            try await testbed.stopEngine()
            // The audit would report a second attempt whose id differs from the id of the first attempt.
            let audit = try await testbed.audit(of: delivery)
            #expect(audit == .everyoneOnce(count).with { $0.rejected = count })
            #expect(try await testbed.messageLog(delivery).allSatisfy { $0.attempts == 2 })
        }
    }
}
