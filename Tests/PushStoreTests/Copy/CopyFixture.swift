import FoundationEssentials
import GRDB
import PushModel
import PushStore
import TestSupport
import Testing

/// Stores to copy, and their content.
enum CopyFixture {
    static let noon = TemporaryStore.noon

    /// Fills the store with one delivery that has ended, one delivery in progress with messages in each
    /// state, waiting verdicts, believed verdicts, and removed subscribers. In this way, the regular writers
    /// write rows into nearly every table.
    static func fill(_ fixture: TemporaryStore) throws -> (app: App, delivery: DeliveryID) {
        let plain = try fixture.app()
        var settings = plain.settings
        settings.label = "Néo “Trips”"
        let app = try fixture.writer.updateApp(
            plain.id, to: settings, credential: nil, icon: try AppIcon.example())
        _ = try fixture.store.jobWriter.begin("store.purge", request: "{}", caller: "Zoë", at: noon)
        _ = try fixture.store.webhookWriter(key: fixture.key).create(
            WebhookOrder(
                name: "crm", url: "https://crm.example.com/push",
                kinds: WebhookEventKinds(WebhookEventKind.allCases)),
            secret: WebhookSecrets.make(), at: noon)
        _ = try fixture.store.templateWriter.save(
            "Zoë’s", of: "neotrips", body: Array(#"{"content":{"title":"Hello"}}"#.utf8),
            at: noon)
        _ = try fixture.store.draftWriter.create(
            DraftWriter.Content(
                service: "neotrips", label: "Zoë’s", document: Array(#"{"service":"neotrips"}"#.utf8)),
            by: "person zoë", at: noon)
        try fixture.subscribe(1...600, to: app)
        let texts = (601...620).map {
            SubscriberRecord(
                token: "fcm:Token-\($0)_é", userKey: "user-\($0)", parametersJSON: #"{"city":"Köln"}"#)
        }
        _ = try fixture.store.subscriberImporter.upsert(texts, into: app.id, at: noon)
        let ended = try fixture.submit(.userKeys(["user-1", "user-2"]), apps: [app])
        try fixture.accept(try fixture.prepare(ended).flatMap(\.ids), of: ended)
        let (delivery, messages) = try fixture.deliver(to: app)
        func message(_ number: Int) throws -> MessageID { try #require(messages[number]) }
        try fixture.accept(try (1...50).map(message), of: delivery)
        var records = try (51...90).map { TemporaryStore.bad(try message($0)) }
        records += try (91...120).map {
            MessageRecord(
                message: try message($0),
                change: .retrying(
                    due: noon.later(seconds: 60).time, .soft, .unreachable, providerReason: "time out"),
                countsAttempt: true)
        }
        records += try (121...125).map {
            MessageRecord(
                message: try message($0), change: .sent(providerID: "projects/p/messages/\($0)"),
                countsAttempt: true)
        }
        try fixture.record(records, accepted: 500, of: delivery)
        try fixture.settle()
        try fixture.record(
            try (126...140).map { TemporaryStore.bad(try message($0), .suspect, deadSince: noon) },
            of: delivery)
        let listed = try fixture.store.subscriberFinder.find(userKey: "user-599", in: app.id)
        _ = try fixture.store.subscriberRemover.remove(listed.map(\.subscription), at: noon)
        let note = AuditNote(who: "a test", action: "token.create", .of("billing"), at: noon)
        _ = try fixture.store.noting(note).accessTokenWriter.create(
            .make(), name: "billing", scopes: [.send], at: noon)
        let (name, hash) = (try #require(PersonName("Zoë")), try #require(PasswordHash.ofNoPerson))
        let (people, link) = (fixture.store.personWriter, PersonSecret.make())
        _ = try people.create(name, .marketer, services: ["neotrips", "it’s"], link: link, at: noon)
        let person = try #require(try people.setPassword(hash, with: link, at: noon))
        _ = try fixture.store.sessionWriter.begin(
            .make(), of: person, from: "2001:db8::7", checked: noon, at: noon)
        var facts = DeviceFacts()
        (facts.id, facts.name, facts.osName) = ("a1b2c3d4", "Zoë’s", "android")
        var registration = TemporaryStore.registration(5, with: app, user: "user-5", device: facts)
        registration.undeclaredNames = ["fristName"]
        var optOut = TemporaryStore.registration(9_999, with: app, user: "user-9999")
        optOut.purpose = .optOut
        _ = try fixture.store.registrations.register([registration])
        _ = try fixture.store.registrations.register([optOut])
        var unknown = UnknownKeyCounts()
        unknown.note(.init(.ios, "it's another key"), at: noon.time)
        try fixture.store.unknownKeyWriter.add(unknown, at: noon.time)
        _ = try fixture.store.hits.record([
            HitRecord(
                delivery: delivery, message: MessageID(rawValue: 1), number: 1, app: app.id, kind: .received,
                at: noon),
            HitRecord(
                delivery: delivery, message: MessageID(rawValue: 2), number: 2, app: app.id, kind: .clicked,
                at: noon),
        ])
        try fixture.store.activity.record([
            HitRecord(
                delivery: delivery, message: try message(2), number: 2, app: app.id, kind: .clicked, at: noon)
        ])
        let unused = try fixture.submit(apps: [app])
        try fixture.store.repair.hold(unused, because: "a test", at: noon)
        try fixture.store.writeEngine(name: "master").transaction(group: 7) { () throws(StoreError) in
            try fixture.store.repair.hold(unused, because: "again", expires: false, at: noon)
        }
        return (app, delivery)
    }

    /// Values that no writer produces, in tables where they have no meaning: the largest and smallest
    /// numbers, empty texts and bytes, NULL, and ids that were assigned to deleted rows.
    static let extremes = """
        INSERT INTO credential (app_id, sealed, changed_at) VALUES (1, X'00FF00275C', NULL);
        INSERT INTO former_connection VALUES (1, '', 'it''s \u{1F600}', '', '', NULL, 9223372036854775807);
        UPDATE app_icon SET width = 9223372036854775807, height = -1, image = X'00FF00275C';
        INSERT INTO removed_subscription VALUES
            (9223372036854775807, '', -9223372036854775808), (-1, 'it''s "é" \\\u{1F600}', 9007199254740993);
        INSERT INTO quarantine VALUES (-9007199254740993, -1, 9223372036854775807, 0, -1, 1, '', NULL);
        INSERT INTO device VALUES (-9007199254740993, 9223372036854775807, '', '', '', '', '', '', '');
        INSERT INTO activity VALUES (-9007199254740993, 9223372036854775807);
        INSERT INTO undeclared_parameter VALUES (-1, '', 9223372036854775807, -1), (1, 'it''s \u{1F600}', 0, 0);
        INSERT INTO unknown_key VALUES ('', '', 9223372036854775807, -1, 0), ('ios', 'it''s \u{1F600}', 1, 0, 0);
        INSERT INTO opt_out VALUES (-1, -9223372036854775808, 9223372036854775807, -1, 1), (1, 0, -1, 0, 2);
        INSERT INTO app_key VALUES (1, '', 0, 9223372036854775807, NULL), (1, 'it''s \u{1F600}', -1, 0, -1);
        INSERT INTO person_link VALUES (-1, X'00FF00275C', 9223372036854775807), (1, X'', -1);
        INSERT INTO work_change VALUES (1, 9223372036854775807) ON CONFLICT (only) DO UPDATE SET number = excluded.number;
        INSERT INTO hit VALUES (-1, 9223372036854775807, -1, 0, NULL, 0);
        INSERT INTO hit_tally VALUES (-1, -1, -1, -1, -1);
        INSERT INTO template VALUES (9223372036854775807, '', -1, X'', -1), (1, 'it''s', 9223372036854775807, X'00FF27', 1);
        INSERT INTO part_note VALUES (-5, -1, 9007199254740995, NULL, NULL), (-5, 2, 1, -3, '');
        INSERT INTO part_variables VALUES (-5, -1, 9007199254740995, -9223372036854775808, 9223372036854775807, X'00FF27'),
            (-5, 2, 1, -3, 0, X'');
        INSERT INTO recipient_list VALUES (7, NULL, -9223372036854775808), (8, 9223372036854775807, 0);
        INSERT INTO recipient_page VALUES (7, 0, '[]', NULL), (7, 9223372036854775807, 'it''s \u{1F600}', X'00FF27');
        INSERT INTO held_verdict VALUES (9007199254740993, 1, 2, 3, 'x', 4, 1, 5, 5, X'', X'00'),
            (12, 1, 2, 3, '\u{7F}', 4, 0, 5, 5, X'FF00FE', NULL);
        INSERT INTO message_content VALUES (9223372036854775807, 1, 1, -1, X'', X'00FF', 1), (-3, 1, 1, 0, X'5C', X'', 0);
        INSERT INTO message_revision VALUES (1, 9223372036854775807, 1, 1);
        INSERT INTO idempotency VALUES ('', 'it''s \u{1F600}', X'00', X'', -1, 0), ('a', '', X'', X'27', 1, -1);
        INSERT INTO webhook_event VALUES (9223372036854775807, -1, 1, 1, 1, NULL, -1, 0, NULL, NULL, X''),
            (-1, 9223372036854775807, -1, 9, 1, 1, 1, 1, 'it''s', 2, X'00FF27');
        UPDATE account_trust SET waiting = waiting + 1, storm_ms = -1;
        INSERT INTO subscription VALUES (-7, 1, X'00', '', NULL, 1, -1, 1), (-8, 1, 'AB', '', '', 0, 0, 0);
        UPDATE sqlite_sequence SET seq = 500 WHERE name = 'service';
        UPDATE sqlite_sequence SET seq = 70000 WHERE name = 'app_revision';
        """

    /// Returns every row of every table of a SQLite store, with the types of its values, and the last ids
    /// that were assigned.
    static func rows(of path: String) throws -> [String: [[String: DatabaseValue]]] {
        try StoreFile.open(path).read { db in
            var rows: [String: [[String: DatabaseValue]]] = [:]
            let names = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'grdb%'")
            for name in names where name != "sqlite_stat1" {
                rows[name] = try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\" ORDER BY 1, 2").map {
                    Dictionary(uniqueKeysWithValues: $0.map { ($0, $1) })
                }
            }
            return rows
        }
    }

    /// Runs a copy until it ends.
    @discardableResult
    static func copy(_ from: Store.Place, to: Store.Place, pages: Int? = nil) throws -> CopiedStore {
        try #require(
            try StoreCopy(from: from, to: to, busyTimeoutMilliseconds: 5_000, maximumPages: pages).run())
    }

    /// Provides a destination for a copy on each database.
    static func withPlaces(_ story: (_ folder: String, Store.Place, Store.Place) throws -> Void) throws {
        try TemporaryFolder.with { folder in
            let cluster = try #require(TemporaryCluster.shared)
            let server = try cluster.makeDatabase()
            defer { try? cluster.drop(server) }
            try story(
                folder, .sqlite(path: folder + "/lite/pushmta.db"),
                .postgreSQL(server, instanceFolder: folder + "/server"))
        }
    }
}
