import FoundationEssentials
import PushModel
import PushStore
import TestSupport
import Testing

/// Verdicts that an earlier version held, a row each.
@Suite struct VerdictMigrationTests {
    /// A store whose verdicts stand in rows as the release before had them.
    private func withOldRows(
        of held: String, trust: String = "", opening: (String) throws -> Void = { _ in },
        _ story: (TemporaryStore, App) throws -> Void
    ) throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/pushmta.db"
            let app = try {
                let store = try Store.open(path: path)
                let fixture = TemporaryStore(folder: folder, store: store, key: try store.instanceKey())
                let app = try fixture.app()
                try fixture.subscribe(1...3_000, to: app)
                return app
            }()
            try alter(
                path,
                """
                DELETE FROM grdb_migrations WHERE identifier = '10 held verdicts';
                DROP TABLE held_verdict;
                CREATE TABLE held_verdict (id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL,
                    subscription_id INTEGER NOT NULL, delivery_id INTEGER NOT NULL, message_id INTEGER NOT NULL,
                    gravity INTEGER NOT NULL, provider_reason TEXT NOT NULL, decided_ms INTEGER NOT NULL,
                    dead_since_ms INTEGER) STRICT;
                CREATE INDEX held_verdict_subscription ON held_verdict (subscription_id);
                CREATE INDEX held_verdict_account ON held_verdict (account_id, id);
                INSERT INTO account_trust (id, mark, accepted, has_accepted, first_seen_ms)
                    VALUES (1, '\(TemporaryStore.mark)', 100, 1, 1), (2, 'other', 100, 1, 1);
                CREATE TEMP TABLE number AS WITH RECURSIVE n (v) AS (VALUES (1) UNION ALL SELECT v + 1 FROM n
                    WHERE v < 3000) SELECT v FROM n;
                INSERT INTO held_verdict (account_id, subscription_id, delivery_id, message_id, gravity,
                    provider_reason, decided_ms, dead_since_ms) \(held);
                UPDATE account_trust SET waiting = (SELECT count(*) FROM held_verdict WHERE account_id = account_trust.id);
                \(trust)
                """)
            try opening(path)
            let store = try Store.open(path: path)
            let fixture = TemporaryStore(folder: folder, store: store, key: try store.instanceKey())
            #expect(try query(path, "SELECT name FROM sqlite_master WHERE name LIKE 'old_%'") == [])
            try fixture.checkVerdicts()
            try story(fixture, app)
            try fixture.checkVerdicts()
        }
    }

    /// First, last and how many.
    private func quarantined(_ fixture: TemporaryStore) throws -> [String] {
        try query(
            fixture.path,
            """
            SELECT (min(subscription_id) - (1 << 40)) || ' ' || (max(subscription_id) - (1 << 40)) || ' ' || count(*)
            FROM quarantine
            """)
    }

    private static let noon = TemporaryStore.noon.millisecondsSince1970

    @Test func `become rows of many, with all that they said`() throws {
        // Three calls; in each account, gravity and word change from verdict to verdict.
        try withOldRows(
            of: """
                SELECT 1 + (v % 10 = 3), (1 << 40) + v, 7, v, iif(v % 10 = 5, 3, 2), iif(v % 10 = 7, 'Other', 'Gone'),
                    \(Self.noon) + v / 1200, iif(v % 2, \(Self.noon) + v, NULL) FROM number ORDER BY v
                """
        ) { fixture, app in
            #expect(
                try query(
                    fixture.path,
                    """
                    SELECT account_id || gravity || provider_reason || sum(count) FROM held_verdict
                    GROUP BY account_id, gravity, provider_reason ORDER BY 1
                    """) == ["12Gone2100", "12Other300", "13Gone300", "22Gone300"])
            #expect(try query(fixture.path, "SELECT count(*) || '' FROM held_verdict") == ["32"])
            #expect(try fixture.store.trust.trusts().map(\.waiting) == [2_700, 300])
            let later = TemporaryStore.noon.later(seconds: 10)
            let step = try fixture.settle(at: later)
            #expect(step.quarantined == 2_400 && step.counted == 300)
            #expect(try fixture.settle(AccountKey(rawValue: "other"), at: later).quarantined == 300)
            #expect(
                try query(
                    fixture.path,
                    """
                    SELECT provider_reason || delivery_id || last_error_at FROM quarantine
                    WHERE subscription_id IN ((1 << 40) + 7, (1 << 40) + 8) ORDER BY subscription_id
                    """) == [
                        "Other7\(TemporaryStore.noon.time.secondsSince1970)",
                        "Gone7\(TemporaryStore.noon.time.secondsSince1970)",
                    ])
        }
    }

    @Test func `what was judged is judged, what was cleared is cleared, and no number comes back`() throws {
        // Calls of 1000. The first is cleared; to the end of the second it is judged.
        try withOldRows(
            of:
                "SELECT 1, (1 << 40) + v, 7, v, 2, 'Gone', \(Self.noon) + (v - 1) / 1000, NULL FROM number ORDER BY v",
            trust: "UPDATE account_trust SET cleared_to = 1000, judged_to = 2000 WHERE id = 1"
        ) { fixture, app in
            func clear() throws -> VerdictStep {
                try fixture.settleCleared(at: TemporaryStore.noon.later(seconds: 9))
            }
            #expect(try clear().quarantined == 1_000)
            #expect(try quarantined(fixture) == ["1 1000 1000"])
            let id = try fixture.deliver(to: app).id
            try fixture.record(
                [TemporaryStore.bad(try #require(try fixture.log(id).last).message)], accepted: 9, of: id)
            #expect(try query(fixture.path, "SELECT max(id) || '' FROM held_verdict") == ["3001"])
            var batch = OutcomeBatch(delivery: id)
            batch.answers = [AccountAnswers(account: TemporaryStore.mark, accepted: 300)]
            _ = try fixture.store.outcomes.record([batch], at: TemporaryStore.noon, judge: { _ in .believe })
            #expect(try clear().quarantined == 1_000)
            #expect(try quarantined(fixture) == ["1 2000 2000"])
        }
    }

    @Test func `numbers go on where no verdict waits, and what cannot be one is left out`() throws {
        try withOldRows(
            of: "SELECT 1, -v, 7, v, 2, 'Gone', \(Self.noon), NULL FROM number WHERE v <= 5",
            trust: "UPDATE account_trust SET judged_to = 5, cleared_to = 5"
        ) { fixture, app in
            #expect(try fixture.store.trust.trusts() == [])
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record([TemporaryStore.bad(try #require(messages[1]))], accepted: 9, of: id)
            #expect(try query(fixture.path, "SELECT id || '' FROM held_verdict") == ["6"])
        }
    }

    @Test func `on a full disk it has not happened, and with room it does`() throws {
        var full = 0
        // Each verdict has a word of its own, so that each becomes a row.
        try withOldRows(
            of: "SELECT 1, (1 << 40) + v, 7, v, 2, 'Gone ' || v, \(Self.noon), NULL FROM number ORDER BY v",
            opening: { (path: String) throws -> Void in
                let counted = try query(path, "SELECT page_count || '' FROM pragma_page_count")
                let pages = try #require(counted.first.flatMap(Int.init))
                for more in [0, 5, 20, 40, 60] {
                    do { _ = try Store.open(path: path, maximumPages: pages + more) } catch let error
                        as StoreError
                    {
                        #expect(error.cause == .diskFull)
                        full += 1
                        #expect(try query(path, "SELECT count(*) || '' FROM held_verdict") == ["3000"])
                        #expect(
                            try query(
                                path,
                                "SELECT name FROM pragma_table_info('held_verdict') WHERE name = 'count'")
                                == [])
                    }
                }
            }
        ) { (fixture: TemporaryStore, _: App) throws -> Void in
            #expect(full >= 2)
            #expect(
                try query(fixture.path, "SELECT sum(count) || ' ' || count(*) FROM held_verdict") == [
                    "3000 3000"
                ])
            #expect(try fixture.store.trust.trusts().map(\.waiting) == [3_000])
        }
    }
}
