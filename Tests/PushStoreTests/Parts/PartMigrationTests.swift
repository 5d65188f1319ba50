import FoundationEssentials
import PushModel
import PushStore
import Testing

/// A store of the first version had message rows as the release before this one did; that release's own store is taken
/// over, killed in between, by `AStoreOfTheReleaseBefore`.
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

    @Test func `a part that was larger than parts are now becomes two, with the numbers that it had`() throws {
        try withOldStore { path in
            try grow(path, by: 4_980)
            let before = try query(path, "SELECT id || '' FROM message ORDER BY id")
            var steps: [MigrationProgress] = []
            let store = try Store.open(path: path) { steps.append($0) }
            #expect(steps.last.map { $0.partsDone == $0.parts } == true && steps.count == steps.last?.parts)
            var log: [MessageLogEntry] = []
            while case let page = try store.deliveries.log(of: DeliveryID(rawValue: 1), after: log.last?.message), !page.isEmpty {
                log += page
            }
            #expect(log.map { "\($0.message)" } == before)
            #expect(log.map(\.ordinal) == Array(1...Int64(before.count)))
            #expect(try store.inspection.agrees(DeliveryID(rawValue: 1)))
            #expect(try store.work.openParts().parts.map(\.ids.count).suffix(2) == [4_900, 80])
            #expect(try query(path, "SELECT name FROM sqlite_master WHERE name LIKE 'old_%'") == [])
            // Numbers go on after the last that there was.
            let app = try #require(try store.catalogue.apps().first)
            let house = TemporaryStore(folder: path, store: store, key: try store.instanceKey())
            let next = try house.submit(apps: [app])
            let last = try #require(log.last).message
            while try !store.preparation.prepareChunk(of: next, at: TemporaryStore.noon).isComplete {}
            #expect(try store.deliveries.log(of: next).allSatisfy { $0.message > last })
        }
    }

    @Test func `a part that cannot be read keeps its rows, holds its delivery and keeps no other from being taken over`() throws {
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

    @Test func `a disk that is full at any step is said so, nothing is lost, and with room the migration goes on`() throws {
        try withOldStore { path in
            // Each part needs more room than the one before it gave back.
            for count in [10, 500, 4_900] { try grow(path, by: count) }
            try alter(
                path,
                "UPDATE message SET attempts = 2, provider_id = 'projects/example/messages/' || id WHERE id % 2 = 0")
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
                    #expect(error.description.contains("no space is left") && error.description.contains("try again"))
                    let isThere = try query(path, "SELECT name FROM sqlite_master WHERE name = 'old_part'") != []
                    left.append(isThere ? Int(try query(path, "SELECT count(*) || '' FROM old_part")[0]) : nil)
                    // What has not been taken over has all its rows, and what has none of them.
                    guard isThere else { continue }
                    let messages = "SELECT (SELECT count(*) FROM old_message) + (SELECT coalesce(sum(count), 0) FROM part) || ''"
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
        while case let page = try store.deliveries.log(of: DeliveryID(rawValue: 1), after: log.last?.message), !page.isEmpty {
            log += page
        }
        return log
    }
}
