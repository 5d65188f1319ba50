import FoundationEssentials
import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct StoreSizeTests {
    @Test func `the stated size of a million messages matches the size of their tables`() throws {
        try TemporaryStore.with { fixture in
            let empty = try fixture.store.size()
            #expect(empty.bytes > 0 && empty.bytesPerMillionMessages == nil)
            let before = try bytes(fixture)
            let app = try fixture.app()
            try fixture.subscribe(1...30_000, to: app)
            let id = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(id)
            func compare() throws {
                let found = try taken(fixture), real = Double(try bytes(fixture) - before)
                // Tables and indexes take whole pages, and the last pages are nearly empty.
                let pages = 100_000.0
                #expect(found > 0.6 * real - pages && found < 1.5 * real + pages, "\(found) of \(real)")
            }
            try compare()
            // Adds a note for each message.
            try fixture.sendWithIDs(parts.flatMap(\.ids), of: id)
            try compare()
            let (full, messages) = (try fixture.store.size(), Int(try taken(fixture)))
            try fixture.retain(at: TemporaryStore.noon(afterDays: 31))
            let after = try fixture.store.size()
            if TestEngine.current == .sqlite {
                let (free, gone) = (try #require(after.freeBytes), try #require(full.freeBytes))
                // The space that the messages used is free, and the file has the same size as before.
                #expect(free - gone > messages / 2 && after.bytes <= full.bytes + 65_536)
                #expect(full.logBytes > 0)
            } else {
                #expect(after.freeBytes == nil && after.logBytes == 0)
            }
        }
    }

    /// Returns the space that 30 000 messages take, as reported by the store.
    private func taken(_ fixture: TemporaryStore) throws -> Double {
        Double(try #require(try fixture.store.size().bytesPerMillionMessages)) * 0.03
    }

    /// Returns the size of the message tables and their indexes, as the database reports it.
    private func bytes(_ fixture: TemporaryStore) throws -> Int {
        let names = "('part', 'part_progress', 'part_note')"
        let found = try fixture.query(
            TestEngine.current == .sqlite
                ? """
                SELECT CAST(sum(pgsize) AS TEXT) FROM dbstat
                WHERE aggregate = TRUE AND name IN (SELECT name FROM sqlite_master WHERE tbl_name IN \(names))
                """
                : "SELECT sum(pg_total_relation_size(('pushmta.' || n)::regclass)) FROM (VALUES ('part'), ('part_progress'), ('part_note')) AS t (n)"
        )
        return try #require(found.first.flatMap(Int.init))
    }
}
