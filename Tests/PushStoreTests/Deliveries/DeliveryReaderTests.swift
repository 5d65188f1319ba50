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

    @Test func `messages to a user with thousands of devices are those of the whole log`() throws {
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

    @Test func `the rate is what ended by the time it took`() throws {
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

    @Test func `the log has a row for each message, in order, with what is known of it`() throws {
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
