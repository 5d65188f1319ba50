import Foundation
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests the query plans of the hot statements on PostgreSQL, as ``HotSQLTests`` does for SQLite.
@Suite(.onPostgreSQL) struct PostgreSQLPlansTests {
    /// Plans that the server creates for any values: first with rows that it has counted, and then with
    /// arbitrary counts or none. The plans must stay the same.
    @Test func `no hot statement reads a whole table, or more of an index than necessary`() throws {
        try TemporaryDatabase.with { server in
            try TemporaryFolder.with { folder in
                let place = Store.Place.postgreSQL(server, instanceFolder: folder)
                let store = try Store.open(place)
                let fixture = TemporaryStore(
                    folder: folder, place: place, store: store, key: try store.instanceKey())
                try fill(fixture)
                let counted = try Store.open(place).inspection.plans()
                #expect(counted.count >= 130)
                #expect(counted.keys.filter { $0.lowercased().contains("own") }.count == 6)
                for (name, plan) in counted { expectBounded(name, plan) }
                for (name, index) in Self.expected {
                    let plan = try #require(counted[name], "\(name)")
                    #expect(plan.uses(index: index), "\(name): \(plan)")
                }
                try fixture.alter(Self.noAutomaticCounting)
                for (what, change) in Self.statistics {
                    try fixture.alter(change)
                    try expect(Store.open(place).inspection.plans(), toBe: counted, what)
                }
                let cluster = try #require(TemporaryCluster.shared)
                let restored = try cluster.makeDatabase(fromDumpOf: server)
                let copy = Store.Place.postgreSQL(restored, instanceFolder: folder)
                try expect(Store.open(copy).inspection.plans(), toBe: counted, "a dump was restored")
                try cluster.drop(restored)
            }
        }
    }

    @Test func `query plans in an empty database match those in a large database`() throws {
        try TemporaryDatabase.with { server in
            try TemporaryFolder.with { folder in
                let place = Store.Place.postgreSQL(server, instanceFolder: folder)
                let new = try Store.open(place).inspection.plans()
                for (name, plan) in new { expectBounded(name, plan) }
                for (name, index) in Self.expected {
                    #expect(new[name]?.uses(index: index) == true, "\(name): \(new[name, default: []])")
                }
                _ = try TemporaryCluster.shared?.run("VACUUM (ANALYZE)", in: server.database)
                try expect(
                    Store.open(place).inspection.plans(), toBe: new, "it was analyzed while it was empty")
            }
        }
    }

    private func expect(
        _ plans: [String: [String]], toBe expected: [String: [String]], _ what: String
    ) throws {
        #expect(plans.count == expected.count)
        for (name, plan) in expected
        where !Self.byEitherIndex.contains(name) && scans(plans[name, default: []]) != scans(plan) {
            Issue.record("\(what): \(name): \(plans[name, default: []]) instead of \(plan)")
        }
    }

    /// Returns the index by which each large table is read, and whether the plan reads a range of it.
    private func scans(_ plan: [String]) -> [String] {
        nodes(of: plan).compactMap { node in
            guard node.text.contains("Scan"),
                let scan = node.text.firstMatch(of: #/(?:using (\w+) )?on (\w+)/#),
                !Self.small.contains(String(scan.2))
            else { return nil }
            let isRange = node.details.contains { $0.contains("Index Cond") }
            return "\(scan.2) by \(scan.1 ?? "no index")\(isRange ? "" : ", whole")"
        }.sorted()
    }

    private static let noAutomaticCounting = """
        DO $$ DECLARE t regclass; BEGIN
            FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'pushmta'::regnamespace AND relkind = 'r' LOOP
                EXECUTE 'ALTER TABLE ' || t || ' SET (autovacuum_enabled = off)';
            END LOOP;
        END $$;
        """

    /// Statistics that a server may have about its tables, however wrong they are.
    private static let statistics = [
        (
            "most is open",
            """
            UPDATE part_progress SET is_open = 1, has_pending = 1, next_due = 1, held_until = 1, deadline = 1;
            UPDATE delivery SET state = 'inProgress', is_removing = 1, open_until = 1, prepared = 0;
            ANALYZE;
            """
        ),
        (
            "nothing is open",
            """
            UPDATE part_progress SET is_open = 0, has_pending = 0, next_due = NULL, held_until = NULL;
            UPDATE delivery SET state = 'finished', is_removing = 0, open_until = NULL, prepared = 1;
            ANALYZE;
            """
        ),
        (
            "all is of one delivery and app",
            """
            UPDATE part_progress SET delivery_id = 1, app_id = 1; UPDATE subscription SET disabled = 1;
            ANALYZE;
            """
        ),
        ("tables are huge", "UPDATE pg_class SET reltuples = 1e9, relpages = 1 \(ours)"),
        ("tables are tiny", "UPDATE pg_class SET reltuples = 1, relpages = 100000 \(ours)"),
        (
            "tables were analyzed while they were empty",
            """
            DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class \(ours));
            UPDATE pg_class SET reltuples = 0, relpages = 0, relallvisible = 0 \(ours)
            """
        ),
        ("nothing is counted", "UPDATE pg_class SET reltuples = -1, relpages = 0, relallvisible = 0 \(ours)"),
    ]
    private static let ours = "WHERE relnamespace = 'pushmta'::regnamespace AND relkind IN ('r', 'i')"

    /// The state of a first import, before the server has counted any rows. A plan that is created then is
    /// kept until the server has counted, and must not become slower as the number of existing rows grows.
    @Test func `subscribers are found by an index even if the server has no table statistics`() throws {
        try TemporaryDatabase.with { server in
            try TemporaryFolder.with { folder in
                let plans = try Store.open(.postgreSQL(server, instanceFolder: folder)).inspection.plans()
                for (name, index) in [
                    ("findByTokens", "subscription_token"), ("findByIDs", "subscription_pkey"),
                    ("findDevices", "subscription_pkey"),
                ] {
                    let plan = try #require(plans[name])
                    #expect(plan.uses(index: index), "\(name): \(plan)")
                    for node in nodes(of: plan) where node.text.contains(" on subscription") {
                        #expect(!node.details.contains { $0.contains("Filter:") }, "\(name): \(plan)")
                    }
                }
            }
        }
    }

    /// Tables that stay small, whatever other tables contain: apps, hosts, parts that hosts own at the
    /// moment, deliveries on hold.
    private static let small: Set = [
        "app", "app_revision", "damaged_delivery", "access_token", "audit", "host", "part_lease", "numbering",
        "webhook", "work_change",
    ]
    /// These statements find one row in `held_verdict` by its number. In a table that looks tiny, the index
    /// for an account's rows is equally good. A row contains hundreds of verdicts, so the table stays small.
    private static let byEitherIndex: Set = ["rewriteVerdicts", "deleteVerdicts"]
    /// These statements sort the rows that they have found: a page, or the rows of one delivery.
    private static let sorting: Set = ["stranded", "takeParts", "takeDueParts", "heldOfDelivery"]

    private func expectBounded(_ name: String, _ plan: [String]) {
        for node in nodes(of: plan) {
            let isSmall = Self.small.contains { node.text.contains("on \($0)") }
            let isWhole = node.text.contains("Seq Scan") || node.text.contains("Bitmap")
            #expect(!isWhole || isSmall, "\(name): \(plan)")
            #expect(!node.text.contains("Sort") || Self.sorting.contains(name), "\(name): \(plan)")
            guard node.text.contains("Index"), node.text.contains("Scan") else { continue }
            // The query requests only the first entry of a partial index.
            let isFirst = ["anyErrors", "nextToRemove"].contains(name) && plan.first == "Limit"
            #expect(
                isFirst || isSmall || node.details.contains { $0.contains("Index Cond") }, "\(name): \(plan)")
        }
    }

    /// Returns the steps of a plan with the lines that belong to each step.
    private func nodes(of plan: [String]) -> [(text: String, details: [String])] {
        var nodes: [(text: String, details: [String])] = []
        for line in plan {
            if nodes.isEmpty || line.contains("->") {
                nodes.append((line, []))
            } else {
                nodes[nodes.count - 1].details.append(line)
            }
        }
        return nodes
    }

    private static let expected = [
        "progress": "part_progress_pkey", "calendarOfDelivery": "delivery_pkey",
        "partOfMessage": "part_pkey", "partsOfDelivery": "part_of_delivery", "members": "part_pkey",
        "recentParts": "part_pkey", "recentMembers": "part_pkey", "hitsOfMessages": "hit_pkey",
        "noteWithProviderID": "part_note_pkey",
        "notes": "part_note_pkey", "variables": "part_variables_pkey", "blocksAround": "part_variables_span",
        "openParts": "part_pending", "dueParts": "part_due",
        "nextRetry": "part_due",
        "appsWithDueParts": "part_due",
        "ownOpenParts": "part_lease_pkey", "ownOpenPartsOfApp": "part_lease_pkey", "ownDueParts": "part_due",
        "appsWithOwnDueParts": "part_due", "ownOpenPartOfDelivery": "part_waiting",
        "openPartOfDelivery": "part_waiting", "expiredPart": "part_deadline", "nextDeadline": "part_deadline",
        "retryingParts": "part_waiting", "waitingParts": "part_waiting", "retryingOfApp": "tally_pkey",
        "nextDue": "part_waiting", "finish": "part_waiting",
        "writeStates": "part_progress_pkey", "writePart": "part_progress_pkey", "tallies": "tally_pkey",
        "tallySums": "tally_pkey", "subscriptions": "subscription_pkey",
        "subscriptionsOfRun": "subscription_pkey",
        "listedSubscriptions": "subscription_pkey", "registrations": "subscription_pkey",
        "findByToken": "subscription_token", "findByTokens": "subscription_token",
        "parametersOfUser": "subscription_pkey",
        "findByID": "subscription_pkey", "findByIDs": "subscription_pkey", "findDevices": "subscription_pkey",
        "findRemovedByID": "removed_subscription_pkey",
        "confirm": "subscription_token",
        "touchSubscriptions": "subscription_pkey", "replaceSubscription": "subscription_pkey",
        "prepareAll": "subscription_pkey", "chunkEnd": "subscription_pkey",
        "prepareRun": "subscription_disabled",
        "prepareByParameters": "subscription_pkey",
        "prepareByExpression": "subscription_pkey", "clicks": "hit_pkey",
        "prepareByUserKey": "user_key_pkey",
        "devicesOfUsers": "user_key_pkey",
        "trust": "account_trust_mark_key",
        "countAnswers": "account_trust_pkey",
        "heldAbout": "held_verdict_span", "overlappingRows": "held_verdict_span",
        "heldVerdicts": "held_verdict_account", "rewriteVerdicts": "held_verdict_pkey",
        "errorsOfSent": "quarantine_counting", "anyErrors": "quarantine_last_error",
        "forgetQuiet": "quarantine_last_error",
        "nextEnded": "delivery_ended", "nextRetention": "delivery_ended", "partsToRemove": "part_of_delivery",
        "notesToRemove": "part_note_pkey", "longExcluded": "quarantine_since",
        "oldNames": "removed_subscription_time",
        "hitTally": "hit_tally_pkey", "hitSums": "hit_tally_pkey", "hitsToRemove": "hit_pkey",
        "partsForHits": "part_of_delivery", "findDevicesByMarks": "device_mark", "devicesByID": "device_pkey",
        "subscribersWithDevices": "device_pkey", "prepareByFacts": "device_pkey",
        "subscriptionsWithFacts": "activity_pkey", "devicesOfUsersWithFacts": "user_key_pkey",
        "messageToken": "subscription_token", "messageTokens": "subscription_token",
        "messageUserKeys": "user_key_pkey",
        "openDelivery": "delivery_open", "toClose": "delivery_open",
        "nextToClose": "delivery_open", "messageContent": "message_content_key",
        "messageContents": "message_content_key", "idempotencies": "idempotency_pkey",
        "messageTerms": "message_content_pkey", "idempotency": "idempotency_pkey",
        "oldIdempotency": "idempotency_time",
        "nextToPrepare": "delivery_to_prepare", "nextStart": "delivery_scheduled",
        "hasHeldDue": "part_held", "nextHeld": "part_held",
    ]

    /// Fills the store with thousands of deliveries that have ended and a fifth as many that have not, like a
    /// store that has been in use for a long time. It is also vacuumed, because otherwise a plan depends on
    /// the progress of the server's own vacuum.
    private func fill(_ fixture: TemporaryStore) throws {
        let apps = try (1...20).map { try fixture.app("app-\($0)") }
        for app in apps.prefix(3) { try fixture.subscribe(1...6_000, to: app) }
        let (id, delivered) = try fixture.deliver(to: apps[0])
        // Sorted, so that no recipient below is in quarantine by then.
        let messages = delivered.values.sorted { $0.rawValue < $1.rawValue }
        try fixture.record(messages.prefix(900).map { TemporaryStore.bad($0) }, accepted: 5_000, of: id)
        try fixture.settle()
        try fixture.record(
            messages.dropFirst(900).prefix(900).map { TemporaryStore.bad($0, .suspect) }, of: id)
        try fixture.settle()
        try fixture.record(
            messages.dropFirst(1_800).prefix(900).map { TemporaryStore.bad($0, reason: "\($0)") }, of: id)
        let single = try fixture.submit(.userKeys(["user-6000"]), apps: [apps[0]])
        try fixture.prepare(single)
        _ = try fixture.acceptedCopies(20_000, of: single)
        try fixture.alter(
            """
            INSERT INTO account_trust (mark, first_seen_ms) SELECT 'account ' || n, 1 FROM generate_series(1, 2000) n;
            INSERT INTO delivery_app SELECT d.id, 1, 1 FROM delivery d ON CONFLICT DO NOTHING;
            INSERT INTO tally SELECT d.id, 1, 4, 0, 1, 1 FROM delivery d ON CONFLICT DO NOTHING;
            INSERT INTO part_lease SELECT id, id % 3 FROM part;
            INSERT INTO part_note SELECT id, 0, 2, NULL, NULL FROM part ON CONFLICT DO NOTHING;
            INSERT INTO part_variables SELECT id, 0, 1, id, id, decode('00', 'hex') FROM part;
            INSERT INTO device SELECT id, id, '', '', '', '', '', '', '' FROM subscription;
            INSERT INTO activity SELECT id, 1 FROM subscription;
            INSERT INTO hit SELECT d.id, 1, 1, 1, NULL, 0 FROM delivery d;
            INSERT INTO hit_tally SELECT d.id, 1, 1, 1, 1 FROM delivery d;
            INSERT INTO removed_subscription SELECT -n, 'user', 1 FROM generate_series(1, 5000) n;
            INSERT INTO webhook_event SELECT 1, n * 60, n, 1, 1, 1, 1, 60, NULL, NULL, decode(md5(CAST(n AS TEXT)), 'hex')
                FROM generate_series(1, 20000) n;
            UPDATE delivery SET state = 'finished' WHERE id % 5 <> 0;
            UPDATE part_progress SET is_open = 0, has_pending = 0, waiting = 0 WHERE delivery_id % 5 <> 0;
            UPDATE part_progress SET next_due = 1795262500 WHERE delivery_id % 200 = 0;
            UPDATE delivery SET state = 'preparing', prepared = 0 WHERE id % 1000 = 0;
            UPDATE delivery SET open_until = id, prepared = 0, state = 'inProgress' WHERE id % 1000 = 5;
            INSERT INTO message_content SELECT n, n % 100 + 1, 1, 1, decode(md5(CAST(n AS TEXT)), 'hex'), ''
                FROM generate_series(1, 20000) n;
            INSERT INTO message_revision SELECT d.id, 1, 1, 1 FROM delivery d;
            INSERT INTO idempotency SELECT 'x', CAST(n AS TEXT), '', '', n, n FROM generate_series(1, 20000) n;
            VACUUM (ANALYZE);
            """)
    }
}

extension [String] {
    fileprivate func uses(index: String) -> Bool { contains { $0.contains("using \(index) ") } }
}
