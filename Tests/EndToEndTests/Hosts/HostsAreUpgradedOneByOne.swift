import Glibc
import Testing
import pushload

extension EndToEnd.Hosts {
    /// The two builds use the same store schema. Mixed releases are only supported if their schemas are the
    /// same.
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func
        `hosts with two builds send one delivery, and a rolling upgrade meanwhile loses and repeats nothing`()
        async throws
    {
        let count = 30_000
        var settings = KillScenario.settings(stopsAfter: [count / 4, count / 2])
        settings.store = .postgresql
        // No host has to wait for a host that ended in order.
        settings.takeOverMilliseconds = 3_600_000
        try await withTestbed(settings) { testbed in
            let (old, new) = (
                try await testbed.engine(builtFrom: "aaaa111"), try await testbed.engine(builtFrom: "bbbb222")
            )
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(count))
            try testbed.launchEngine(old.path)
            try await testbed.engineIsReady()
            let second = try testbed.launchHost(2, old.path).process
            try await testbed.waitForHosts(2)
            let delivery = try await testbed.submit()
            let first = try #require(testbed.engine)
            try await testbed.amidDelivery { first.signal(SIGTERM) }
            #expect(try await first.end().status == 0)
            try testbed.launchEngine(new.path)
            try await testbed.engineIsReady()
            try await testbed.amidDelivery {
                try await testbed.waitForHosts(2)
                let releases = try await testbed.listHosts().map(\.release)
                #expect(
                    releases.contains { $0.hasSuffix("+aaaa111") }
                        && releases.contains { $0.hasSuffix("+bbbb222") })
                second.signal(SIGTERM)
            }
            #expect(try await second.end().status == 0)
            let third = try testbed.launchHost(2, new.path).process
            try await testbed.waitForHosts(2)
            try await testbed.settle(delivery)
            #expect(try await testbed.listHosts().allSatisfy { $0.release.hasSuffix("+bbbb222") })
            third.signal(SIGTERM)
            #expect(try await third.end().status == 0)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
