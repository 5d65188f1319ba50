import Testing
import pushload

extension EndToEnd.Deliveries {
    /// The number of devices in an app whose sandbox tokens and production tokens were mixed up.
    private static let devices = 150

    /// A testbed in which a delivery to the devices has just been declared a storm.
    private static func withStorm(
        times: Int = devices, _ story: (Testbed, _ delivery: Int) async throws -> Void
    ) async throws {
        var settings = TestbedSettings()
        settings.gateway.rules = "* status 400 BadDeviceToken times \(times)\n"
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["answers reject tokens"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(devices))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            let report = try await testbed.settle(delivery)
            #expect(report.counts.failed == devices)
            let account = try await testbed.account(in: "stopped")
            #expect(account.reason.contains("quarantine storm show"))
            #expect(testbed.logLines(" level=critical ").count == 1)
            try await story(testbed, delivery)
        }
    }

    private static func quarantined(_ testbed: Testbed, _ app: String = Testbed.app) async throws -> Int {
        try await testbed.succeed(["quarantine", "list", "--app", app, "--state", "quarantined"]).output
            .split(separator: "\n").count { $0.contains("user-") }
    }

    @Test func `an app whose tokens all belong to the other environment does not lose any device`()
        async throws
    {
        try await Self.withStorm { testbed, first in
            let rows = try await testbed.messageLog(first)
            #expect(rows.allSatisfy { $0.failureType == "Hard" && $0.providerReason == "BadDeviceToken" })
            #expect(try await Self.quarantined(testbed) == 0)

            // The storm belongs to the old credential. The app continues with another credential, and no
            // device was disabled.
            let certs = testbed.folder.file("certs")
            try await testbed.succeed(["app", "update", Testbed.app, "--pem", "\(certs)/client.pem"])
            let second = try await testbed.submit()
            let report = try await testbed.settle(second)
            #expect(report.counts.sent == Self.devices && report.counts.excluded == 0)
            #expect(try await Self.quarantined(testbed) == 0)

            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: second, among: [first, second])
            #expect(audit == .everyoneOnce(Self.devices))
        }
    }

    @Test
    func `an app with only wrong tokens loses no device, even if another app with its key has good tokens`()
        async throws
    {
        var settings = TestbedSettings()
        settings.gateway.rules = "d* status 400 BadDeviceToken\n"
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["answers reject tokens"]
            try await testbed.createService()
            for (app, prefix, count) in [("sound", "e", 400), ("mixed", "d", Self.devices)] {
                try await testbed.createApp(app, credential: .token)
                try await testbed.importSubscribers(
                    .init(count, prefixes: [prefix], perPrefix: count), into: app)
            }
            try await testbed.startEngine()
            let first = try await testbed.submit(DeliveryText(apps: ["sound"]))
            #expect(try await testbed.settle(first).counts.sent == 400)
            let second = try await testbed.submit(DeliveryText(apps: ["mixed"]))
            #expect(try await testbed.settle(second).counts.failed == Self.devices)
            // The storm stops its own app, but not the other app with the same key.
            let stopped = try await testbed.master("the app to be stopped", seen: { "" }) { status in
                status.accounts.first { $0.topics.map(\.state) == ["stopped"] }
            }
            #expect(stopped.state == "working")
            #expect(try await Self.quarantined(testbed, "mixed") == 0)
            let third = try await testbed.submit(DeliveryText(apps: ["sound"]))
            #expect(try await testbed.settle(third).counts.sent == 400)
            let fourth = try await testbed.submit(DeliveryText(apps: ["mixed"]))
            _ = try await testbed.wait(for: fourth, "it to wait") { $0.counts.pending == Self.devices }
            #expect(
                try await testbed.pushmta(["delivery", "show", "\(fourth)"]).output.contains("app mixed"))

            try await testbed.succeed(["delivery", "stop", "\(fourth)", "--yes"])
            try await testbed.succeed(["quarantine", "storm", "discard", "mixed"])
        }
    }

    @Test
    func `a storm outlasts its master, and once it is discarded the account continues with all devices`()
        async throws
    {
        try await Self.withStorm { testbed, first in
            try await testbed.stopEngine()
            try await testbed.startEngine()
            let second = try await testbed.submit()
            _ = try await testbed.account(in: "stopped")
            #expect(try await testbed.show(second).counts.pending == Self.devices)

            try await testbed.succeed(["quarantine", "storm", "discard", Testbed.app])
            let report = try await testbed.settle(second)
            #expect(report.counts.sent == Self.devices && report.counts.excluded == 0)
            #expect(try await Self.quarantined(testbed) == 0)
            try await testbed.stopEngine()
            #expect(
                try await testbed.audit(of: second, among: [first, second]) == .everyoneOnce(Self.devices))
        }
    }

    @Test
    func `a confirmed storm's tokens are quarantined, and the next delivery excludes them for that reason`()
        async throws
    {
        try await Self.withStorm { testbed, _ in
            try await testbed.succeed(["quarantine", "storm", "confirm", Testbed.app])
            #expect(try await Self.quarantined(testbed) == Self.devices)
            let second = try await testbed.submit()
            let report = try await testbed.settle(second)
            #expect(report.counts.targeted == 0 && report.counts.excluded == Self.devices)
            let rows = try await testbed.messageLog(second)
            #expect(rows.count == Self.devices)
            #expect(rows.allSatisfy { $0.state == "excluded" && $0.failureReason == "Address in quarantine" })
            #expect(rows.allSatisfy { $0.providerReason.contains("in quarantine") && $0.attempts == 0 })
        }
    }
}
