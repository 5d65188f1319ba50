import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func `ten reloads with changed limits in mid-delivery lose no message and send no message twice`()
        async throws
    {
        let count = 20_000
        let steps = (1...10).map { count / 20 * $0 }
        var settings = KillScenario.settings(stopsAfter: steps)
        settings.capacity = 2_000
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            for number in 1...10 {
                try await testbed.amidDelivery {
                    // A change to a child's capacity replaces the children, and a change to a gateway's
                    // timeout replaces the accounts.
                    try testbed.reconfigure {
                        $0.capacity = 2_000 + number % 2 * 500
                        $0.requestTimeoutSeconds = 30 + number % 3
                        $0.connectionsPerChild = 1 + number % 2
                    }
                    try await testbed.succeed(["reload"])
                }
            }
            let children = try #require(try await testbed.status().master).children
            #expect(children.allSatisfy { $0.generation > 2 })
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
            try await testbed.stopEngine()
        }
    }
}
