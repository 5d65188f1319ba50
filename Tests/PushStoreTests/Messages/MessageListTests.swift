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
                let page = try fixture.store.messageStatus.page(before: next, limit: 2)
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
