import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryLogGapTests {
    @Test func `the number of messages that are missing from a log is reported`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let id = try fixture.submit(apps: [app])
            #expect(try fixture.store.deliveries.missing(of: id) == 0)
            let parts = try fixture.prepare(id)
            #expect(try fixture.store.deliveries.missing(of: id) == 0)
            try fixture.alter(
                """
                CREATE TABLE kept AS SELECT * FROM part WHERE id = \(parts[0].id);
                DELETE FROM part WHERE id = \(parts[0].id)
                """)
            #expect(try fixture.store.deliveries.missing(of: id) == 4_900)
            try fixture.alter("INSERT INTO part SELECT * FROM kept; DROP TABLE kept")
            #expect(try fixture.store.deliveries.missing(of: id) == 0)
        }
    }
}
