import PushModel
import PushStore
import TestSupport
import Testing

/// Tests the rows and bytes that a part requires, and the data about it that the store keeps.
@Suite(.eachEngine) struct PartStorageTests {
    private let noon = TemporaryStore.noon

    @Test
    func `a part consists of two rows, and a second's worth of answers changes one row and one counter`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4_900, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            #expect(
                try count("part", fixture) == 1 && count("part_progress", fixture) == 1
                    && count("tally", fixture) == 0)
            let store = try fixture.reopened()
            for start in stride(from: 0, to: 4_900, by: 700) {
                var batch = OutcomeBatch(delivery: id)
                batch.accepted = Array(part.ids[start..<start + 700])
                _ = try store.outcomes.record([batch], at: noon)
            }
            #expect(try count("part_note", fixture) == 0 && count("tally", fixture) == 1)
            // The last outcome also ends the delivery.
            #expect(store.inspection.largestWrite == 3)
            #expect(
                try fixture.query("SELECT length(states) || '' FROM part_progress").allSatisfy {
                    Int($0) ?? 99 < 16
                })
        }
    }

    @Test func `ten kinds of failures take ten cause rows and no message rows`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4_800, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            let records = part.ids.enumerated().map { place, message in
                MessageRecord(
                    message: message,
                    change: place % 10 == 0
                        ? .failed(.hard, .refused, providerReason: "Kind\(place / 10 % 10)")
                        : .sent(providerID: nil),
                    countsAttempt: true)
            }
            var batch = OutcomeBatch(delivery: id)
            batch.others = records
            _ = try fixture.store.outcomes.record([batch], at: noon)
            #expect(
                try count("cause", fixture) == 10 && count("part_note", fixture) == 0
                    && count("tally", fixture) == 11)
            let reasons = try fixture.store.deliveries.reasons(of: id)
            #expect(reasons.counts.map(\.count) == Array(repeating: 48, count: 10))
            #expect(Set(reasons.counts.map(\.text)) == Set((0..<10).map { "Kind\($0)" }))
            let log = try fixture.log(id)
            #expect(log.filter { $0.state == .failed }.count == 480)
            #expect(
                log[20].providerReason == "Kind2" && log[20].failureReason == .refused
                    && log[21].providerReason == nil)
            let bytes = try fixture.query("SELECT length(states) || '' FROM part_progress")
            #expect(bytes.compactMap(Int.init).allSatisfy { $0 < 8 * 480 })
        }
    }

    @Test func `messages that were sent after several attempts are counted from their notes`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let id = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(id)
            let tried = [parts[0].ids[7], parts[0].ids[8], parts[1].ids[1]]
            try fixture.record(
                tried.map {
                    MessageRecord(
                        message: $0,
                        change: .retrying(due: noon.time, .soft, .unreachable, providerReason: "x"),
                        countsAttempt: true)
                }, of: id)
            #expect(try fixture.store.deliveries.sentAfterSeveralAttempts(id) == 0)
            try fixture.accept([tried[0], tried[2], parts[0].ids[9]], of: id)
            #expect(try fixture.store.deliveries.sentAfterSeveralAttempts(id) == 2)
            let record = MessageRecord(
                message: tried[1], change: .failed(.hard, .refused, providerReason: "y"), countsAttempt: true)
            try fixture.record([record], of: id)
            #expect(try fixture.store.deliveries.sentAfterSeveralAttempts(id) == 2)
        }
    }

    @Test func `beyond 250 causes, further causes are grouped, and each message is still counted`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...300, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            for half in [part.ids.prefix(150), part.ids.suffix(150)] {
                try fixture.record(
                    half.map {
                        MessageRecord(
                            message: $0, change: .failed(.soft, .refused, providerReason: "word \($0)"),
                            countsAttempt: true)
                    }, of: id)
            }
            #expect(try count("cause", fixture) == 234)
            #expect(try fixture.counts(id).failed == 300)
            let others = try fixture.store.deliveries.reasons(of: id).counts.filter { $0.text == "(other)" }
            #expect(others.map(\.count) == [66])
        }
    }

    @Test func `members in any order, with gaps or removed members, are read with their own data`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2_000, to: app)
            let wanted = (1...400).map { "user-\($0 * 5 % 2_000 + 1)" }.shuffled()
            let id = try fixture.submit(.userKeys(wanted), apps: [app])
            try fixture.alter("DELETE FROM subscription WHERE user_key IN ('user-6', 'user-1996')")
            let before = try fixture.prepare(id)
            try fixture.alter("DELETE FROM subscription WHERE user_key IN ('user-11', 'user-16')")
            let reader = try fixture.store.messageReader()
            var keys: [String] = []
            var gone = 0
            for part in before {
                try reader.pending(in: part, range: part.messages) { _, token, userKey, _ in
                    if token.isEmpty { gone += 1 }
                    keys.append(String(decoding: userKey.indices.map { userKey[$0] }, as: UTF8.self))
                }
            }
            #expect(gone == 2)
            let sent = Set(wanted).subtracting(["user-6", "user-1996", "user-11", "user-16"])
            #expect(Set(keys.filter { !$0.isEmpty }) == sent && keys.count == sent.count + 2)
        }
    }

    @Test func `a part whose rows name two different deliveries is set aside as damaged and is not sent`()
        throws
    {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let fixture = TemporaryStore(folder: folder, store: store, key: try store.instanceKey())
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let (sick, sound) = (try fixture.submit(apps: [app]), try fixture.submit(apps: [app]))
            let part = try #require(try fixture.prepare(sick).first)
            let other = try #require(try fixture.prepare(sound).first)
            try fixture.alter("UPDATE part SET delivery_id = \(sound) WHERE id = \(part.id)")
            let open = try store.work.openParts()
            #expect(open.parts == [other] && open.damaged.map(\.delivery) == [sick])
        }
    }

    private func count(_ table: String, _ fixture: TemporaryStore) throws -> Int {
        Int(try fixture.query("SELECT count(*) || '' FROM \(table)").first ?? "") ?? -1
    }
}
