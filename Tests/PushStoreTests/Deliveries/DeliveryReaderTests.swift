import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryReaderTests {
    @Test func `deliveries are listed newest first, page by page`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let ids = try (1...5).map { _ in try fixture.submit(apps: [app]) }
            #expect(try fixture.store.deliveries.list(limit: 2).map(\.id) == [ids[4], ids[3]])
            #expect(
                try fixture.store.deliveries.list(before: ids[3], limit: 9).map(\.id) == [
                    ids[2], ids[1], ids[0],
                ])
            #expect(try fixture.store.deliveries.summary(of: DeliveryID(rawValue: 99)) == nil)
            #expect(try fixture.store.deliveries.delivery(DeliveryID(rawValue: 99)) == nil)
        }
    }

    @Test func `deliveries that have not ended are found, however old they are`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let ids = try (1...6).map { _ in try fixture.submit(apps: [app]) }
            try fixture.alter("UPDATE delivery SET start_at = 2000000000 WHERE id = \(ids[0])")
            try fixture.alter("UPDATE delivery SET start_at = 1900000000 WHERE id = \(ids[1])")
            try fixture.alter("UPDATE delivery SET start_at = NULL WHERE id = \(ids[2])")
            try fixture.alter(
                "UPDATE delivery SET state = 'inProgress', started_ms = 1 WHERE id = \(ids[3])")
            try fixture.alter(
                """
                UPDATE delivery SET state = 'finished', started_ms = 1, finished_ms = 2 \
                WHERE id IN (\(ids[4]), \(ids[5]))
                """)
            let live = try fixture.store.deliveries.live(limit: 2)
            #expect(live.running.map(\.id) == [ids[3]] && live.runningCount == 1)
            #expect(live.scheduled.map(\.id) == [ids[1], ids[0]] && live.scheduledCount == 3)
            #expect(
                live.starts == [
                    ids[1]: WallTime(secondsSince1970: 1_900_000_000),
                    ids[0]: WallTime(secondsSince1970: 2_000_000_000),
                ])
            #expect(try fixture.store.deliveries.live(limit: 9).scheduled.map(\.id).last == ids[2])
        }
    }

    @Test
    func `a list contains the deliveries that match its filter, and examines a limited number of deliveries`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let ids = try (1...6).map { _ in try fixture.submit(apps: [app]) }
            for (place, id) in ids.enumerated() {
                let created = TemporaryStore.noon.millisecondsSince1970 + Int64(place) * 86_400_000
                try fixture.alter(
                    "UPDATE delivery SET created_ms = \(created), label = 'é%\(place)' WHERE id = \(id)")
            }
            try fixture.alter("UPDATE delivery SET service_id = 99 WHERE id = \(ids[0])")
            try fixture.alter("UPDATE delivery SET state = 'paused' WHERE id IN (\(ids[1]), \(ids[2]))")
            try fixture.alter("UPDATE delivery SET stop_ms = 1 WHERE id = \(ids[2])")
            func found(_ filter: DeliveryFilter) throws -> [Int] {
                let page = try fixture.store.deliveries.page(limit: 10, only: filter)
                #expect(page.next == nil)
                return page.deliveries.compactMap { ids.firstIndex(of: $0.id) }
            }
            func day(_ day: Int64) -> WallTime { TemporaryStore.noon.time.advanced(bySeconds: day * 86_400) }
            #expect(try found(DeliveryFilter()) == [5, 4, 3, 2, 1, 0])
            #expect(try found(DeliveryFilter(service: app.service)) == [5, 4, 3, 2, 1])
            #expect(try found(DeliveryFilter(service: ServiceID(rawValue: 99))) == [0])
            #expect(try found(DeliveryFilter(state: .paused)) == [1])
            #expect(try found(DeliveryFilter(state: .stopping)) == [2])
            #expect(try found(DeliveryFilter(state: .startPending)) == [5, 4, 3, 0])
            #expect(try found(DeliveryFilter(label: "é%4")) == [4])
            #expect(try found(DeliveryFilter(label: "é")) == [5, 4, 3, 2, 1, 0])
            #expect(try found(DeliveryFilter(label: "%4")).isEmpty)
            #expect(try found(DeliveryFilter(since: day(4))) == [5, 4])
            #expect(try found(DeliveryFilter(until: day(2))) == [1, 0])
            #expect(try found(DeliveryFilter(state: .paused, since: day(1), until: day(3))) == [1])
            #expect(try found(DeliveryFilter(until: WallTime(secondsSince1970: 0))).isEmpty)
            #expect(try found(DeliveryFilter(since: WallTime(secondsSince1970: .max))).isEmpty)
            let first = try fixture.store.deliveries.page(limit: 1, only: DeliveryFilter(label: "é"))
            #expect(first.deliveries.map(\.id) == [ids[5]] && first.next == ids[5])
        }
    }

    @Test func `a filter that matches an old delivery finds it within a few pages`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let old = try fixture.submit(apps: [app])
            try fixture.alter("UPDATE delivery SET label = 'old' WHERE id = \(old)")
            let columns = """
                label, service_id, apps, target, validity, expires_at, priority, rate, tracking, created_ms, state, \
                retention_days
                """
            let created = TemporaryStore.noon.millisecondsSince1970
            let numbers =
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) SELECT"
            try fixture.alter(
                """
                INSERT INTO delivery (id, \(columns)) \(numbers) i + 100, 'new', service_id, apps, target, validity, \
                expires_at, priority, rate, tracking, \(created) + i * CAST(1000000 AS BIGINT), 'failed', retention_days \
                FROM n, delivery WHERE id = \(old)
                """)
            var pages = 0
            var (found, next): ([DeliverySummary], DeliveryID?) = ([], nil)
            repeat {
                (found, next) = try fixture.store.deliveries.page(
                    before: next, limit: 10, only: DeliveryFilter(label: "old"))
                pages += 1
            } while found.isEmpty && next != nil
            #expect(found.map(\.id) == [old] && next == nil && pages == 3)
            // A time condition needs no search.
            let early = DeliveryFilter(until: TemporaryStore.noon.time.advanced(bySeconds: 1_500))
            let page = try fixture.store.deliveries.page(limit: 10, only: early)
            #expect(page.deliveries.map(\.id.rawValue) == [101, old.rawValue] && page.next == nil)
            let late = DeliveryFilter(since: TemporaryStore.noon.time.advanced(bySeconds: 24_000_000))
            let latest = try fixture.store.deliveries.page(limit: 5_000, only: late)
            #expect(latest.deliveries.count == 1_001 && latest.next == nil)
            // Otherwise each of them would be counted again at the end of the test.
            try fixture.alter("DELETE FROM delivery WHERE id > 100")
        }
    }

    @Test func `the log for a user with thousands of devices has the same messages as the whole log`() throws
    {
        try TemporaryStore.with { fixture in
            let (app, count) = (try fixture.app(), 12_000)
            for start in stride(from: 1, through: count, by: 4_000) {
                let records = (start...min(start + 3_999, count)).map {
                    SubscriberRecord(
                        token: TemporaryStore.token($0), userKey: $0 % 2 == 0 ? "guest" : "",
                        parametersJSON: nil)
                }
                _ = try fixture.store.subscriberImporter.upsert(
                    records, into: app.id, at: TemporaryStore.noon)
            }
            let id = try fixture.submit(apps: [app])
            try fixture.prepare(id)
            let guest = try fixture.store.deliveries.log(of: id, toUser: "guest")
            #expect(
                guest == (try fixture.log(id)).filter { $0.userKey == "guest" } && guest.count == count / 2)
        }
    }

    @Test func `the rate is the number of ended messages divided by the elapsed time`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...100, to: app)
            let id = try fixture.submit(apps: [app])
            #expect(
                try fixture.store.deliveries.summary(of: id)?.messagesPerSecond(at: TemporaryStore.noon)
                    == nil)
            let parts = try fixture.prepare(id)
            let half = WallMoment(millisecondsSince1970: TemporaryStore.noon.millisecondsSince1970 + 500)
            try fixture.accept(Array(parts[0].ids.prefix(50)), of: id, at: half)
            #expect(try fixture.store.deliveries.summary(of: id)?.messagesPerSecond(at: half) == 100)
            let end = WallMoment(
                millisecondsSince1970: TemporaryStore.noon.millisecondsSince1970 + 250 + 1_000)
            try fixture.accept(Array(parts[0].ids.suffix(50)), of: id, at: end)
            let summary = try #require(try fixture.store.deliveries.summary(of: id))
            #expect(summary.finished == end && summary.messagesPerSecond(at: end.later(seconds: 99)) == 80)
        }
    }

    @Test func `the log has one row for each message, in order and with all known facts`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try fixture.subscribe(1...30, to: one)
            try fixture.subscribe(5...24, to: two)
            let id = try fixture.submit(apps: [one, two])
            let parts = try fixture.prepare(id)
            var batch = OutcomeBatch(delivery: id)
            batch.accepted = [parts[0].ids[0]]
            batch.others = [
                MessageRecord(
                    message: parts[0].ids[1], change: .sent(providerID: "p-1"), countsAttempt: true),
                MessageRecord(
                    message: parts[0].ids[2],
                    change: .failed(.hard, .userUnknown, providerReason: "Unregistered"),
                    countsAttempt: true),
                MessageRecord(
                    message: parts[0].ids[3], change: .excluded(.refused, why: "payload too long"),
                    countsAttempt: false),
            ]
            _ = try fixture.store.outcomes.record([batch], at: TemporaryStore.noon.later(seconds: 5))
            var entries: [MessageLogEntry] = []
            while true {
                let page = try fixture.store.deliveries.log(of: id, after: entries.last?.message, limit: 7)
                if page.isEmpty { break }
                entries += page
            }
            #expect(entries.map(\.ordinal) == Array(1...50))
            #expect(
                entries.map(\.appName) == Array(repeating: "one", count: 30)
                    + Array(repeating: "two", count: 20))
            #expect(Set(entries.prefix(30).map(\.token)) == Set((1...30).map(TemporaryStore.token)))
            #expect(entries.prefix(5).map(\.state) == [.sent, .sent, .failed, .excluded, .pending])
            #expect(entries.prefix(5).map(\.attempts) == [1, 1, 1, 0, 0])
            #expect(entries[1].providerID == "p-1")
            #expect(
                entries[2].failureType == .hard && entries[2].failureReason == .userUnknown
                    && entries[2].providerReason == "Unregistered")
            #expect(entries[2].updatedAt == TemporaryStore.noon.later(seconds: 5).time)
            #expect(
                entries[3].failureType == nil && entries[3].failureReason == .refused
                    && entries[3].providerReason == "payload too long")
            #expect(
                entries.allSatisfy { entry in
                    (1...30).contains {
                        entry.userKey == "user-\($0)" && entry.token == TemporaryStore.token($0)
                    }
                })
        }
    }
}
