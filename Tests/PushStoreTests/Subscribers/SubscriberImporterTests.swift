import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct SubscriberImporterTests {
    @Test func `rows are matched by token, and are inserted, updated or left unchanged`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            func imports(_ records: [SubscriberRecord]) throws -> ImportCounts {
                try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
            }
            let first = [record(1, "anna"), record(2, "bert"), record(3, "cleo")]
            #expect(try imports(first) == counts(inserted: 3))
            #expect(try imports(first) == counts(unchanged: 3))
            #expect(
                try imports([record(1, "anna"), record(2, "robert"), record(4, "dora")])
                    == counts(inserted: 1, updated: 1, unchanged: 1))
            #expect(
                try exported(fixture, app)
                    == Set(
                        [record(1, "anna"), record(2, "robert"), record(3, "cleo"), record(4, "dora")].map(
                            Line.init))
            )
        }
    }

    @Test func `a list that does not count as a registration is compared with the existing subscribers`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            func imports(_ records: [SubscriberRecord]) throws -> ImportCounts {
                try fixture.store.subscriberImporter.upsert(
                    records, into: app.id, at: TemporaryStore.noon, registers: false)
            }
            #expect(try imports([record(1, "anna"), record(2, "bert")]) == counts(inserted: 2))
            #expect(try imports([record(1, "anna"), record(2, "bert")]) == counts(unchanged: 2))
            #expect(
                try imports([record(1, "anna"), record(2, "robert")]) == counts(updated: 1, unchanged: 1))
        }
    }

    @Test func `if two rows have the same token, the later row wins`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let given = [record(1, "old"), record(2, "two"), record(1, "newer"), record(1, "newest")]
            #expect(
                try fixture.store.subscriberImporter.upsert(given, into: app.id, at: TemporaryStore.noon)
                    == counts(inserted: 2, repeated: 2))
            #expect(
                try exported(fixture, app) == Set([record(1, "newest"), record(2, "two")].map(Line.init)))
        }
    }

    @Test func `parameters in the row are replaced, and omitted parameters are kept`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            func imports(_ parameters: String?) throws -> ImportCounts {
                try fixture.store.subscriberImporter.upsert(
                    [SubscriberRecord(token: "aa", userKey: "u", parametersJSON: parameters)], into: app.id,
                    at: TemporaryStore.noon)
            }
            #expect(try imports(#"{"city":"Paris"}"#) == counts(inserted: 1))
            #expect(try imports(nil) == counts(unchanged: 1))
            #expect(try imports(#"{"city":"Rome"}"#) == counts(updated: 1))
            #expect(
                try fixture.store.subscribers.page(of: app.id).records.map(\.parametersJSON) == [
                    #"{"city":"Rome"}"#
                ])
        }
    }

    /// Tests hexadecimal tokens that could be mistaken for other tokens, and texts that could be mistaken for
    /// hexadecimal.
    @Test func `every token is read back exactly as written`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let tokens = [
                "", "a", "ab", "AB", "aB", "abc", "0", "00", "0000", "g0", "zz", "d8:Xk_-fcm", "é", "ab ",
                String(repeating: "f", count: 512), String(repeating: "f", count: 513),
                String(repeating: "f", count: 514),
                String(repeating: "x", count: 4_000), TemporaryStore.token(1),
                TemporaryStore.token(1).uppercased(),
            ]
            let records = tokens.map {
                SubscriberRecord(token: $0, userKey: "key of \($0)", parametersJSON: nil)
            }
            #expect(
                try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
                    == counts(inserted: tokens.count))
            #expect(
                try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
                    == counts(unchanged: tokens.count))
            #expect(try exported(fixture, app) == Set(records.map(Line.init)))
            // The master's reader returns the same tokens.
            let delivery = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(delivery).first)
            var read = Set<String>()
            try fixture.store.messageReader().pending(in: part, range: part.messages) { _, token, _, _ in
                read.insert(String(decoding: token.indices.map { token[$0] }, as: UTF8.self))
            }
            #expect(read == Set(tokens))
        }
    }

    @Test func `a token whose text equals the bytes of another token is a different token`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            // The bytes 7a7a spell zz.
            let tokens = ["zz", "7a7a", "zz", "7a7a", "zz", "7a"]
            let records = tokens.enumerated().map {
                SubscriberRecord(token: $1, userKey: "user-\($0)", parametersJSON: nil)
            }
            #expect(
                try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
                    == counts(inserted: 3, repeated: 3))
            #expect(try exported(fixture, app) == Set(records[3...].map(Line.init)))
        }
    }

    @Test func `apps do not share subscribers`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            #expect(try fixture.subscribe(1...10, to: one) == counts(inserted: 10))
            #expect(try fixture.subscribe(1...10, to: two) == counts(inserted: 10))
            #expect(try fixture.store.subscribers.count(of: one.id) == 10)
        }
    }

    @Test func `a large import takes short transactions with pauses between them`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            var pauses = 0
            let records = (1...30_000).map { record($0, "user-\($0 % 7_000)") }
            let result = try fixture.store.subscriberImporter.upsert(
                records, into: app.id, at: TemporaryStore.noon
            ) { _ in
                pauses += 1
            }
            #expect(result == counts(inserted: 30_000))
            #expect(pauses >= 12)
            #expect(try fixture.store.subscribers.count(of: app.id) == 30_000)
            let moved = (1...30_000).map { record($0, "moved-\($0)") }
            #expect(
                try fixture.store.subscriberImporter.upsert(moved, into: app.id, at: TemporaryStore.noon)
                    == counts(updated: 30_000))
        }
    }

    @Test func `a cancelled import writes nothing, or finishes if it has begun to write`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let rows = SubscriberRows(
                (1...9_000).map { record($0, "user-\($0)") } + [record(1, "user-1")])
            var told: [Int] = []
            func upsert(asking looks: Int) throws -> ImportCounts? {
                var asked = 0
                told = []
                return try fixture.store.subscriberImporter.upsert(
                    rows, into: app.id, at: TemporaryStore.noon,
                    mayContinue: {
                        asked += 1
                        return asked <= looks
                    },
                    pause: { told.append($0.inserted + $0.repeated) })
            }
            #expect(try upsert(asking: 2) == nil)
            #expect(told.isEmpty)
            #expect(try fixture.store.subscribers.count(of: app.id) == 0)
            // There is no further query: 9 000 rows are looked up in three pages.
            #expect(try upsert(asking: 3) == counts(inserted: 9_000, repeated: 1))
            // Keys are written first, then subscriptions. Replaced rows are counted at the end.
            #expect(told == [0, 0, 0, 4_000, 8_000, 9_000])
        }
    }

    @Test
    func
        `a list that does not count as a registration leaves excluded subscribers unchanged and counts them`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(
                try (1...5).map { TemporaryStore.bad(try #require(messages[$0])) }, accepted: 500, of: id)
            #expect(try fixture.settle().quarantined == 5)
            func list(_ records: [SubscriberRecord]) throws -> ImportCounts {
                try fixture.store.subscriberImporter.upsert(
                    records, into: app.id, at: TemporaryStore.noon.later(seconds: 9), registers: false)
            }
            var expected = counts(inserted: 2, updated: 2, unchanged: 17, repeated: 1)
            expected.excluded = 4
            let given =
                [record(3, "robert"), record(1, "user-1")]
                + (4...20).map { record($0, $0 == 9 ? "nine" : "user-\($0)") } + [
                    record(21, "new"), record(22, ""), record(1, "user-1"),
                ]
            #expect(try list(given) == expected)
            expected = counts(unchanged: 21, repeated: 1)
            expected.excluded = 4
            #expect(try list(given) == expected)
            #expect(try fixture.quarantine(of: app).count == 5)
            // Only the parameters may change.
            let moved = SubscriberRecord(
                token: TemporaryStore.token(20), userKey: "user-20", parametersJSON: #"{"city":"Rome"}"#)
            #expect(try list([moved]) == counts(updated: 1))
            #expect(try list([moved, record(20, "user-20")]) == counts(unchanged: 1, repeated: 1))
        }
    }

    @Test
    func `registrations during an import are updated and not lost, and only a registration lifts exclusions`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let other = try fixture.reopened()
            var pauses = 0
            let records = (1...300).map { record($0, "user-\($0)") }
            let result = try fixture.store.subscriberImporter.upsert(
                records, into: app.id, at: TemporaryStore.noon
            ) { _ in
                pauses += 1
                guard pauses == 1 else { return }
                // Keys have been written, but subscriptions have not. Of the other process's rows, 10 are the
                // same and 10 differ.
                let theirs = (1...20).map { record($0, $0 <= 10 ? "user-\($0)" : "theirs-\($0)") }
                #expect(throws: Never.self) {
                    _ = try other.subscriberImporter.upsert(theirs, into: app.id, at: TemporaryStore.noon)
                }
            }
            #expect(result == counts(inserted: 280, updated: 10, unchanged: 10))
            #expect(try exported(fixture, app) == Set(records.map(Line.init)))
            #expect(try fixture.store.subscriberFinder.find(userKey: "theirs-15", in: app.id).isEmpty)
            #expect(try fixture.store.subscriberFinder.find(userKey: "user-15", in: app.id).count == 1)
        }
    }

    @Test func `bulk registrations lift only the exclusions of their own subscribers`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3_000, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(
                try (1...900).map { TemporaryStore.bad(try #require(messages[$0])) }, accepted: 9_000, of: id)
            #expect(try fixture.settle().quarantined == 900)
            let next = try fixture.deliver(to: app)
            try fixture.record(
                try (901...1_800).map { TemporaryStore.bad(try #require(next.messages[$0])) }, of: next.id)
            // Half of the rows match the store, and half of the rows change their key.
            let records = (451...1_350).map { record($0, $0 % 2 == 0 ? "user-\($0)" : "moved-\($0)") }
            #expect(
                try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
                    == counts(updated: 450, unchanged: 450))
            #expect(try fixture.store.trust.trust(of: TemporaryStore.mark)?.waiting == 450)
            #expect(Set(try fixture.quarantine(of: app).keys) == Set(1...450))
            try fixture.checkVerdicts()
        }
    }

    @Test func `after a user key changes, the new key finds the subscriber, and the old key does not`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            _ = try fixture.store.subscriberImporter.upsert(
                [record(2, "renamed")], into: app.id, at: TemporaryStore.noon)
            for (key, count) in [("user-2", 0), ("renamed", 1), ("user-1", 1)] {
                let delivery = try fixture.submit(.userKeys([key]), apps: [app])
                try fixture.prepare(delivery)
                #expect(try fixture.counts(delivery).targeted == count, "\(key)")
            }
        }
    }

    @Test func `an unknown app is refused`() throws {
        try TemporaryStore.with { fixture in
            expect(.unknown(.app, name: "9")) {
                _ = try fixture.store.subscriberImporter.upsert(
                    [record(1, "u")], into: AppID(rawValue: 9), at: TemporaryStore.noon)
            }
        }
    }

    @Test func `an import ends when its app is deleted, and leaves nothing behind`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5_000, to: app)
            let other = try fixture.reopened()
            // Pauses: 1 and 2 after user keys, 3 and 4 after subscriptions, then one after each page of
            // changes.
            for moment in 1...5 {
                let target = moment == 1 ? app : try fixture.app("app-\(moment)")
                if moment > 1 { try fixture.subscribe(1...5_000, to: target) }
                let records = (1...12_000).map { record($0, "moved-\($0)") }
                var pauses = 0
                expect(.unknown(.app, name: "\(target.id)")) {
                    _ = try fixture.store.subscriberImporter.upsert(
                        records, into: target.id, at: TemporaryStore.noon
                    ) { _ in
                        pauses += 1
                        guard pauses == moment else { return }
                        #expect(throws: Never.self) {
                            try other.catalogueWriter(key: fixture.key).deleteApp(
                                target.id, at: TemporaryStore.noon)
                        }
                    }
                }
                #expect(pauses == moment)
                #expect(try fixture.store.subscribers.count(of: target.id) == 0)
            }
        }
    }

    @Test func `an export is read page by page, with each row once`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2_500, to: app)
            var tokens: [String] = []
            var after: SubscriptionID?
            repeat {
                let page = try fixture.store.subscribers.page(of: app.id, after: after, limit: 999)
                tokens += page.records.map(\.token)
                after = page.next
            } while after != nil
            #expect(tokens.count == 2_500 && Set(tokens) == Set((1...2_500).map(TemporaryStore.token)))
            let nobody = try fixture.store.subscribers.page(of: AppID(rawValue: 77))
            #expect(nobody.records == [] && nobody.next == nil)
        }
    }

    private func record(_ number: Int, _ userKey: String) -> SubscriberRecord {
        SubscriberRecord(token: TemporaryStore.token(number), userKey: userKey, parametersJSON: nil)
    }

    private func counts(inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, repeated: Int = 0)
        -> ImportCounts
    {
        var counts = ImportCounts()
        (counts.inserted, counts.updated, counts.unchanged, counts.repeated) = (
            inserted, updated, unchanged, repeated
        )
        return counts
    }

    private struct Line: Hashable {
        var token: String
        var userKey: String
        init(_ record: SubscriberRecord) { (token, userKey) = (record.token, record.userKey) }
    }

    private func exported(_ fixture: TemporaryStore, _ app: App) throws -> Set<Line> {
        Set(try fixture.store.subscribers.page(of: app.id).records.map(Line.init))
    }
}
