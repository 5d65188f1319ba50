/// A delivery with a rate, as its gateway sees it.
///
/// The gateway counts requests by the second that they arrive in. Every ten seconds in a row, but for the first
/// second and the last of the delivery, are a window: what a rate promises is that each has ten times as many.
package struct RateScenario: Sendable {
    /// Requests a second.
    package var rate: Int
    /// How long the delivery takes.
    package var seconds: Int

    static let windowSeconds = 10

    package init(rate: Int, seconds: Int) {
        self.rate = rate
        self.seconds = seconds
    }

    package struct Report: Sendable {
        package var rate: Int
        package var messages: Int
        /// Requests in each second from the first on.
        package var counted: [Int]
        /// Requests in each window.
        package var windows: [Int] { RateScenario.windows(of: counted) }

        package init(rate: Int, messages: Int, counted: [Int]) {
            self.rate = rate
            self.messages = messages
            self.counted = counted
        }

        /// Requests a second in the slowest window and in the fastest.
        package var range: ClosedRange<Double> {
            let seconds = Double(RateScenario.windowSeconds)
            let (least, most) = (windows.min() ?? 0, windows.max() ?? 0)
            return Double(least) / seconds...Double(most) / seconds
        }

        /// The farthest that a window is from the rate, as a share of it.
        package var deviation: Double {
            max(range.upperBound - Double(rate), Double(rate) - range.lowerBound) / Double(rate)
        }
    }

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.gateway.keepsLog = false
        settings.gateway.isFast = true
        settings.gateway.countsSeconds = true
        return settings
    }

    package func run(in testbed: Testbed) async throws -> Report {
        let messages = rate * seconds
        try await testbed.createApp()
        try await testbed.importSubscribers(SyntheticSubscribers(messages))
        try await testbed.startEngine()
        var document = DeliveryText()
        document.ratePerSecond = rate
        let delivery = try await testbed.submit(document)
        // A process that asks takes a core from those that send.
        let end = try await testbed.wait(
            for: delivery, "delivery \(delivery) to end", within: .seconds(120 + seconds * 4),
            longestNap: .seconds(3)
        ) { $0.isOver }
        guard end.counts.sent == messages else { throw LoadError(.wrong("it ended as \(end.summary)")) }
        try await testbed.stopEngine()
        try await testbed.stopGateway()
        guard let counted = try testbed.gatewaySummary().requestsBySecond else {
            throw LoadError(.wrong("the gateway did not count by the second"))
        }
        return Report(rate: rate, messages: messages, counted: counted)
    }

    /// Sums of ten in a row, without the first and the last second, of which a part is missing.
    package static func windows(of counted: [Int]) -> [Int] {
        let whole = counted.dropFirst().dropLast()
        guard whole.count >= windowSeconds else { return [] }
        return (whole.startIndex...whole.endIndex - windowSeconds).map { start in
            whole[start..<start + windowSeconds].reduce(0, +)
        }
    }
}
