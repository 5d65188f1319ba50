import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct QueueReaderTests {
    private let noon = TemporaryStore.noon

    @Test func `what waits is counted by app, and what was tried beside what was not`() throws {
        try TemporaryStore.with { fixture in
            let (first, second) = (try fixture.app(), try fixture.app("other"))
            #expect(try fixture.store.queues.queues().isEmpty)
            try fixture.subscribe(1...10, to: first)
            try fixture.subscribe(1...3, to: second)
            let id = try fixture.submit(apps: [first, second])
            #expect(try fixture.store.queues.deliveries() == [.startPending: 1])
            let parts = try fixture.prepare(id)
            let part = try #require(parts.first { $0.app == first.id })
            let due = noon.later(seconds: 60).time
            var batch = OutcomeBatch(delivery: id)
            batch.accepted = [part.ids[0]]
            batch.others = part.ids[1...2].map {
                MessageRecord(
                    message: $0,
                    change: .retrying(due: due, .soft, .unreachable, providerReason: "time out"),
                    countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            let queues = try fixture.store.queues.queues()
            #expect(queues.map(\.app) == [first.id, second.id])
            #expect(queues.map(\.pending) == [7, 3] && queues.map(\.retrying) == [2, 0])
            #expect(queues.map(\.nextDue) == [due, nil])
            #expect(queues.allSatisfy { $0.oldest == noon })
            #expect(try fixture.store.queues.deliveries() == [.inProgress: 1])
        }
    }

    @Test func `what has ended is not counted`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            try fixture.accept(part.ids, of: id)
            #expect(try fixture.store.queues.queues().isEmpty)
            #expect(try fixture.store.queues.deliveries().isEmpty)
        }
    }
}
