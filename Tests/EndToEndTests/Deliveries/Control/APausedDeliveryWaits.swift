import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test
    func `a delivery stays paused after kill -9 of the master, and reaches every device once it is resumed`()
        async throws
    {
        let count = 20_000
        var settings = KillScenario.settings(stopsAfter: [2_000])
        settings.children = 1
        settings.childrenAtStart = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.amidDelivery {
                let said = try await testbed.succeed(["delivery", "pause", "\(delivery)"])
                #expect(said.output.contains("delivery \(delivery) is paused and expires at "))
            }
            // Messages that the gateway has received are answered, and no other messages are sent.
            try await testbed.master("nothing to be out") { $0.unrecorded == 0 ? $0 : nil }
            let paused = try await testbed.show(delivery)
            #expect(paused.state == "paused" && paused.counts.pending > 0 && paused.addsUp)
            #expect(paused.counts.sent >= 2_000)

            _ = try await testbed.killMaster()
            try await testbed.startEngine()
            // The master is busy with another delivery and has examined all work.
            var document = DeliveryText()
            document.target = #"{"userKeys": ["\#(SyntheticSubscribers(count).userKey(1))"]}"#
            try await testbed.settle(try await testbed.submit(document))
            #expect(try await testbed.show(delivery).counts == paused.counts)

            let said = try await testbed.succeed(["delivery", "resume", "\(delivery)"])
            #expect(said.output.contains("delivery \(delivery) continues"))
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(
                try await testbed.audit(of: delivery, among: [delivery, delivery + 1]) == .everyoneOnce(count)
            )
        }
    }

    @Test func `a paused delivery expires, and its waiting messages are cancelled and never sent`()
        async throws
    {
        let count = 500
        try await withTestbed { testbed in
            try await testbed.stopGateway()
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            var document = DeliveryText()
            document.validity = "15s"
            let delivery = try await testbed.submit(document)
            try await testbed.wait(for: delivery, "it to be prepared") { $0.counts.targeted == count }
            try await testbed.succeed(["delivery", "pause", "\(delivery)"])
            #expect(try await testbed.show(delivery).state == "paused")
            try await testbed.startGateway()
            let end = try await testbed.settle(delivery)
            #expect(end.state == "finished")
            try await testbed.stopEngine()
            var expected = DeliveryAudit()
            expected.targeted = count
            expected.cancelled = count
            #expect(try await testbed.audit(of: delivery) == expected)
        }
    }
}
