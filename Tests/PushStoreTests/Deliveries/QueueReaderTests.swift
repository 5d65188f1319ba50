import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct QueueReaderTests {
    @Test func `waiting messages are counted for each app, with the age of the oldest message`() throws {
        try TemporaryStore.with { fixture in
            let apps = try ["a", "b", "c"].map { try fixture.app($0) }
            #expect(try fixture.store.queues.queues() == [])
            try fixture.subscribe(1...6_000, to: apps[0])
            try fixture.subscribe(1...100, to: apps[1])
            let (id, delivered) = try fixture.deliver(to: apps[0])
            let messages = delivered.values.sorted { $0.rawValue < $1.rawValue }
            try fixture.record(messages.prefix(900).map { Self.retrying($0) }, accepted: 100, of: id)
            let later = try fixture.submit(apps: [apps[0], apps[1]])
            try fixture.prepare(later)

            let queues = try fixture.store.queues.queues()
            let summary = try #require(try fixture.store.deliveries.summary(of: id))
            #expect(queues.map(\.app) == [apps[0].id, apps[1].id])
            #expect(queues[0].retrying == summary.counts.retrying && queues[0].retrying == 900)
            #expect(queues[0].pending == summary.counts.pending + 6_000)
            #expect(queues[1].pending == 100 && queues[1].retrying == 0)
            #expect(queues.allSatisfy { $0.oldest == TemporaryStore.noon })
            let due = TemporaryStore.noon.time.advanced(bySeconds: 60)
            #expect(queues.map(\.nextDue) == [due, nil])
            #expect(try fixture.store.queues.deliveries().values.reduce(0, +) == 2)
        }
    }

    @Test func `a delivery with many parts is counted once, over any number of pages`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            // Parts with one message each. There are more parts than fit on a page.
            var ids: [DeliveryID] = []
            for _ in 1...1_100 {
                let id = try fixture.submit(.userKeys(["user-1"]), apps: [app])
                ids.append(id)
                try fixture.prepare(id)
            }
            let queues = try fixture.store.queues.queues()
            #expect(queues.map(\.pending) == [ids.count])
        }
    }

    private static func retrying(_ message: MessageID) -> MessageRecord {
        MessageRecord(
            message: message,
            change: .retrying(
                due: TemporaryStore.noon.time.advanced(bySeconds: 60), .soft, .unreachable,
                providerReason: "Unreachable"), countsAttempt: true)
    }
}
