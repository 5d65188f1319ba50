import FoundationEssentials
import GRDB
import Glibc
import PushModel
import PushStore
import TestSupport
import Testing

@Suite struct SchemaTests {
    /// A store as the first version left it.
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

    @Test func `a store of the first version becomes one of this, with all that was in it`() throws {
        try withOldStore { path in
            let store = try Store.open(path: path)
            let app = try #require(try store.catalogue.app(named: "neotrips-ios"))
            #expect(try store.subscribers.count(of: app.id) == 3)
            #expect(try store.catalogue.revisions() == [app.id: 0])
            #expect(try store.catalogue.credentialGiven(to: app.id) == nil)
            #expect(try store.catalogue.lastFeedbackPoll(of: app.id) == nil)
            #expect(try store.trust.trusts() == [] && store.quarantine.counts() == [:])
            let id = DeliveryID(rawValue: 1)
            let summary = try #require(try store.deliveries.summary(of: id))
            #expect(try summary.state == .inProgress && store.inspection.recount(id) == summary.counts)
            // What was under way goes on, verdicts included.
            let part = try #require(try store.work.openParts().parts.first)
            var batch = OutcomeBatch(delivery: id)
            batch.others = [TemporaryStore.bad(part.messages.lowerBound)]
            batch.answers = [AccountAnswers(account: TemporaryStore.mark, aboutTokens: 1)]
            let result = try store.outcomes.record([batch], at: TemporaryStore.noon)
            #expect(result.finished == [id] && result.trust.map(\.waiting) == [1])
            let judged = try store.verdicts.judgeWhole(TemporaryStore.mark, at: TemporaryStore.noon) { _ in
                .believe
            }
            #expect(judged?.trust == result.trust.first)
            let step = try store.verdicts.settleCleared(
                TemporaryStore.mark, rules: TemporaryStore.rules, at: TemporaryStore.noon)
            #expect(step.quarantined == 1)
            // Who was disabled before there was a quarantine is so still, and can be released.
            let again = try store.deliverySubmitter.submit(
                DeliveryOrder(
                    label: "again", service: app.service, apps: [app.id], target: .all,
                    schedule: DeliverySchedule(),
                    retry: RetryOverride(), tracking: true, contentJSON: []), at: TemporaryStore.noon)
            while try !store.preparation.prepareChunk(of: again, at: TemporaryStore.noon).isComplete {}
            #expect(
                try store.deliveries.log(of: again).map(\.providerReason) == [
                    "in quarantine: its token gave errors", "subscription disabled", nil,
                ])
            #expect(try store.quarantineWriter.release(app.id, tokens: ["aa02"]).released == 1)
        }
    }

    @Test func `what is under way is bound to what its apps are at the migration`() throws {
        try withOldStore { path in
            try alter(
                path,
                """
                UPDATE app SET variables = '[{"name":"screen","value":"offers"}]';
                INSERT INTO delivery SELECT * FROM (SELECT 7 AS id, d.label, d.service_id, 'garbled', target,
                    target_parameters, start_at, validity, expires_at, priority, rate, retry_count, retry_period, tracking,
                    created_ms, started_ms, finished_ms, state, targeted, excluded, pending, retrying, sent, failed,
                    cancelled, prepared, app_cursor, page_cursor, value_cursor, subscription_cursor, last_ordinal,
                    expiry_cursor FROM delivery d WHERE id = 1);
                """)
            let store = try Store.open(path: path)
            let app = try #require(try store.catalogue.app(named: "neotrips-ios"))
            #expect(app.settings.bundleID == "com.example.neotrips" && app.settings.messageIDFormat == .uuid)
            #expect(app.settings.variables == [AppVariable(name: "screen", defaultValue: "offers")])
            let id = DeliveryID(rawValue: 1)
            let bound = try #require(try store.deliveries.revision(of: app.id, in: id))
            #expect(bound == AppRevision(app.settings))
            let key = try store.instanceKey()
            var settings = app.settings
            settings.bundleID = "com.example.new"
            _ = try store.catalogueWriter(key: key).updateApp(app.id, to: settings, credential: nil)
            #expect(try store.deliveries.revision(of: app.id, in: id) == bound)
            // One bad row is its own trouble.
            #expect(try store.deliveries.revision(of: app.id, in: DeliveryID(rawValue: 7)) == nil)
        }
    }

    @Test func `it is migrated once, and then its version is known`() throws {
        try withOldStore { path in
            #expect(try query(path, "SELECT identifier FROM grdb_migrations") == ["1 spine"])
            _ = try Store.open(path: path)
            _ = try Store.open(path: path)
            #expect(
                try query(path, "SELECT identifier FROM grdb_migrations ORDER BY 1") == [
                    "1 spine", "10 held verdicts", "11 retention", "12 devices", "13 access",
                    "14 single messages", "15 webhooks", "16 stops", "17 templates", "18 calendar",
                    "19 app icons", "2 quarantine", "20 recipients", "21 work changes",
                    "22 undeclared parameters, single attempts", "23 trust evidence", "24 topics of accounts",
                    "25 descriptions of services", "26 jobs",
                    "3 deleted services",
                    "4 write service",
                    "5 app revisions",
                    "6 removed subscriptions", "7 preparation turns", "8 plain plans", "9 parts",
                ])
        }
    }

    @Test func `a store of the tenth version keeps its rows, for as long as the setting says`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.finished(apps: [app])
            let log = try fixture.log(id)
            try fixture.alter(
                """
                DROP INDEX delivery_ended; DROP INDEX delivery_removing;
                DROP INDEX removed_subscription_time; DROP INDEX quarantine_since;
                ALTER TABLE delivery DROP COLUMN retention_days;
                ALTER TABLE delivery DROP COLUMN removed_ms;
                ALTER TABLE delivery DROP COLUMN is_removing;
                ALTER TABLE damaged_delivery DROP COLUMN restored;
                DROP TABLE backup;
                DELETE FROM grdb_migrations WHERE identifier = '11 retention';
                \(Self.withoutDevices)
                DROP INDEX delivery_open;
                ALTER TABLE delivery DROP COLUMN open_until;
                ALTER TABLE part DROP COLUMN content;
                DROP TABLE message_content; DROP TABLE message_revision; DROP TABLE idempotency;
                DELETE FROM grdb_migrations WHERE identifier = '14 single messages';
                ALTER TABLE delivery DROP COLUMN stop_ms;
                DELETE FROM grdb_migrations WHERE identifier = '16 stops';
                ALTER TABLE delivery DROP COLUMN template;
                ALTER TABLE delivery DROP COLUMN template_version;
                DROP TABLE template;
                DELETE FROM grdb_migrations WHERE identifier = '17 templates';
                DROP INDEX part_held;
                ALTER TABLE delivery DROP COLUMN calendar;
                ALTER TABLE service DROP COLUMN frequency_cap;
                ALTER TABLE part_progress DROP COLUMN held_until;
                DELETE FROM grdb_migrations WHERE identifier = '18 calendar';
                ALTER TABLE app DROP COLUMN label;
                DROP TABLE app_icon;
                DELETE FROM grdb_migrations WHERE identifier = '19 app icons';
                """)
            let migrated = TemporaryStore(
                folder: fixture.folder, store: try fixture.reopened(), key: fixture.key)
            #expect(try migrated.log(id) == log)
            let summary = try #require(try migrated.store.deliveries.summary(of: id))
            #expect(summary.retentionDays == nil && summary.removed == nil)
            #expect(try migrated.retainAll(at: TemporaryStore.noon(afterDays: 30)).messages == 10)
            let made = try query(
                fixture.path,
                "SELECT sql FROM sqlite_master WHERE name IN ('delivery', 'backup') ORDER BY name")
            try TemporaryStore.with { new in
                let wanted = try query(
                    new.path,
                    "SELECT sql FROM sqlite_master WHERE name IN ('delivery', 'backup') ORDER BY name")
                #expect(made == wanted && made.count == 2)
            }
        }
    }

    private static let withoutDevices = """
        DROP TABLE device; DROP TABLE hit; DROP TABLE hit_tally; ALTER TABLE app DROP COLUMN parameters;
        DELETE FROM grdb_migrations WHERE identifier = '12 devices';
        """

    @Test func `numbers that were given as they are stay so, and what is submitted afterwards is encrypted`()
        throws
    {
        try TemporaryStore.with { fixture in
            let apps = try ["one", "two", "three"].map { try fixture.app($0) }
            try fixture.alter("UPDATE app_revision SET message_id_format = 'integer' WHERE app_id <> 3")
            try fixture.subscribe(1...3, to: apps[0])
            let id = try fixture.submit(apps: [apps[0], apps[2]])
            try fixture.prepare(id)
            try fixture.alter(Self.withoutDevices)
            let migrated = TemporaryStore(
                folder: fixture.folder, store: try fixture.reopened(), key: fixture.key)
            #expect(try migrated.log(id).map(\.messageIDFormat) == [.number, .number, .number])
            let formats = try migrated.store.catalogue.apps().map { ($0.name, $0.settings.messageIDFormat) }
            #expect(formats.map(\.0) == ["one", "three", "two"])
            #expect(formats.map(\.1) == [.integer, .uuid, .integer])
            let present = try #require(try migrated.store.catalogue.app(named: "one"))
            let after = try migrated.submit(apps: [present])
            #expect(
                try migrated.store.deliveries.revision(of: present.id, in: after)?.messageIDFormat == .integer
            )
            #expect(
                try migrated.store.deliveries.revision(of: present.id, in: id)?.messageIDFormat == .number)
            // Nobody needs the old one of "two".
            #expect(
                try migrated.query("SELECT message_id_format FROM app_revision WHERE app_id = 2") == [
                    "integer"
                ])
        }
    }

    @Test func `while a master of an earlier version serves it, it is not migrated`() throws {
        try withOldStore { path in
            let master = unsafe open(path, O_RDWR)
            defer { close(master) }
            var claim = flock()
            claim.l_type = Int16(F_WRLCK)
            claim.l_whence = Int16(SEEK_SET)
            claim.l_start = 1 << 62
            claim.l_len = 1
            // F_OFD_SETLK: as another process has it.
            try #require(unsafe fcntl(master, 37, &claim) == 0)
            expect(
                .cannotOpen(
                    why: "a master of an earlier version serves it: stop that one, and start this version's")
            ) {
                _ = try Store.open(path: path, busyTimeoutMilliseconds: 100)
            }
            #expect(try query(path, "SELECT identifier FROM grdb_migrations") == ["1 spine"])
            claim.l_type = Int16(F_UNLCK)
            try #require(unsafe fcntl(master, 37, &claim) == 0)
            _ = try Store.open(path: path)
        }
    }

    @Test func `a store that cannot be migrated for want of space stays what it was`() throws {
        try withOldStore { path in
            let counted = try query(path, "SELECT page_count || '' FROM pragma_page_count")
            let pages = try #require(counted.first.flatMap(Int.init))
            expect(.diskFull) { _ = try Store.open(path: path, maximumPages: pages) }
            #expect(try query(path, "SELECT identifier FROM grdb_migrations") == ["1 spine"])
            #expect(try query(path, "SELECT name FROM sqlite_master WHERE name = 'quarantine'") == [])
            _ = try Store.open(path: path)
        }
    }
}
