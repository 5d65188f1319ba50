import Foundation
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test
    func `a delivery keeps its rate across two accounts and a kill -9, without delaying another delivery`()
        async throws
    {
        let (count, rate) = (250, 50)
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.createApp("other-ios", credential: .certificate)
            let subscribers = SyntheticSubscribers(count)
            for app in [Testbed.app, "other-ios"] {
                try await testbed.importSubscribers(subscribers, into: app)
            }
            try await testbed.startEngine()
            var document = DeliveryText(apps: [Testbed.app, "other-ios"])
            document.ratePerSecond = rate
            let submitted = Self.milliseconds
            let delivery = try await testbed.submit(document)
            try await testbed.wait(for: delivery, "it to be on its way") { $0.counts.sent > 20 }
            let alongside = try await testbed.submit()
            try await testbed.settle(alongside)
            _ = try await testbed.killMaster()
            try await testbed.startEngine()
            let end = try await testbed.settle(delivery)
            #expect(end.counts.sent == 2 * count)
            let shown = try await testbed.succeed(["delivery", "show", "\(delivery)"])
            #expect(shown.output.contains("50 requests a second"))
            try await testbed.stopEngine()
            try await testbed.stopGateway()

            let times = try testbed.gatewayRequests()
                .filter { $0.body.contains("\"_dId\":\"\(delivery)\"") }.map(\.time).sorted()
            #expect(times.count >= 2 * count)
            // Each master starts with one request, and rounding of the clock may add one more. The gateway
            // receives a request after it began and never before.
            let tooMany = times.enumerated().first { index, time in
                (index + 1 - 3) * 1_000 > rate * (time - submitted)
            }
            #expect(tooMany == nil)
        }
    }

    private static var milliseconds: Int { Int(Date().timeIntervalSince1970 * 1_000) }
}
