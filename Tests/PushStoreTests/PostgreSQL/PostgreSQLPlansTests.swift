import Foundation
import PushModel
import PushStore
import Testing

/// The plans of the hot statements on PostgreSQL, as ``HotSQLTests`` has them of SQLite.
@Suite(.onPostgreSQL) struct PostgreSQLPlansTests {
    @Test func `dump`() throws {
        try TemporaryDatabase.with { server in
            try TemporaryFolder.with { folder in
                let place = Store.Place.postgreSQL(server, instanceFolder: folder)
                let store = try Store.open(place)
                let house = TemporaryStore(folder: folder, place: place, store: store, key: try store.instanceKey())
                try fill(house)
                var text = ""
                for settings in ["on", "off"] {
                    if settings == "off" {
                        for name in ["seqscan", "sort", "bitmapscan"] {
                            try TemporaryCluster.shared?.run("ALTER DATABASE \(server.database) SET enable_\(name) = off")
                        }
                    }
                    for (name, plan) in try Store.open(place).inspection.plans().sorted(by: { $0.key < $1.key }) {
                        text += "== \(settings) \(name)\n" + plan.joined(separator: "\n") + "\n"
                    }
                }
                try text.write(toFile: "/tmp/a-bench/plans.txt", atomically: true, encoding: .utf8)
            }
        }
    }

    /// Thousands of deliveries that have ended beside a few that have not, as a store has them that has run for long.
    private func fill(_ house: TemporaryStore) throws {
        let apps = try (1...20).map { try house.app("app-\($0)") }
        for app in apps.prefix(3) { try house.subscribe(1...6_000, to: app) }
        let (id, messages) = try house.deliver(to: apps[0])
        try house.record(messages.values.prefix(900).map { TemporaryStore.bad($0) }, accepted: 5_000, of: id)
        try house.settle()
        try house.record(messages.values.dropFirst(900).prefix(900).map { TemporaryStore.bad($0, .suspect) }, of: id)
        try house.settle()
        try house.record(
            messages.values.dropFirst(1_800).prefix(900).map { TemporaryStore.bad($0, reason: "\($0)") }, of: id)
        let single = try house.submit(.userKeys(["user-1"]), apps: [apps[0]])
        try house.prepare(single)
        _ = try house.acceptedCopies(20_000, of: single)
        try house.alter(
            """
            INSERT INTO delivery_app SELECT d.id, 1, 1 FROM delivery d ON CONFLICT DO NOTHING;
            INSERT INTO tally SELECT d.id, 1, 4, 0, 1, 1 FROM delivery d ON CONFLICT DO NOTHING;
            INSERT INTO part_note SELECT id, 0, 2, NULL, NULL FROM part ON CONFLICT DO NOTHING;
            UPDATE delivery SET state = 'finished' WHERE id % 100 <> 0;
            UPDATE part_progress SET is_open = 0, has_pending = 0, waiting = 0 WHERE delivery_id % 100 <> 0;
            UPDATE part_progress SET next_due = 1795262500 WHERE delivery_id % 200 = 0;
            UPDATE delivery SET state = 'preparing', prepared = 0 WHERE id % 1000 = 0;
            ANALYZE;
            """)
    }
}
