import PushModel
import PushStore
import Testing

/// Tests damage to the row that records which message numbers are in use.
@Suite(.eachEngine) struct NumberTableTests {
    private let noon = TemporaryStore.noon

    /// Two deliveries with two parts each. No test damages the second delivery.
    private func prepared(_ fixture: TemporaryStore) throws -> (app: App, parts: [Part]) {
        let app = try fixture.app()
        try fixture.subscribe(1...6_000, to: app)
        let parts = try (1...2).flatMap { _ in try fixture.prepare(try fixture.submit(apps: [app])) }
        return (app, parts)
    }

    @Test(arguments: [
        "UPDATE numbering SET last_message = 0", "UPDATE numbering SET last_message = -1",
        "UPDATE numbering SET last_message = 5000", "UPDATE numbering SET last_message = 9223372036854775807",
        "UPDATE numbering SET last_message = 9223372036854770907", "DELETE FROM numbering",
        "UPDATE numbering SET last_message = -9223372036854775808",
    ])
    func `the number table is rebuilt from the parts and reported once, and no delivery is put on hold`(
        damage: String
    )
        throws
    {
        try TemporaryStore.with { fixture in
            let (app, parts) = try prepared(fixture)
            try fixture.alter(damage)
            let open = try fixture.store.work.openParts()
            #expect(open.parts == parts && open.damaged.isEmpty)
            let third = try fixture.submit(apps: [app])
            let first = try fixture.store.preparation.prepareChunk(of: third, at: noon)
            #expect(first.repairedNumbers != nil)
            #expect(first.part?.messages.lowerBound.rawValue == 12_001)
            let second = try fixture.store.preparation.prepareChunk(of: third, at: noon)
            #expect(second.repairedNumbers == nil && second.part?.messages.lowerBound.rawValue == 16_901)
            #expect(try fixture.store.work.openParts().parts.count == 6)
            #expect(try fixture.query("SELECT last_message || '' FROM numbering") == ["18000"])
        }
    }

    @Test func `numbering skips a part that has another delivery's numbers, and ignores a part far away`()
        throws
    {
        try TemporaryStore.with { fixture in
            let (app, parts) = try prepared(fixture)
            func move(_ part: Part, to id: Int64) throws {
                try fixture.alter(
                    """
                    UPDATE part SET id = \(id) WHERE id = \(part.id);
                    UPDATE part_progress SET part_id = \(id) WHERE part_id = \(part.id)
                    """)
            }
            try move(parts[3], to: 77_777_777)
            let far = try fixture.store.preparation.prepareChunk(
                of: try fixture.submit(apps: [app]), at: noon)
            #expect(far.repairedNumbers == nil && far.part?.messages.lowerBound.rawValue == 12_001)
            #expect(try fixture.store.work.openParts().damaged.map(\.part.rawValue) == [77_777_777])
            try fixture.alter(
                "UPDATE part SET id = 10901 WHERE id = 77777777; UPDATE part_progress SET part_id = 10901 WHERE part_id = 77777777"
            )

            let last = try #require(far.part)
            try move(last, to: last.id.rawValue + 100)
            let near = try fixture.store.preparation.prepareChunk(
                of: try fixture.submit(apps: [app]), at: noon)
            #expect(near.repairedNumbers != nil)
            #expect(near.part?.messages.lowerBound.rawValue == last.messages.upperBound.rawValue + 101)
        }
    }
}
