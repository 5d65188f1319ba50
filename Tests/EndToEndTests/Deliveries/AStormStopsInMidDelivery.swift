import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test(arguments: ["BadDeviceToken", "DeviceTokenNotForTopic"])
    func `a storm stops its account in mid-delivery; discarded, those that were not reached yet are`(
        reason: String
    ) async throws {
        let count = 5_000
        // As many as it takes to be called a storm, and so little room that no good answer comes with the
        // last of them.
        let bad = 200
        var settings = HouseSettings()
        settings.room = 100
        settings.gateway.delayMilliseconds = 5
        settings.gateway.rules = "* status 400 \(reason) times \(bad)\n"
        try await withHouse(settings) { house in
            house.expectedComplaints = ["answers call tokens bad"]
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            try await house.startEngine()
            let delivery = try await house.submit()
            _ = try await house.account(in: "stopped")
            // What was out comes back, and then nothing moves any more.
            let stopped = try await Waiting.until("nothing to be out") {
                try await house.status().master.flatMap { $0.unrecorded == 0 ? $0 : nil }
            }
            #expect(stopped.accounts.map(\.state) == ["stopped"])
            let report = try await house.show(delivery)
            #expect(report.state == "inProgress" && report.counts.failed == bad)
            #expect(report.counts.pending == count - report.counts.failed - report.counts.sent)
            #expect(report.counts.pending > count / 2)

            // The operator has mended it, and says so.
            try await house.succeed(["quarantine", "storm", "discard", House.app])
            let end = try await house.settle(delivery)
            #expect(end.counts.failed == bad && end.counts.sent == count - bad)
            try await house.stopEngine()
            #expect(
                try await house.ledger(of: delivery)
                    == .everyoneOnce(count - bad).with {
                        $0.targeted = count
                        $0.failed = bad
                        $0.rejected = bad
                    })
            let list = ["quarantine", "list", "--app", House.app, "--state", "quarantined"]
            #expect(try await !house.succeed(list).output.contains("user-"))
        }
    }
}
