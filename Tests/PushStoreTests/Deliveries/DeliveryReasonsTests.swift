import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryReasonsTests {
    @Test func `reasons are counted over all parts, and the earliest retry is the next one`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...12_000, to: app)
            let id = try fixture.submit(apps: [app])
            #expect(try fixture.store.deliveries.reasons(of: id) == DeliveryReasons())
            let ids = try fixture.prepare(id).flatMap(\.ids)
            func record(_ messages: ArraySlice<MessageID>, _ change: MessageRecord.Change) throws {
                var batch = OutcomeBatch(delivery: id)
                batch.others = messages.map {
                    MessageRecord(message: $0, change: change, countsAttempt: true)
                }
                _ = try fixture.store.outcomes.record([batch], at: TemporaryStore.noon)
            }
            let noon = TemporaryStore.noon.time
            try record(ids[..<2], .failed(.soft, .refused, providerReason: "B"))
            try record(ids[11_990...11_992], .failed(.soft, .refused, providerReason: "A"))
            try record(ids[6_000..<6_001], .excluded(.refused, why: "too long"))
            for (place, seconds) in [(3, 60), (11_000, 30)] {
                try record(
                    ids[place...place],
                    .retrying(
                        due: noon.advanced(bySeconds: Int64(seconds)), .soft, .refused,
                        providerReason: "later"))
            }
            try fixture.accept(Array(ids[100..<200]), of: id)
            let reasons = try fixture.store.deliveries.reasons(of: id)
            #expect(reasons.counts.map(\.text) == ["A", "B", "too long"])
            #expect(reasons.counts.map(\.count) == [3, 2, 1])
            #expect(reasons.counts.map(\.state) == [.failed, .failed, .excluded])
            #expect(reasons.nextRetry == noon.advanced(bySeconds: 30))
        }
    }
}
