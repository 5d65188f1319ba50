import Testing
import pushload

extension EndToEnd.Deliveries {
    /// 150 devices of an app whose sandbox and production tokens were mixed up.
    private static let devices = 150

    /// A house in which a delivery to the devices has just been called a storm.
    private static func withStorm(
        times: Int = devices, _ story: (House, _ delivery: Int) async throws -> Void
    ) async throws {
        var settings = HouseSettings()
        settings.gateway.rules = "* status 400 BadDeviceToken times \(times)\n"
        try await withHouse(settings) { house in
            house.expectedComplaints = ["answers call tokens bad"]
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(devices))
            try await house.startEngine()
            let delivery = try await house.submit()
            let report = try await house.settle(delivery)
            #expect(report.counts.failed == devices)
            let account = try await house.account(in: "stopped")
            #expect(account.reason.contains("quarantine storm show"))
            #expect(house.logLines(" critical pushmta").count == 1)
            try await story(house, delivery)
        }
    }

    private static func quarantined(_ house: House, _ app: String = House.app) async throws -> Int {
        try await house.succeed(["quarantine", "list", "--app", app, "--state", "quarantined"]).output
            .split(separator: "\n").count { $0.contains("user-") }
    }

    @Test func `an app whose tokens are all of the other environment loses no device`() async throws {
        try await Self.withStorm { house, first in
            let rows = try await house.messageLog(first)
            #expect(rows.allSatisfy { $0.failureType == "Hard" && $0.providerReason == "BadDeviceToken" })
            #expect(try await Self.quarantined(house) == 0)

            // The storm is the old credential's; the app with another goes on, and everybody is still there.
            let certs = house.folder.file("certs")
            try await house.succeed(["app", "update", House.app, "--pem", "\(certs)/client.pem"])
            let second = try await house.submit()
            let report = try await house.settle(second)
            #expect(report.counts.sent == Self.devices && report.counts.excluded == 0)
            #expect(try await Self.quarantined(house) == 0)

            try await house.stopEngine()
            let ledger = try await house.ledger(of: second, among: [first, second])
            #expect(ledger == .everyoneOnce(Self.devices))
        }
    }

    @Test
    func `an app whose tokens are all wrong loses no device, however sound the other app of its key is`()
        async throws
    {
        var settings = HouseSettings()
        settings.gateway.rules = "d* status 400 BadDeviceToken\n"
        try await withHouse(settings) { house in
            house.expectedComplaints = ["answers to one app call tokens bad"]
            try await house.createService()
            for (app, prefix, count) in [("sound", "e", 400), ("mixed", "d", Self.devices)] {
                try await house.createApp(app, credential: .token)
                try await house.importSubscribers(
                    .init(count, prefixes: [prefix], perPrefix: count), into: app)
            }
            try await house.startEngine()
            let first = try await house.submit(DeliveryText(apps: ["sound"]))
            #expect(try await house.settle(first).counts.sent == 400)
            let second = try await house.submit(DeliveryText(apps: ["mixed"]))
            #expect(try await house.settle(second).counts.failed == Self.devices)
            _ = try await house.account(in: "stopped")
            #expect(try await Self.quarantined(house, "mixed") == 0)

            try await house.succeed(["quarantine", "storm", "discard", "mixed"])
            let third = try await house.submit(DeliveryText(apps: ["sound"]))
            #expect(try await house.settle(third).counts.sent == 400)
        }
    }

    @Test func `a storm outlasts its master; discarded, the account goes on and nobody was disabled`()
        async throws
    {
        try await Self.withStorm { house, first in
            try await house.stopEngine()
            try await house.startEngine()
            let second = try await house.submit()
            _ = try await house.account(in: "stopped")
            #expect(try await house.show(second).counts.pending == Self.devices)

            try await house.succeed(["quarantine", "storm", "discard", House.app])
            let report = try await house.settle(second)
            #expect(report.counts.sent == Self.devices && report.counts.excluded == 0)
            #expect(try await Self.quarantined(house) == 0)
            try await house.stopEngine()
            #expect(
                try await house.ledger(of: second, among: [first, second]) == .everyoneOnce(Self.devices))
        }
    }

    @Test
    func `confirmed, a storm's tokens are quarantined, and the next delivery leaves them out and says why`()
        async throws
    {
        try await Self.withStorm { house, _ in
            try await house.succeed(["quarantine", "storm", "confirm", House.app])
            #expect(try await Self.quarantined(house) == Self.devices)
            let second = try await house.submit()
            let report = try await house.settle(second)
            #expect(report.counts.targeted == 0 && report.counts.excluded == Self.devices)
            let rows = try await house.messageLog(second)
            #expect(rows.count == Self.devices)
            #expect(rows.allSatisfy { $0.state == "excluded" && $0.failureReason == "Address in quarantine" })
            #expect(rows.allSatisfy { $0.providerReason.contains("in quarantine") && $0.attempts == 0 })
        }
    }
}
