import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Hosts {
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `a storm on one host stops the other hosts within moments, and all continue after it is discarded`()
        async throws
    {
        let count = 30_000
        // Enough dead tokens for one storm in an account whose messages had been accepted, but not for a
        // second storm after it.
        let bad = 2_000
        var settings = TestbedSettings()
        settings.store = .postgresql
        settings.capacity = 100
        settings.gateway.streams = 20
        settings.gateway.delayMilliseconds = 20
        // The gateway of the other host accepts messages, but so late that its answers do not outweigh those
        // in the storm.
        var sound = settings.gateway
        sound.delayMilliseconds = 6_000
        // A connection whose first requests are all refused is limited to one stream.
        settings.gateway.rules = "* status 400 BadDeviceToken after 20 times \(bad)\n"
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["answers reject tokens"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.makeHosts(2, others: sound)
            for host in testbed.hosts {
                let file = testbed.folder.file("serverConf-\(host.number).xml")
                let text = try String(contentsOfFile: file, encoding: .utf8)
                try text.replacing("</nmac>", with: #"<quarantine stormRatio="0.03"/></nmac>"#)
                    .write(toFile: file, atomically: true, encoding: .utf8)
            }
            try await testbed.launchHosts()
            let delivery = try await testbed.submit()
            for host in testbed.hosts {
                try await Waiting.until("host \(host.number) to stop its account") {
                    let master = try await testbed.status(of: host)
                    return master?.accounts.map(\.state) == ["stopped"] && master?.unrecorded == 0 ? () : nil
                }
            }
            let allStopped = Int(Date().timeIntervalSince1970 * 1_000)
            let report = try await testbed.show(delivery)
            #expect((101...bad).contains(report.counts.failed), "\(report.counts)")
            #expect(report.counts.sent > 0 && report.counts.pending > count / 2, "\(report.counts)")
            try await testbed.succeed(["quarantine", "storm", "discard", Testbed.app])
            for host in testbed.hosts {
                try await Waiting.until("host \(host.number) to continue") {
                    try await testbed.status(of: host).map { $0.unrecorded > 0 } == true ? () : nil
                }
            }
            try await testbed.succeed(["delivery", "stop", "\(delivery)", "--yes"])
            #expect(try await testbed.settle(delivery).state == "stopped")
            for host in testbed.hosts { try await testbed.end(host) }
            try await testbed.stopGateways()
            // By the gateways' clock: the interval between the other host's queries, which is one second, and
            // the time for its messages in flight. This takes two seconds on an idle machine. Here, other
            // programs use the machine too.
            let requests = try testbed.hosts.map { try $0.requests() }
            let storm = try #require(requests[0].last { $0.time <= allStopped }).time
            let last = try #require(requests[1].last { $0.time <= allStopped }).time
            #expect(last - storm <= 10_000)
        }
    }
}
