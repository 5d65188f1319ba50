import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `what a storm refused is sent again once it is discarded, with the same ids`() async throws {
        let count = 150
        var settings = HouseSettings()
        settings.gateway.rules = "* status 400 BadDeviceToken times \(count)\n"
        try await withHouse(settings) { house in
            house.expectedComplaints = ["answers call tokens bad"]
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            try await house.startEngine()
            // The wait says the storm, and that nobody has judged it.
            let wait = try await house.pushmta([
                "delivery", "submit", "--wait", try house.prepare(DeliveryText()),
            ])
            #expect(wait.ending.status == 1)
            #expect(
                wait.complaints.split(separator: "\n").count { $0.contains("storm: most answers of ") } == 1)
            let delivery = 1
            #expect(try await house.show(delivery).counts.failed == count)
            let early = try await house.pushmta(["delivery", "retry-failed", "\(delivery)"])
            #expect(early.ending.status == 3)
            #expect(early.complaints.contains("quarantine storm discard"))

            try await house.succeed(["quarantine", "storm", "discard", House.app])
            let said = try await house.succeed(["delivery", "retry-failed", "\(delivery)"]).output
            #expect(said.hasPrefix("\(count) messages of delivery 1 to be sent again until "))
            let report = try await house.settle(delivery)
            #expect(report.counts.sent == count && report.counts.failed == 0)
            let again = try await house.pushmta(["delivery", "retry-failed", "\(delivery)"])
            #expect(again.ending.status == 3 && again.complaints.contains("no failed message"))
            try await house.stopEngine()
            // The ledger would say where the second attempt bore another id than the first.
            let ledger = try await house.ledger(of: delivery)
            #expect(ledger == .everyoneOnce(count).with { $0.rejected = count })
            #expect(try await house.messageLog(delivery).allSatisfy { $0.attempts == 2 })
        }
    }
}
