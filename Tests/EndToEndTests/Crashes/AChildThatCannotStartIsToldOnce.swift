import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func
        `children that cannot start are told of once, born slowly, and missed no longer than they are missing`()
        async throws
    {
        let count = 1_000
        var settings = HouseSettings()
        settings.childrenAtStart = 0
        try await withHouse(settings) { house in
            house.expectedComplaints = ["a child ended before it was of any use"]
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            // The master starts children from the file that it was started from, so this one is its own copy.
            let program = try house.copyOfEngine()
            try house.launchEngine(program.path)
            try await house.engineIsReady()
            try program.hide()
            let delivery = try await house.submit()
            let line = "a child ended before it was of any use"
            _ = try await Waiting.until("the engine to say so") {
                house.engineLog.contains(line) ? true : nil
            }
            let waiting = try await house.wait(for: delivery, "all messages to wait") {
                $0.counts.pending == count
            }
            #expect(waiting.counts.failed == 0)

            try program.show()
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(house.engineLog.split(separator: "\n").count { $0.contains(line) } == 1)
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
