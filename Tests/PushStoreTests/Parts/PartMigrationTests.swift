import FoundationEssentials
import PushModel
import PushStore
import TestSupport
import Testing

/// A store of the first version had message rows as the release before this one did; that release's own store
/// is taken over, killed in between, by `AStoreOfTheReleaseBefore`.
@Suite struct PartMigrationTests {
    private func withOldStore(_ story: (String) throws -> Void) throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/pushmta.db"
            let dump = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Vectors/store-of-version-1.sql")
            try alter(path, "PRAGMA application_id = \(0x504D_5441)")
            try alter(path, try String(contentsOf: dump, encoding: .utf8))
            try story(path)
        }
    }

    /// More messages for the delivery that there is, one part, without gaps.
    private func grow(_ path: String, by count: Int) throws {
        try alter(
            path,
            """
            INSERT INTO message (id, delivery_id, app_id, subscription_id, state, attempts, updated_at)
                WITH RECURSIVE n (v) AS (VALUES (1) UNION ALL SELECT v + 1 FROM n WHERE v < \(count))
                SELECT (SELECT max(id) FROM message) + v, 1, 1, (1 << 40) + v, 2, 0, 1 FROM n;
            INSERT INTO part (delivery_id, app_id, first_id, last_id, first_ordinal, open)
                SELECT 1, 1, max(id) - \(count) + 1, max(id), (SELECT last_ordinal + 1 FROM delivery WHERE id = 1), 1
                FROM message;
            UPDATE delivery SET pending = pending + \(count), targeted = targeted + \(count),
                last_ordinal = last_ordinal + \(count) WHERE id = 1;
            """)
    }

    @Test func `a part that was larger than parts are now becomes two, with the numbers that it had`() throws
    {
        try withOldStore { path in
            try grow(path, by: 4_980)
            let before = try query(path, "SELECT id || '' FROM message ORDER BY id")
            var steps: [MigrationProgress] = []
            let store = try Store.open(path: path) { steps.append($0) }
            #expect(steps.last.map { $0.partsDone == $0.parts } == true && steps.count == steps.last?.parts)
            var log: [MessageLogEntry] = []
            while case let page = try store.deliveries.log(
                of: DeliveryID(rawValue: 1), after: log.last?.message), !page.isEmpty
            {
                log += page
            }
            #expect(log.map { "\($0.message)" } == before)
            #expect(log.map(\.ordinal) == Array(1...Int64(before.count)))
            #expect(try store.inspection.agrees(DeliveryID(rawValue: 1)))
            #expect(try store.work.openParts().parts.map(\.ids.count).suffix(2) == [4_900, 80])
            #expect(try query(path, "SELECT name FROM sqlite_master WHERE name LIKE 'old_%'") == [])
            // Numbers go on after the last that there was.
            let app = try #require(try store.catalogue.apps().first)
            let fixture = TemporaryStore(folder: path, store: store, key: try store.instanceKey())
            let next = try fixture.submit(apps: [app])
            let last = try #require(log.last).message
            while try !store.preparation.prepareChunk(of: next, at: TemporaryStore.noon).isComplete {}
            #expect(try store.deliveries.log(of: next).allSatisfy { $0.message > last })
        }
    }

    @Test
    func
        `a part that cannot be read keeps its rows, holds its delivery and keeps no other from being taken over`()
        throws
    {
        try withOldStore { path in
            try grow(path, by: 10)
            try alter(path, "UPDATE part SET first_id = last_id + 1 WHERE id = (SELECT min(id) FROM part)")
            let store = try Store.open(path: path)
            #expect(try store.repair.held().map(\.delivery) == [DeliveryID(rawValue: 1)])
            #expect(try query(path, "SELECT count(*) || '' FROM old_part") == ["1"])
            #expect(try query(path, "SELECT count(*) || '' FROM part") == ["1"])
            // It is not tried again for ever.
            var steps = 0
            _ = try Store.open(path: path) { _ in steps += 1 }
            #expect(steps == 0)
        }
    }

    @Test
    func `a disk that is full at any step is said so, nothing is lost, and with room the migration goes on`()
        throws
    {
        try withOldStore { path in
            // Each part needs more room than the one before it gave back.
            for count in [10, 500, 4_900] { try grow(path, by: count) }
            try alter(
                path,
                "UPDATE message SET attempts = 2, provider_id = 'projects/example/messages/' || id WHERE id % 2 = 0"
            )
            let twin = path + ".twin"
            try FileManager.default.copyItem(atPath: path, toPath: twin)
            let log = try wholeLog(try Store.open(path: twin))
            #expect(log.count == 5_413)
            let counted = try query(path, "SELECT page_count || '' FROM pragma_page_count")
            let pages = try #require(counted.first.flatMap(Int.init))
            // Parts that were left each time the disk was full; nil: it had not come to them.
            var left: [Int?] = []
            for more in stride(from: 0, to: 2_000, by: 2) {
                do {
                    _ = try Store.open(path: path, maximumPages: pages + more)
                    break
                } catch let error as StoreError {
                    #expect(error.cause == .diskFull && !error.description.contains("\n"))
                    #expect(
                        error.description.contains("no space is left")
                            && error.description.contains("try again"))
                    let isThere =
                        try query(path, "SELECT name FROM sqlite_master WHERE name = 'old_part'") != []
                    left.append(
                        isThere ? Int(try query(path, "SELECT count(*) || '' FROM old_part")[0]) : nil)
                    // What has not been taken over has all its rows, and what has none of them.
                    guard isThere else { continue }
                    let messages =
                        "SELECT (SELECT count(*) FROM old_message) + (SELECT coalesce(sum(count), 0) FROM part) || ''"
                    #expect(try query(path, messages) == ["5413"])
                }
            }
            #expect(left.contains(nil) && Set(left.compactMap { $0 }).count >= 2, "\(left)")
            let store = try Store.open(path: path)
            #expect(try wholeLog(store) == log)
            #expect(try store.inspection.agrees(DeliveryID(rawValue: 1)))
            #expect(try store.repair.held() == [])
            #expect(try query(path, "SELECT name FROM sqlite_master WHERE name LIKE 'old_%'") == [])
        }
    }

    private func wholeLog(_ store: Store) throws -> [MessageLogEntry] {
        var log: [MessageLogEntry] = []
        while case let page = try store.deliveries.log(of: DeliveryID(rawValue: 1), after: log.last?.message),
            !page.isEmpty
        {
            log += page
        }
        return log
    }

    @Test func `small parts share a step, and all of them are counted`() throws {
        try withOldStore { path in
            let before = try query(path, "SELECT count(*) || '' FROM message")
            let count = 2_000
            for _ in 0..<3 { try grow(path, by: 5) }
            try alter(
                path,
                """
                CREATE TABLE n AS WITH RECURSIVE n (v) AS (VALUES (1) UNION ALL SELECT v + 1 FROM n WHERE v < \(count))
                    SELECT v FROM n;
                INSERT INTO part (delivery_id, app_id, first_id, last_id, first_ordinal, open)
                    SELECT 1, 1, 100000 + v, 100000 + v, 100000 + v, 1 FROM n;
                INSERT INTO message (id, delivery_id, app_id, subscription_id, state, attempts, updated_at)
                    SELECT 100000 + v, 1, 1, (1 << 40) + v, 2, 0, 1 FROM n;
                DROP TABLE n;
                """)
            let parts = try query(path, "SELECT count(*) || '' FROM part")
            var steps: [MigrationProgress] = []
            _ = try Store.open(path: path) { steps.append($0) }
            #expect(steps.count < count / 20 && steps.last?.partsDone == steps.last?.parts)
            #expect(steps.last.map { "\($0.parts)" } == parts.first)
            #expect(
                zip(steps, steps.dropFirst()).allSatisfy {
                    $0.partsDone < $1.partsDone && $0.parts == $1.parts
                })
            let after = try query(path, "SELECT sum(count) || '' FROM part")
            #expect(after.compactMap(Int.init) == before.compactMap { Int($0).map { $0 + 15 + count } })
        }
    }

    /// A store of which a part of the first delivery could not be read, and the statement that mends it.
    private func withUnreadablePart(_ story: (Store, DeliveryID, _ mend: () throws -> Void) throws -> Void)
        throws
    {
        try withOldStore { path in
            try grow(path, by: 10)
            try alter(path, "UPDATE message SET state = state + 90 WHERE id = (SELECT max(id) FROM message)")
            let store = try Store.open(path: path)
            try story(store, DeliveryID(rawValue: 1)) {
                try alter(path, "UPDATE old_message SET state = state - 90 WHERE state > 90")
            }
        }
    }

    @Test
    func
        `a part that could not be read keeps its delivery held, and is taken over by a recount when it is mended`()
        throws
    {
        try withUnreadablePart { store, id, mend in
            let noon = TemporaryStore.noon
            let held = try #require(try store.repair.held().first)
            #expect(held.since.millisecondsSince1970 > 0)
            let refused = try store.repair.recount(id, at: noon)
            #expect(refused.problem?.contains("of an earlier version cannot be read") == true)
            #expect(refused.after.pending == refused.before.pending && refused.after.pending >= 10)
            #expect(try store.repair.held().map(\.delivery) == [id])
            #expect(try store.deliveries.missing(of: id) == 10)
            try mend()
            let mended = try store.repair.recount(id, at: noon)
            #expect(mended.isRepaired && mended.mendedParts == 1)
            #expect(try store.repair.held().isEmpty && store.deliveries.missing(of: id) == 0)
            #expect(try store.inspection.agrees(id))
            #expect(try query(store.path, "SELECT name FROM sqlite_master WHERE name LIKE 'old_%'") == [])
        }
    }

    @Test func `what could not be read is cancelled when its validity ends, and the delivery's end says so`()
        throws
    {
        try withUnreadablePart { store, id, mend in
            let expires = try #require(try store.deliveries.summary(of: id)).expiresAt
            let end = WallMoment(expires.advanced(bySeconds: 1))
            var lost: [DeliveryID: Int] = [:]
            while case let step = try store.outcomes.expire(at: end), step.hasMore {
                lost.merge(step.lost) { $0 + $1 }
            }
            #expect(lost == [id: 10])
            let summary = try #require(try store.deliveries.summary(of: id))
            #expect(
                summary.state == .finished && summary.counts.pending == 0 && summary.counts.cancelled >= 10)
            let reasons = try store.deliveries.reasons(of: id).counts
            #expect(
                reasons.contains {
                    $0.state == .cancelled && $0.text == "its rows cannot be read" && $0.count == 10
                })
            // Somebody mends it after all: it has an end of its own.
            try mend()
            let recount = try store.repair.recount(id, at: end)
            #expect(recount.isRepaired && recount.isReopened && recount.after.pending == 10)
            while try store.outcomes.expire(at: end).hasMore {}
            #expect(try store.inspection.agrees(id))
        }
    }
}
