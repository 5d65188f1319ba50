import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct HitWriterTests {
    private static let noon = TemporaryStore.noon

    private func hit(
        _ number: Int64, _ kind: HitKind = .received, of delivery: DeliveryID, app: App,
        after seconds: Int64 = 0
    ) -> HitRecord {
        HitRecord(
            delivery: delivery, message: MessageID(rawValue: number), number: number, app: app.id, kind: kind,
            at: Self.noon.later(seconds: seconds)
        )
    }

    private func with(_ story: (TemporaryStore, App, DeliveryID) throws -> Void) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let id = try fixture.finished(apps: [app])
            try story(fixture, app, id)
        }
    }

    private func sums(_ fixture: TemporaryStore, _ id: DeliveryID) throws -> [HitKind: Int] {
        try fixture.store.statistics.hits(of: [id])[id] ?? [:]
    }

    @Test func `the first report of each type counts, and later reports are counted separately`() throws {
        try with { fixture, app, id throws in
            let hits = fixture.store.hits
            #expect(try hits.record([hit(1, of: id, app: app)]) == [.first])
            #expect(try hits.record([hit(1, of: id, app: app, after: 60)]) == [.repeated])
            #expect(try hits.record([hit(1, .clicked, of: id, app: app, after: 120)]) == [.first])
            #expect(try hits.record([hit(1, .clicked, of: id, app: app, after: 180)]) == [.repeated])
            #expect(try sums(fixture, id) == [.received: 1, .clicked: 1])
            let row = "number || ' ' || received_ms || ' ' || receipts || ' ' || clicked_ms || ' ' || clicks"
            let noon = Self.noon.millisecondsSince1970
            #expect(
                try fixture.query("SELECT \(row) FROM hit") == ["1 \(noon) 2 \(noon + 120_000) 2"])
        }
    }

    @Test func `sums of several deliveries contain no other delivery`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let ids = try (1...4).map { _ in try fixture.finished(apps: [app]) }
            for id in ids { _ = try fixture.store.hits.record([hit(1, of: id, app: app)]) }
            let sums = try fixture.store.statistics.hits(of: [ids[3], ids[0], ids[1], ids[0]])
            #expect(sums == [ids[0]: [.received: 1], ids[1]: [.received: 1], ids[3]: [.received: 1]])
            #expect(try fixture.store.statistics.hits(of: []).isEmpty)
        }
    }

    @Test func `a click implies receipt, whichever of the two is reported first`() throws {
        try with { fixture, app, id throws in
            let hits = fixture.store.hits
            #expect(try hits.record([hit(1, .clicked, of: id, app: app)]) == [.first])
            #expect(try sums(fixture, id) == [.received: 1, .clicked: 1])
            // A report about a receipt that the click already implied.
            #expect(try hits.record([hit(1, of: id, app: app, after: 60)]) == [.repeated])
            #expect(try sums(fixture, id) == [.received: 1, .clicked: 1])
        }
    }

    @Test func `writing many reports together has the same result as writing each report alone`() throws {
        var dice = SeededRandom(seed: 15)
        try with { fixture, app, id throws in
            let other = try fixture.finished(apps: [app])
            var told: [String: Int] = [:]
            for _ in 0..<30 {
                let batch = (0..<dice.below(60)).map { _ in
                    hit(
                        Int64(1 + dice.below(20)), dice.one(in: 3) ? .clicked : .received,
                        of: dice.one(in: 2) ? id : other, app: app, after: Int64(dice.below(600)))
                }
                let ends = try fixture.store.hits.record(batch)
                #expect(ends.count == batch.count)
                for (hit, end) in zip(batch, ends) where end == .first {
                    told["\(hit.delivery) \(hit.number) \(hit.kind)", default: 0] += 1
                }
                // Each hit counts as the first one at most once. A receipt that is implied by a click never
                // counts as the first one.
                #expect(told.values.allSatisfy { $0 == 1 })
            }
            for delivery in [id, other] {
                let parts = try #require(try fixture.store.hitReader.parts(of: delivery))
                #expect(try fixture.store.hits.recount(delivery, parts: parts) == 0)
                let rows = try fixture.query(
                    "SELECT CAST(count(*) AS TEXT) || ' ' || count(clicked_ms) FROM hit WHERE delivery_id = \(delivery)"
                )
                let sums = try sums(fixture, delivery)
                #expect(rows == ["\(sums[.received] ?? 0) \(sums[.clicked] ?? 0)"])
            }
        }
    }

    @Test func `repeated reports are counted by app, and a recount finds the same numbers`() throws {
        try with { fixture, app, id throws in
            let hits = fixture.store.hits
            // Message 1: two receipts. Message 2: a click, its receipt, and two more clicks.
            _ = try hits.record([hit(1, of: id, app: app), hit(1, of: id, app: app, after: 60)])
            for kind in [HitKind.clicked, .received, .clicked, .clicked] {
                _ = try hits.record([hit(2, kind, of: id, app: app, after: 120)])
            }
            func repeated() throws -> [HitKind: Int] {
                let figures = try fixture.store.statistics.figures(of: id)
                #expect(figures.hits.allSatisfy { $0.minute > 0 })
                #expect(figures.repeatedHits.allSatisfy { $0.app == app.id })
                return Dictionary(figures.repeatedHits.map { ($0.kind, $0.count) }) { $0 + $1 }
            }
            #expect(try repeated() == [.received: 1, .clicked: 2])
            #expect(try sums(fixture, id) == [.received: 2, .clicked: 1])
            let parts = try #require(try fixture.store.hitReader.parts(of: id))
            #expect(try hits.recount(id, parts: parts) == 0)
            // A store in which an earlier version counted no repeated reports.
            try fixture.alter("DELETE FROM hit_tally WHERE kind > 2")
            #expect(try repeated() == [:])
            #expect(try hits.recount(id, parts: parts) == 2)
            #expect(try repeated() == [.received: 1, .clicked: 2])
        }
    }

    @Test func `a wrong tally is recounted`() throws {
        try with { fixture, app, id throws in
            _ = try fixture.store.hits.record(
                (1...9).map { hit($0, .clicked, of: id, app: app, after: $0 * 30) })
            let before = try fixture.store.statistics.figures(of: id).hits
            try fixture.alter(
                "UPDATE hit_tally SET count = count + 5 WHERE kind = 2; DELETE FROM hit_tally WHERE kind = 1")
            let parts = try #require(try fixture.store.hitReader.parts(of: id))
            #expect(try fixture.store.hits.recount(id, parts: parts) > 0)
            #expect(try fixture.store.statistics.figures(of: id).hits == before)
            #expect(try fixture.store.hits.recount(id, parts: parts) == 0)
        }
    }

    @Test func `hits are removed with their messages, their totals stay, and later reports match no message`()
        throws
    {
        try with { fixture, app, id throws in
            _ = try fixture.store.hits.record((1...9).map { hit($0, of: id, app: app) })
            let later = TemporaryStore.noon(afterDays: 30)
            #expect(try fixture.retainAll(at: later).messages == 20)
            #expect(try fixture.rows("hit") == 0)
            #expect(try sums(fixture, id) == [.received: 9])
            #expect(try fixture.store.hits.record([hit(10, of: id, app: app)]) == [.removed])
            let unknown = DeliveryID(rawValue: 99)
            #expect(try fixture.store.hits.record([hit(1, of: unknown, app: app)]) == [.removed])
            #expect(try fixture.rows("hit") == 0)
            let parts = try #require(try fixture.store.hitReader.parts(of: id))
            #expect(!parts.takesHits)
            #expect(throws: StoreError.self) { try fixture.store.hits.recount(id, parts: parts) }
        }
    }

    @Test func `a request is refused if it has more reports than one transaction can take`() throws {
        try with { fixture, app, id throws in
            let many = Array(repeating: hit(1, of: id, app: app), count: HitWriter.hitsPerCall + 1)
            #expect(throws: StoreError.self) { try fixture.store.hits.record(many) }
            #expect(try fixture.store.hits.record(Array(many.dropLast())).filter { $0 == .first }.count == 1)
        }
    }
}
