import Glibc
import Testing
import pushload

extension EndToEnd.Crashes {
    private static func settings(stopsAfter counts: [Int]) -> TestbedSettings {
        var settings = KillScenario.settings(stopsAfter: counts)
        settings.store = .postgresql
        settings.takeOverMilliseconds = 6_000
        return settings
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `after kill -9 of the leading host in mid-delivery, the other host leads, and no message is lost`()
        async throws
    {
        let count = 20_000
        try await withTestbed(Self.settings(stopsAfter: [count / 3])) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let second = try testbed.launchHost(2)
            try await Self.wait(for: "2 hosts share the store", in: second)
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
    func `after a non-leading host is killed in mid-delivery, the other host sends its messages`()
        async throws
    {
        let count = 20_000
        try await withTestbed(Self.settings(stopsAfter: [count / 3])) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let second = try testbed.launchHost(2)
            try await Self.wait(for: "2 hosts share the store", in: second)
            let delivery = try await testbed.submit()
            try await testbed.amidDelivery {
                second.process.signal(SIGKILL)
                _ = try await second.process.end()
            }
            try await testbed.settle(delivery)
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.doubled <= 2 * testbed.settings.capacity)
            // If the second host had no part, no host waited until the second host had ended.
            try await Waiting.until("one host to lead, and the other to be lost") {
                let hosts = try await testbed.succeed(["host", "list", "--json"]).output
                return hosts.contains("\"leading\"") && hosts.contains("\"lost\"") ? () : nil
            }
        }
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `two hosts send each message once, and after an orderly end the other host leads immediately`()
        async throws
    {
        let count = 30_000
        var settings = Self.settings(stopsAfter: [])
        // A host could not wait this long.
        settings.takeOverMilliseconds = 3_600_000
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let second = try testbed.launchHost(2)
            try await Self.wait(for: "2 hosts share the store", in: second)
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            // The second host had a part of the delivery.
            #expect(Folder.text(second.log).contains(" connected for "))
            let hosts = try await testbed.succeed(["host", "list", "--json"]).output
            #expect(hosts.contains("\"leading\"") && hosts.contains("\"sending\""), "\(hosts)")
            try await testbed.stopEngine()
            try await Self.wait(for: "this host leads", in: second)
            let other = try await testbed.submit()
            try await testbed.settle(other)
            second.process.signal(SIGTERM)
            #expect(try await second.process.end().status == 0)
            for id in [delivery, other] {
                let audit = try await testbed.audit(of: id, among: [delivery, other])
                #expect(audit == .everyoneOnce(count))
            }
        }
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `the answer to a stop on one host means that the delivery has stopped on both hosts`() async throws {
        let count = 30_000
        try await withTestbed(Self.settings(stopsAfter: [count / 4])) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let second = try testbed.launchHost(2)
            try await Self.wait(for: "2 hosts share the store", in: second)
            let delivery = try await testbed.submit()
            // The gateway answers no request until the command has been answered.
            try await testbed.amidDelivery {
                _ = try await testbed.succeed(["delivery", "stop", "\(delivery)", "--yes"])
            }
            let end = try await testbed.settle(delivery)
            #expect(end.state == "stopped")
            second.process.signal(SIGTERM)
            #expect(try await second.process.end().status == 0)
            // Requests that had begun are counted. No request began afterwards: otherwise one of the two
            // hosts would have sent all remaining messages.
            let begun = count / 4 + 2 * testbed.settings.capacity
            #expect(end.counts.sent <= begun && begun < count, "\(end.counts)")
            var expected = DeliveryAudit()
            expected.targeted = count
            (expected.sent, expected.reached) = (end.counts.sent, end.counts.sent)
            expected.cancelled = count - end.counts.sent
            #expect(try await testbed.audit(of: delivery).withoutRepeats == expected)
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
