import Foundation
import Testing
import pushload

extension EndToEnd.Stores {
    @Test
    func `a backup in mid-delivery is consistent and causes no delay, and once restored it sends nothing`()
        async throws
    {
        let count = 30_000
        try await withTestbed(KillScenario.settings(capacity: 20_000, stopsAfter: [5_000])) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            let backup = testbed.folder.file("backup.db")
            try await testbed.amidDelivery {
                try await testbed.wait(for: delivery, "some of it to be sent") { $0.counts.sent > 1_000 }
                try await testbed.succeed(["backup", backup])
            }
            #expect(try await testbed.settle(delivery).counts.sent == count)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))

            try await testbed.startGateway(TestbedSettings.Gateway())

            // The backup, opened as a separate store.
            let file = testbed.folder.file("serverConf.xml")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let place = #"<dbcnx provider="SQLite" server="restored/pushmta.db"/>"#
            let other = text.replacing(try Regex("<dbcnx[^>]*/>"), with: place)
            try other.write(toFile: file, atomically: true, encoding: .utf8)
            let restored = try await testbed.succeed(["restore", backup])
            #expect(restored.output.contains("1 delivery is held"))
            let held = try await testbed.show(delivery)
            #expect(held.addsUp && held.counts.sent > 1_000 && !held.isOver)
            #expect(held.counts.targeted <= count)
            let recounted = try await testbed.pushmta(["delivery", "recount", "\(delivery)", "--json"])
            let counts = try JSONDecoder().decode(Recount.self, from: Data(recounted.output.utf8))
            #expect(counts.before == counts.after && counts.after == held.counts)

            // A master that serves the backup sends new deliveries, but no messages from the delivery that
            // had not ended.
            try await testbed.startEngine()
            let next = try await testbed.submit()
            #expect(next > delivery + 1_000)
            #expect(try await testbed.settle(next).counts.sent == count)
            #expect(try await testbed.show(delivery).counts == held.counts)
            try await testbed.succeed(["delivery", "release", "\(delivery)"])
            #expect(try await testbed.settle(delivery).counts.sent == count)
        }
    }

    private struct Recount: Decodable {
        var before: DeliveryReport.Counts
        var after: DeliveryReport.Counts
    }
}
