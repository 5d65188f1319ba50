import Testing
import pushload

extension EndToEnd {
    /// Seconds that the sound account needs for its messages, alone or beside one whose gateway says nothing.
    private static func seconds(of count: Int, isAlone: Bool) async throws -> Double {
        var settings = HouseSettings()
        settings.room = 2_000
        // The gateway sets the pace, not this machine: at most 100 every 10 ms.
        settings.gateway.streams = 100
        settings.gateway.delayMilliseconds = 10
        settings.gateway.rules = "d* silent\n"
        var result = 0.0
        try await withHouse(settings) { house in
            try await house.createService()
            try await house.createApp("silent", credential: .token)
            try await house.createApp("sound", credential: .certificate)
            try await house.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d"], perPrefix: count), into: "silent")
            try await house.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["e"], perPrefix: count), into: "sound")
            try await house.startEngine()
            if !isAlone {
                _ = try await house.submit(DeliveryText(apps: ["silent"]))
                _ = try await Waiting.until("the silent account to have what it gets", within: .seconds(20)) {
                    try await house.status().master?.children.first { $0.inFlight > 0 }
                }
            }
            let delivery = try await house.submit(DeliveryText(apps: ["sound"]))
            let report = try await house.settle(delivery)
            #expect(report.counts.sent == count)
            result = try #require(report.seconds)
            let children = try await house.status().master?.children.count
            #expect(children == 1)
            // What the silent gateway has need not be waited for.
            _ = try await house.killMaster()
        }
        return result
    }

    @Test func `a gateway that says nothing costs another account of the same child no time`() async throws {
        let count = 10_000
        let alone = try await Self.seconds(of: count, isAlone: true)
        let beside = try await Self.seconds(of: count, isAlone: false)
        #expect(beside <= alone / 0.9 + 0.3)
    }
}
