import Glibc
import Testing
import pushload

extension EndToEnd.Hosts {
    /// No host polls without a notification within the time that a scenario may take.
    private static var settings: TestbedSettings {
        var settings = KillScenario.settings()
        settings.store = .postgresql
        settings.pollSeconds = 86_400
        return settings
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `a delivery that is submitted on a machine without a master begins immediately on the sending host`()
        async throws
    {
        let count = 500
        try await withTestbed(Self.settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(count))
            try await testbed.startEngine()
            // The host listens for notifications and has polled for the last time.
            let first = try await testbed.submit()
            try await testbed.settle(first)
            let file = try testbed.prepare(DeliveryText())
            let said = try await testbed.succeed(["delivery", "submit", file], onHost: 2).output
            let delivery = try #require(said.split(separator: "\n").first.flatMap { Int($0) })
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery, among: [first, delivery]) == .everyoneOnce(count))
        }
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `a host that does not lead accepts a delivery, a pause and a resume for both hosts`() async throws {
        let count = 20_000
        var settings = Self.settings
        settings.gateway.stopsAfter = [count / 4]
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(count))
            try await testbed.startEngine()
            let second = try testbed.launchHost(2)
            try await testbed.waitForHosts(2)
            let file = try testbed.prepare(DeliveryText())
            let said = try await testbed.succeed(["delivery", "submit", file], onHost: 2).output
            let delivery = try #require(said.split(separator: "\n").first.flatMap { Int($0) })
            try await testbed.amidDelivery {
                try await testbed.succeed(["delivery", "pause", "\(delivery)"], onHost: 2)
            }
            try await testbed.wait(for: delivery, "what is in flight to be answered") {
                $0.state == "paused" && $0.counts.sent > 0
            }
            // No host has messages from the delivery any longer, and many messages are waiting.
            try await Waiting.until("both hosts to have nothing in hand") {
                let (one, two) = (try await testbed.status(), try await testbed.status(ofHost: 2))
                return one.master?.unrecorded == 0 && two.master?.unrecorded == 0 ? () : nil
            }
            let sent = try await testbed.show(delivery).counts.sent
            #expect(sent < count, "\(sent)")
            try await testbed.succeed(["delivery", "resume", "\(delivery)"], onHost: 2)
            try await testbed.settle(delivery)
            second.process.signal(SIGTERM)
            #expect(try await second.process.end().status == 0)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
