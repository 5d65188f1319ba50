import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct MessageListTests {
    @Test func `single messages are listed page by page, newest first, without messages from deliveries`()
        throws
    {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            for app in apps { try fixture.subscribe(1...6, to: app) }
            // Three messages in one part, then a delivery, then two more messages.
            var sent = try fixture.accept(
                (1...3).map { try fixture.message(to: .userKey("user-\($0)"), of: apps[0]) })
            try fixture.prepare(try fixture.submit(apps: [apps[0]]))
            sent += try fixture.accept([try fixture.message(to: .userKey("user-1"), of: apps[1], alert: "A")])
            sent += try fixture.accept([try fixture.message(to: .userKey("user-2"), of: apps[0], alert: "B")])
            let numbers = sent.map(\.devices[0].message)
            try fixture.accept([numbers[1]], of: sent[1].delivery)

            func found(_ filter: MessageFilter = MessageFilter()) throws -> [MessageID] {
                var filter = filter
                filter.isSingle = true
                let page = try fixture.store.messageStatus.page(limit: 100, only: filter)
                #expect(page.next == nil)
                return page.messages.map(\.entry.message)
            }
            #expect(try found() == numbers.reversed())
            #expect(try found(MessageFilter(app: apps[1].id)) == [numbers[3]])
            #expect(try found(MessageFilter(state: .sent)) == [numbers[1]])
            #expect(
                try found(MessageFilter(app: apps[0].id, state: .pending)) == [4, 2, 0].map { numbers[$0] })
            let users = try [apps[0], apps[1]].flatMap {
                try fixture.store.subscriberFinder.find(userKey: "user-1", in: $0.id, after: nil)
            }
            #expect(
                try found(MessageFilter(devices: Set(users.map(\.subscription)))) == [numbers[3], numbers[0]])
            #expect(try found(MessageFilter(devices: [])).isEmpty)

            var paged: [MessageID] = []
            var next: MessageID?
            repeat {
                let page = try fixture.store.messageStatus.page(
                    before: next, limit: 2, only: MessageFilter(isSingle: true))
                #expect(page.messages.count <= 2)
                paged += page.messages.map(\.entry.message)
                next = page.next
            } while next != nil
            #expect(paged == numbers.reversed())
            let one = try #require(try fixture.store.messageStatus.page(limit: 1).messages.first)
            #expect(one.delivery == sent[4].delivery && one.entry.userKey == "user-2" && one.start == nil)
            for cursor in [-1, 0, 1, Int64.max] {
                _ = try fixture.store.messageStatus.page(before: MessageID(rawValue: cursor), limit: 10)
            }
        }
    }

    @Test func `messages of deliveries are listed together with single messages, and with the reports`()
        throws
    {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            for app in apps { try fixture.subscribe(1...30, to: app) }
            let first = try fixture.submit(apps: apps)
            try fixture.prepare(first)
            let single = try fixture.accept([try fixture.message(to: .userKey("user-7"), of: apps[0])])
            let second = try fixture.submit(.userKeys(["user-7", "user-8"]), apps: apps)
            try fixture.prepare(second)
            func devices(_ user: String, in apps: [App]) throws -> Set<SubscriptionID> {
                let found = try apps.flatMap {
                    try fixture.store.subscriberFinder.find(userKey: user, in: $0.id)
                }
                return Set(found.map(\.subscription))
            }
            func list(_ filter: MessageFilter, limit: Int = 100) throws -> [MessageStatusReader.MessageStatus]
            {
                var (all, next): ([MessageStatusReader.MessageStatus], MessageID?) = ([], nil)
                repeat {
                    let page = try fixture.store.messageStatus.page(before: next, limit: limit, only: filter)
                    all += page.messages
                    next = page.next
                } while next != nil
                return all
            }
            let ofBoth = MessageFilter(devices: try devices("user-7", in: apps))
            let all = try list(ofBoth)
            #expect(all.map(\.delivery) == [second, second, single[0].delivery, first, first])
            #expect(all.allSatisfy { $0.entry.userKey == "user-7" && $0.entry.hits == nil && $0.isTracked })
            #expect(all.first?.label == "Spring sale")
            for limit in 1...4 { #expect(try list(ofBoth, limit: limit) == all, "\(limit)") }
            var ofOne = MessageFilter(app: apps[1].id, devices: try devices("user-7", in: apps))
            #expect(try list(ofOne).map(\.delivery) == [second, first])
            ofOne = MessageFilter(devices: try devices("user-8", in: [apps[0]]))
            #expect(try list(ofOne).map(\.delivery) == [second, first])
            #expect(try list(MessageFilter()).count == 65)
            #expect(try list(MessageFilter(app: apps[0].id), limit: 7).count == 33)

            let message = try #require(all.last)
            try fixture.accept([message.entry.message], of: first)
            let hits = [HitKind.clicked, .received, .clicked].enumerated().map { place, kind in
                HitRecord(
                    delivery: first, message: message.entry.message, number: message.entry.ordinal,
                    app: message.entry.app, kind: kind, at: TemporaryStore.noon.later(seconds: Int64(place)))
            }
            _ = try fixture.store.hits.record(hits)
            let sent = try list(MessageFilter(state: .sent, devices: ofBoth.devices))
            let noon = TemporaryStore.noon
            #expect(
                sent.map(\.entry.hits) == [
                    MessageHits(received: noon, receipts: 1, clicked: noon, clicks: 2)
                ])
            #expect(
                try fixture.store.messageStatus.status(of: message.entry.message, in: first) == sent.first)
            let log = try fixture.log(first).filter { $0.hits != nil }
            #expect(log == sent.map(\.entry))
        }
    }

    @Test func `a message whose delivery loses its messages is no longer listed`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            _ = try fixture.finished(apps: [app])
            #expect(try fixture.store.messageStatus.page(limit: 100).messages.count == 20)
            try fixture.alter("UPDATE delivery SET removed_ms = 1")
            #expect(try fixture.store.messageStatus.page(limit: 100).messages.isEmpty)
            try fixture.alter("UPDATE delivery SET removed_ms = NULL")
        }
    }

    @Test func `a message is found by the id that the gateway gave to it`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let first = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(first)
            let second = try fixture.submit(apps: [app])
            try fixture.prepare(second)
            let message = try #require(parts.first?.ids[4])
            var batch = OutcomeBatch(delivery: first)
            batch.others = [
                MessageRecord(message: message, change: .sent(providerID: "0:15%31bd"), countsAttempt: true)
            ]
            _ = try fixture.store.outcomes.record([batch], at: TemporaryStore.noon)
            let reader = fixture.store.messageStatus
            for delivery in [nil, first] {
                let found = try #require(try reader.message(providerID: "0:15%31bd", in: delivery))
                #expect(found.message == message && found.delivery == first)
            }
            #expect(try reader.message(providerID: "0:15%31bd", in: second) == nil)
            #expect(try reader.message(providerID: "0:16%31bd", in: nil) == nil)
            #expect(try reader.message(providerID: "", in: DeliveryID(rawValue: 99)) == nil)
        }
    }

    @Test func `a page examines a limited number of parts`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let sent = try fixture.accept([try fixture.message(to: .userKey("user-1"), of: app)])
            let part = try #require(try fixture.openParts().first)
            for table in ["part", "part_progress"] {
                let (number, columns) =
                    table == "part"
                    ? ("id", "delivery_id, app_id, first_number, count, members")
                    : (
                        "part_id",
                        "delivery_id, app_id, states, waiting, next_due, is_open, has_pending, deadline, generation, revision"
                    )
                // Parts of a large, unknown delivery.
                try fixture.alter(
                    """
                    INSERT INTO \(table) (\(number), \(columns)) WITH RECURSIVE n (i) AS \
                    (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) \
                    SELECT \(number) + i, \(columns.replacing("delivery_id", with: "delivery_id + 1000")) \
                    FROM n, \(table) WHERE \(number) = \(part.id)
                    """)
            }
            var pages = 0
            var page = try fixture.store.messageStatus.page(limit: 10)
            while page.messages.isEmpty, let next = page.next {
                page = try fixture.store.messageStatus.page(before: next, limit: 10)
                pages += 1
            }
            #expect(page.messages.map(\.entry.message) == [sent[0].devices[0].message] && pages == 2)
            #expect(page.next == nil)
            try fixture.alter("DELETE FROM part_progress WHERE delivery_id > 1000")
            try fixture.alter("DELETE FROM part WHERE delivery_id > 1000")
        }
    }
}
