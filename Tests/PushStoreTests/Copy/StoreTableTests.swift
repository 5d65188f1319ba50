import PushStore
import TestSupport
import Testing

/// Compares the list of tables with the tables that the databases report.
@Suite(.eachEngine) struct StoreTableTests {
    @Test func `every table in the schema is listed with its key`() throws {
        try TemporaryStore.with { fixture in
            let found = try fixture.query(
                TestEngine.current == .sqlite
                    ? """
                    SELECT m.name || ':' || (SELECT group_concat(c.name, ',') FROM (
                        SELECT name FROM pragma_table_info(m.name) WHERE pk > 0 ORDER BY pk) c)
                    FROM sqlite_master m
                    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'grdb_migrations'
                    """
                    : """
                    SELECT t.relname || ':' || (
                        SELECT string_agg(a.attname, ',' ORDER BY k.place)
                        FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
                            JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number)
                    FROM pg_class t LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
                    WHERE t.relnamespace = 'pushmta'::regnamespace AND t.relkind = 'r'
                        AND t.relname NOT IN ('store', 'host', 'part_lease')
                    """)
            let listed = StoreTable.all.map { "\($0.name):\($0.key.joined(separator: ","))" }
            #expect(found.sorted() == listed.sorted())
        }
    }

    @Test func `tables whose ids are never reused are listed`() throws {
        try TemporaryStore.with { fixture in
            let found = try fixture.query(
                TestEngine.current == .sqlite
                    ? "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'"
                    : """
                    SELECT table_name FROM information_schema.columns
                    WHERE table_schema = 'pushmta' AND is_identity = 'YES' AND column_name = 'id'
                    """)
            var listed = Set(StoreTable.all.filter(\.isNumbered).map(\.name))
            // Its rows are never deleted, so SQLite does not need to remember the last number.
            if TestEngine.current == .sqlite { listed.remove("account_trust") }
            #expect(Set(found) == listed)
        }
    }

    @Test func `rows refer to earlier tables, or by a reference that is listed as filled in later`() throws {
        try TemporaryStore.with { fixture in
            let found = try fixture.query(
                TestEngine.current == .sqlite
                    ? """
                    SELECT m.name || ',' || f."from" || ',' || f."table"
                    FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'
                    """
                    : """
                    SELECT c.conrelid::regclass || ',' || a.attname || ',' || c.confrelid::regclass
                    FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
                    WHERE c.contype = 'f' AND c.connamespace = 'pushmta'::regnamespace
                    """)
            #expect(found.count >= 8)
            let places = Dictionary(uniqueKeysWithValues: StoreTable.all.enumerated().map { ($1.name, $0) })
            for reference in found {
                let parts = reference.split(separator: ",").map(String.init)
                let (from, to) = (try #require(places[parts[0]]), try #require(places[parts[2]]))
                #expect(from > to || StoreTable.all[from].laterReference == parts[1], "\(reference)")
            }
        }
    }
}
