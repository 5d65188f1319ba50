import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryLogGapTests {
    @Test func `a log that lacks messages is known to`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...6_000, to: app)
            let id = try house.submit(apps: [app])
            #expect(try house.store.deliveries.missing(of: id) == 0)
            let parts = try house.prepare(id)
            #expect(try house.store.deliveries.missing(of: id) == 0)
            try house.alter(
                """
                CREATE TABLE kept AS SELECT * FROM part WHERE id = \(parts[0].id);
                DELETE FROM part WHERE id = \(parts[0].id)
                """)
            #expect(try house.store.deliveries.missing(of: id) == 4_900)
            try house.alter("INSERT INTO part SELECT * FROM kept; DROP TABLE kept")
            #expect(try house.store.deliveries.missing(of: id) == 0)
        }
    }
}
