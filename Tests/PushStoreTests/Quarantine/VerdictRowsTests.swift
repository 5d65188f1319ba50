import PushModel
import PushStore
import Testing

/// Tests how verdicts share rows and are removed from rows one by one.
@Suite struct VerdictRowsTests {
    private let noon = TemporaryStore.noon
    private let mark = TemporaryStore.mark

    /// Returns the number of verdicts in each row.
    private func rows(_ fixture: TemporaryStore) throws -> [String] {
        try query(fixture.path, "SELECT count || '' FROM held_verdict ORDER BY id")
    }

    @Test func `verdicts in one call share a row if account, delivery, severity and reason are equal`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let (first, second) = (try fixture.deliver(to: app), try fixture.deliver(to: app))
            func bad(
                _ numbers: [Int], _ messages: [Int: MessageID], _ gravity: TokenVerdict.Gravity = .dead,
                _ reason: String = "Unregistered", account: AccountKey = mark
            ) throws -> [MessageRecord] {
                try numbers.map {
                    TemporaryStore.bad(
                        try #require(messages[$0]), gravity, deadSince: $0 % 2 == 0 ? noon : nil,
                        reason: reason,
                        account: account)
                }
            }
            var batches = [OutcomeBatch(delivery: first.id), OutcomeBatch(delivery: second.id)]
            batches[0].others =
                try bad([9, 3, 1], first.messages) + bad([2, 4], first.messages, .suspect)
                + bad([10], first.messages, .dead, "Other") + bad([5, 6], first.messages)
                + bad([7], first.messages, account: AccountKey(rawValue: "other"))
            batches[1].others = try bad([3, 2], second.messages)
            let result = try fixture.store.outcomes.record(batches, at: noon)
            #expect(result.trust.map(\.waiting) == [10, 1])
            #expect(try rows(fixture) == ["5", "2", "1", "1", "2"])
            let step = try fixture.settle()
            // Message 3 is reported twice. Message 2 is first suspect and later dead.
            #expect(step.quarantined == 7 && step.counted == 2 && step.ignored == 1)
            #expect(try fixture.quarantine(of: app)[4] == .counting)
            let entry = try #require(
                try fixture.store.quarantine.list(app: app.id).entries.first { $0.userKey == "user-10" })
            #expect(entry.reason == "Other" && entry.delivery == first.id)
            #expect(try fixture.settle(AccountKey(rawValue: "other")).quarantined == 1)
        }
    }

    @Test func `a row contains at most hundreds of verdicts, for one app and close together`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...9_000, to: app)
            let id = try fixture.deliver(to: app).id
            // The messages, in the order of their subscriptions.
            let messages = try fixture.log(id).map(\.message)
            let near = Array(1...2_390)
            let far = stride(from: 4_000, through: 9_000, by: 100)
            try fixture.record((near + far).reversed().map { TemporaryStore.bad(messages[$0 - 1]) }, of: id)
            #expect(
                try rows(fixture) == Array(repeating: "500", count: 4) + ["390"]
                    + Array(repeating: "5", count: 10) + ["1"])
            // Two apps answer with the same mark.
            let other = try fixture.app("other")
            try fixture.subscribe(1...3, to: other)
            let both = try fixture.submit(apps: [app, other])
            try fixture.prepare(both)
            let bad = try fixture.log(both).suffix(3 + 2).map { TemporaryStore.bad($0.message) }
            try fixture.record(bad, of: both)
            #expect(try rows(fixture).suffix(2) == ["2", "3"])
            #expect(try fixture.store.outcomes.record([], at: noon).trust == [])
            try fixture.storm()
            #expect(try fixture.store.trust.storms().map(\.held) == [2_446])
            #expect(try fixture.store.trust.storms().map(\.apps) == [[app.id, other.id]])
            #expect(try fixture.store.trust.trusts(with: both).map(\.mark) == [mark])
        }
    }

    @Test
    func `a registration, release, removal, new token and acceptance each remove a verdict from its row`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...12, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let next = try fixture.deliver(to: app)
            func token(_ number: Int) -> SubscriberRecord {
                SubscriberRecord(
                    token: TemporaryStore.token(number), userKey: "user-\(number)", parametersJSON: nil)
            }
            func waits(_ count: Int, in expected: [String]) throws {
                #expect(try rows(fixture) == expected)
                #expect(try fixture.store.trust.trust(of: mark)?.waiting == count)
                try fixture.checkVerdicts()
            }
            let records = try (1...10).map {
                TemporaryStore.bad(try #require(messages[$0]), deadSince: noon.later(seconds: Int64($0)))
            }
            try fixture.record(Array(records.prefix(7)), of: id)
            try fixture.record(Array(records.dropFirst(7)), of: id)
            try waits(10, in: ["7", "3"])
            _ = try fixture.store.subscriberImporter.upsert([token(1), token(4)], into: app.id, at: noon)
            try waits(8, in: ["5", "3"])
            _ = try fixture.store.quarantineWriter.release(app.id, tokens: [TemporaryStore.token(7)])
            try waits(7, in: ["4", "3"])
            let listed = try fixture.store.subscriberFinder.find(userKey: "user-2", in: app.id)
            #expect(try fixture.store.subscriberRemover.remove(listed.map(\.subscription), at: noon) == 1)
            try waits(6, in: ["3", "3"])
            _ = try fixture.store.tokens.rename(
                subscriberOf: try #require(messages[3]), to: TemporaryStore.token(77), at: noon)
            try waits(5, in: ["2", "3"])
            try fixture.accept([5, 8, 12].map { try #require(next.messages[$0]) }, of: next.id)
            try waits(3, in: ["1", "2"])
            try fixture.accept([6].map { try #require(next.messages[$0]) }, of: next.id)
            try waits(2, in: ["2"])
            #expect(try fixture.settle(at: noon.later(seconds: 60)).quarantined == 2)
            #expect(try fixture.quarantine(of: app) == [9: .quarantined, 10: .quarantined])
        }
    }

    @Test func `mass acceptances remove only their own verdicts, even from a very large number of rows`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1_200, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            // Each verdict has its own row. There are more rows than acceptances search before they look up
            // their own rows.
            for number in 1...300 {
                try fixture.record([TemporaryStore.bad(try #require(messages[number]))], of: id)
            }
            try fixture.record((301...1_200).map { TemporaryStore.bad(try #require(messages[$0])) }, of: id)
            let next = try fixture.deliver(to: app)
            try fixture.accept([2, 150, 299, 700].map { try #require(next.messages[$0]) }, of: next.id)
            #expect(try fixture.store.trust.trust(of: mark)?.waiting == 1_196)
            try fixture.accept((1...1_100).map { try #require(next.messages[$0]) }, of: next.id)
            #expect(try fixture.store.trust.trust(of: mark)?.waiting == 100)
            #expect(try fixture.settle().quarantined == 100)
        }
    }

    @Test func `deleting an app also deletes the rows of its verdicts, including damaged rows`() throws {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            for app in apps {
                try fixture.subscribe(1...30, to: app)
                let (id, messages) = try fixture.deliver(to: app)
                for numbers in [1...10, 11...20] {
                    try fixture.record(numbers.map { TemporaryStore.bad(try #require(messages[$0])) }, of: id)
                }
                try fixture.accept(try (21...30).map { try #require(messages[$0]) }, of: id)
            }
            try alter(fixture.path, "UPDATE held_verdict SET subscriptions = x'00' WHERE id = 1")
            try fixture.writer.deleteApp(apps[0].id, at: noon)
            #expect(try rows(fixture) == ["10", "10"])
            #expect(try fixture.store.trust.trust(of: mark)?.waiting == 20)
        }
    }

    @Test(arguments: [
        "subscriptions = x''", "subscriptions = x'00'",
        "subscriptions = cast(subscriptions || x'00' AS BLOB)",
        "subscriptions = x'05FFFFFFFFFFFFFFFFFF'", "count = 4", "count = -1", "count = 0", "count = 1001",
        "count = 9223372036854775807", "first_subscription = -1",
        "first_subscription = first_subscription - 1",
        "last_subscription = 9223372036854775807", "last_subscription = 0", "gravity = 77", "gravity = -1",
        "dead_since = x''", "dead_since = x'0000000000'", "dead_since = x'00'",
        "dead_since = x'FFFFFFFFFFFFFFFFFFFF'",
    ])
    func `a damaged row is logged and discarded when its account is judged, and affects no other row`(
        damage: String
    ) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            for numbers in [1...3, 4...8, 9...12] {
                try fixture.record(
                    numbers.map { TemporaryStore.bad(try #require(messages[$0]), deadSince: noon) },
                    accepted: 90, of: id)
            }
            try alter(fixture.path, "UPDATE held_verdict SET \(damage) WHERE id = 2")
            // Work that concerns the app's subscribers continues, and so does work that concerns other
            // subscribers.
            let next = try fixture.deliver(to: app)
            try fixture.accept([1, 5].map { try #require(next.messages[$0]) }, of: next.id)
            _ = try fixture.store.subscriberImporter.upsert(
                [2, 6].map {
                    SubscriberRecord(
                        token: TemporaryStore.token($0), userKey: "user-\($0)", parametersJSON: nil)
                }, into: app.id, at: noon)
            _ = try fixture.store.quarantineWriter.release(
                app.id, tokens: [TemporaryStore.token(7), TemporaryStore.token(9)])
            try fixture.believe()
            let step = try fixture.settleCleared(at: noon.later(seconds: 9))
            #expect(step.damaged.count == 1)
            let line = try #require(step.damaged.first)
            #expect(line.hasPrefix("held verdicts 2 of delivery \(id): a damaged row ("), "\(line)")
            #expect(step.quarantined == 4 && step.discarded > 0)
            #expect(try fixture.quarantine(of: app).keys.sorted() == [3, 10, 11, 12])
            #expect(try fixture.store.trust.trust(of: mark)?.waiting == 0)
            #expect(try rows(fixture) == [])
        }
    }
}
