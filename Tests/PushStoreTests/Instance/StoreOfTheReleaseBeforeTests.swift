import FoundationEssentials
import GRDB
import PushModel
import PushStore
import TestSupport
import Testing

/// A store that release 0.7.0 created: two deliveries with messages in each state, and rows in most tables.
@Suite(.eachEngine) struct StoreOfTheReleaseBeforeTests {
    private struct Fixture {
        let folder: String
        let place: Store.Place

        func alter(_ sqlite: String, onPostgreSQL postgreSQL: String) throws {
            switch place {
            case .sqlite(let path): try PushStoreTests.alter(path, sqlite)
            case .postgreSQL(let server, _):
                try #require(TemporaryCluster.shared).run(postgreSQL, in: server.database)
            }
        }

        func open() throws -> TemporaryStore {
            let store = try Store.open(place)
            return TemporaryStore(folder: folder, place: place, store: store, key: try store.instanceKey())
        }

        func query(_ sqlite: String, onPostgreSQL postgreSQL: String) throws -> [String] {
            switch place {
            case .sqlite(let path): try PushStoreTests.query(path, sqlite)
            case .postgreSQL(let server, _):
                try #require(TemporaryCluster.shared).run(postgreSQL, in: server.database)
            }
        }

        func steps() throws -> [String] {
            try query(
                "SELECT identifier FROM grdb_migrations ORDER BY 1",
                onPostgreSQL: "SELECT version FROM store")
        }

        /// Returns tables, columns, indexes and references as the database describes them.
        func shape() throws -> [String] {
            try query(
                """
                SELECT format('%s.%s %s %s %s %s %s', m.name, c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk)
                FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table'
                UNION ALL SELECT format('%s %s %s %s', name, type, wr, strict) FROM pragma_table_list
                    WHERE schema = 'main'
                UNION ALL SELECT format('%s %s %s %s %s %s', m.name, i."unique", i.origin, c.seqno, c.name,
                    (SELECT substr(sql, instr(sql, 'WHERE')) FROM sqlite_master WHERE name = i.name AND i.partial))
                FROM sqlite_master m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
                WHERE m.type = 'table'
                UNION ALL SELECT format('%s -> %s %s %s', m.name, f."from", f."table", f."to")
                FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'
                UNION ALL SELECT name || ' AUTOINCREMENT' FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'
                """,
                onPostgreSQL: """
                    SELECT concat_ws(' ', table_name, rank() OVER (PARTITION BY table_name ORDER BY ordinal_position),
                        column_name, data_type, collation_name, is_nullable, column_default, is_identity)
                    FROM information_schema.columns WHERE table_schema = 'pushmta'
                    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'pushmta'
                    UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
                    WHERE connamespace = 'pushmta'::regnamespace
                    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'pushmta'::regnamespace
                    """
            ).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.sorted()
        }
    }

    private func with(_ story: (Fixture) throws -> Void) throws {
        try TemporaryFolder.with { folder in
            let key = URL(filePath: folder + "/var/instance.key")
            try FileManager.default.createDirectory(
                at: key.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(Self.key).write(to: key)
            TemporaryFolder.setMode(0o600, of: key.path)
            switch TestEngine.current {
            case .sqlite:
                let path = folder + "/var/pushmta.db"
                try alter(path, try Self.dump("sqlite"))
                try story(Fixture(folder: folder, place: .sqlite(path: path)))
            case .postgreSQL:
                let cluster = try #require(TemporaryCluster.shared)
                let server = try cluster.makeDatabase()
                defer { try? cluster.drop(server) }
                try cluster.run(try Self.dump("postgresql"), in: server.database)
                let place = Store.Place.postgreSQL(server, instanceFolder: folder + "/var")
                try story(Fixture(folder: folder, place: place))
            }
        }
    }

    private static func dump(_ engine: String) throws -> String {
        let file = Repository.file("Tests/PushStoreTests/Vectors/store-of-0.7.0.\(engine).sql")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static let key: [UInt8] = [
        0x0A, 0xDE, 0xF6, 0x0A, 0x2A, 0xCB, 0x17, 0xB3, 0x4B, 0x09, 0xAF, 0xA5, 0xB6, 0x9A, 0xFC, 0x37,
        0x41, 0xAC, 0x78, 0xF0, 0xA7, 0x90, 0x85, 0xD2, 0x15, 0xC4, 0x0C, 0x66, 0x51, 0x7C, 0x42, 0x79,
    ]

    @Test func `opening a store from the previous release adds what is new, as in a new store`() throws {
        try with { fixture in
            let former = Set(try fixture.steps())
            _ = try fixture.open()
            let (steps, shape) = (try fixture.steps(), try fixture.shape())
            #expect(former.isSubset(of: steps))
            _ = try fixture.open()
            #expect(try fixture.steps() == steps)
            #expect(try fixture.shape() == shape)
            try TemporaryStore.with { new in
                let new = Fixture(folder: new.folder, place: new.place)
                let (newSteps, newShape) = (try new.steps(), try new.shape())
                #expect(newSteps == steps)
                #expect(newShape == shape)
            }
        }
    }

    @Test func `all content of a store from the previous release is found`() throws {
        try with { fixture in
            let opened = try fixture.open()
            let (store, key) = (opened.store, opened.key)
            let services = try store.catalogue.services()
            #expect(services.map(\.name) == ["neotrips", "shop"])
            #expect(services.map(\.description) == [nil, "All that is sold."])
            let app = try #require(try store.catalogue.app(named: "shop-android"))
            #expect(
                app.settings.label == "Néo Shop"
                    && app.settings.parameters.map(\.name) == ["city", "points=number", "points"])
            let other = try #require(try store.catalogue.app(named: "shop-ios"))
            #expect(try store.credentials(key: key).credential(of: other.id) != nil)
            #expect(
                try store.subscriberFinder.find(userKey: "zoë", in: app.id).map(\.token) == ["fcm-shop-1"])
            #expect(try store.templates.list().map(\.name) == ["Android", "iOS", "hello"])
            #expect(app.settings.categories.isEmpty && !app.settings.variables.contains(where: \.isOptional))
            let secrets = try store.webhooks.secrets(of: "crm", key: key, at: TemporaryStore.noon)
            #expect(secrets?.present.count == WebhookSecrets.bytes)
            #expect(try store.accessTokens.list().map(\.name) == ["billing"])
            #expect(try store.audit.page().count == 12)
            #expect(try store.jobs.page(before: nil, limit: 10).jobs.map(\.operation) == ["store.purge"])
            for summary in try store.deliveries.list(limit: 10) {
                #expect(try store.inspection.recount(summary.id) == summary.counts)
            }
        }
    }

    @Test
    func `messages from the previous release keep the ids that devices received, and deliveries continue`()
        throws
    {
        try with { fixture in
            let opened = try fixture.open()
            let id = DeliveryID(rawValue: 2)
            let log = try opened.log(id)
            let counts = Dictionary(grouping: log, by: \.state).mapValues(\.count)
            #expect(
                counts == [
                    .pending: 10, .sent: 10, .retrying: 10, .failed: 10, .cancelled: 10, .excluded: 10,
                ])
            let entry = try #require(log.first { $0.token == "fcm-token-1" })
            let cipher = MessageIDCipher(key: opened.key)
            let number = cipher.deviceID(of: entry.message, entry.ordinal, entry.messageIDFormat, in: id)
            #expect(number == "ee9b0786-6f07-59fa-f6d0-c0d93d4b1b89")
            #expect(entry.state == .retrying && entry.attempts == 2 && entry.providerReason == "time out")
            #expect(try opened.store.work.openParts().parts.contains { $0.delivery == id })
            let end = TemporaryStore.noon.later(seconds: 86_400).time
            var cursor = FailedMessages.Cursor()
            let retried = try opened.store.failedMessages.retry(
                RetryOfFailed(delivery: id, permanentReasons: [], expiresAt: end), &cursor,
                at: TemporaryStore.noon)
            #expect(retried != nil)
            #expect(try opened.store.inspection.agrees(id))
        }
    }

    @Test func `a store without later additions receives them`() throws {
        try with { fixture in
            _ = try fixture.open()
            let (steps, shape) = (try fixture.steps(), try fixture.shape())
            let without = """
                ALTER TABLE service DROP COLUMN description; DROP TABLE job;
                ALTER TABLE access_token DROP COLUMN services;
                """
            try fixture.alter(
                without
                    + """
                    DELETE FROM grdb_migrations WHERE identifier IN ('25 descriptions of services', '26 jobs')
                        OR identifier LIKE '% tokens that are bound to services'
                    """,
                onPostgreSQL: without)
            #expect(try fixture.shape() != shape)
            _ = try fixture.open()
            #expect(try fixture.steps() == steps)
            #expect(try fixture.shape() == shape)
        }
    }

    @Test func `a store from an earlier version is refused and left unchanged`() throws {
        try with { fixture in
            try fixture.alter(
                "DELETE FROM grdb_migrations WHERE identifier LIKE '23 %' OR identifier LIKE '24 %'",
                onPostgreSQL: "UPDATE store SET version = 28")
            let steps = try fixture.steps()
            let missing = TestEngine.current == .sqlite ? "23 trust evidence" : "version 29"
            expect(.formerVersion(lacks: missing)) { _ = try Store.open(fixture.place) }
            expect(.formerVersion(lacks: missing)) { _ = try Store.look(at: fixture.place) }
            let copy = Store.Place.sqlite(path: fixture.folder + "/copy.db")
            expect(.formerVersion(lacks: missing)) { _ = try StoreCopy(from: fixture.place, to: copy).run() }
            #expect(try fixture.steps() == steps)
        }
    }

    @Test func `a store with parts that 0.7.0 could not read is refused`() throws {
        guard TestEngine.current == .sqlite else { return }
        try with { fixture in
            try fixture.alter(
                "CREATE TABLE old_part (id INTEGER PRIMARY KEY, open INTEGER NOT NULL)", onPostgreSQL: "")
            _ = try Store.open(fixture.place)
            try fixture.alter("INSERT INTO old_part VALUES (1, -1)", onPostgreSQL: "")
            expect(.formerVersion(lacks: "9 parts")) { _ = try Store.open(fixture.place) }
        }
    }
}
