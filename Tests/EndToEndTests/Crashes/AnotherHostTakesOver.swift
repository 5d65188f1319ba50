import Glibc
import Testing
import pushload

extension EndToEnd.Crashes {
    private static func settings(stopsAfter count: Int) -> TestbedSettings {
        var settings = KillScenario.settings(stopsAfter: [count])
        settings.store = .postgresql
        settings.takeOverMilliseconds = 6_000
        return settings
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `kill -9 of the host that serves: the one that stands by takes over, and nothing is lost`()
        async throws
    {
        let count = 5_000
        try await withTestbed(Self.settings(stopsAfter: count / 3)) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let second = try testbed.launchSecondHost()
            try await Self.wait(for: "standing by: host", in: second)
            let delivery = try await testbed.submit()
            try await testbed.amidDelivery { _ = try await testbed.killMaster() }
            try await testbed.settle(delivery)
            try await Self.wait(for: "taking over from host", in: second)
            second.process.signal(SIGTERM)
            #expect(try await second.process.end().status == 0)
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.doubled <= 2 * testbed.settings.capacity)
        }
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `after an orderly end the other host serves at once, and the first stands by behind it`()
        async throws
    {
        let count = 200
        var settings = Self.settings(stopsAfter: count)
        settings.gateway.stopsAfter = []
        // Nobody would wait for it.
        settings.takeOverMilliseconds = 3_600_000
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let second = try testbed.launchSecondHost()
            try await Self.wait(for: "standing by: host", in: second)
            try await testbed.stopEngine()
            try await Self.wait(for: "serving postgresql:", in: second)
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            try testbed.launchEngine()
            try await testbed.engineIsReady()
            let hosts = try await testbed.succeed(["host", "list", "--json"]).output
            #expect(hosts.contains("\"serving\"") && hosts.contains("\"standby\""), "\(hosts)")
            second.process.signal(SIGTERM)
            #expect(try await second.process.end().status == 0)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }

    private static func wait(
        for text: String, in host: (process: RunningProcess, log: String)
    ) async throws {
        try await Waiting.until("the second host to say '\(text)'") {
            Folder.text(host.log).contains(text) ? () : nil
        }
    }
}
