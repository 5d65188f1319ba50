import Glibc
import Testing
import pushload

extension EndToEnd.Hosts {
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `resuming an account through one of two hosts ends the account's wait on both`() async throws {
        let count = 20_000
        var settings = TestbedSettings()
        settings.store = .postgresql
        var fcm = TestbedSettings.Gateway.FCM()
        // Two answers in a row, for two tokens, pause the account. Each of the two hosts needs two such
        // answers.
        fcm.rules = "d* fcm UNAVAILABLE retry-after 86400 times 4\n"
        settings.gateway.fcm = fcm
        settings.parallelRequests = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.importSubscribers(.init(count, isAndroid: true), into: Testbed.androidApp)
            try await testbed.startEngine()
            let second = try testbed.launchHost(2)
            try await testbed.waitForHosts(2)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            try await Waiting.until("the account to wait on both hosts") {
                let statuses = [try await testbed.status(), try await testbed.status(ofHost: 2)]
                return statuses.allSatisfy { $0.master?.accounts.first?.state == "waiting" } ? () : nil
            }
            let said = try await testbed.succeed(
                ["account", "resume", Testbed.androidApp], onHost: 2
            ).output
            #expect(
                said.contains("contacts its gateway now") && said.contains("1 other host will do the same"))
            // Without the command, each host would probe with a single message after three minutes.
            _ = try await testbed.wait(for: delivery, "all others to be sent", within: .seconds(120)) {
                $0.counts.sent == count - 4 && $0.counts.retrying == 4
            }
            #expect(testbed.logLines("which was waiting").count == 1)
            let log = Folder.text(second.log).split(separator: "\n")
            #expect(log.count { $0.contains("which was waiting") } == 1)
            second.process.signal(SIGTERM)
            #expect(try await second.process.end().status == 0)
            try await testbed.stopEngine()
        }
    }
}
