import PushModel
import PushStore
import Testing

/// Counts how often the store waits for its server. Each wait costs the store and the server about as much as
/// a statement.
@Suite(.onPostgreSQL) struct PostgreSQLJourneysTests {
    private let noon = TemporaryStore.noon

    @Test func `each piece of a part, except the first piece, is read in one round trip`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...30, to: app)
            let part = try #require(try fixture.prepare(try fixture.submit(apps: [app])).first)
            let reader = try fixture.store.messageReader()
            try reader.pending(in: part, range: part.ids[0]...part.ids[9]) { _, _, _, _ in }
            let before = reader.journeys
            #expect(before > 0)
            for first in [10, 20] {
                try reader.pending(in: part, range: part.ids[first]...part.ids[first + 9]) { _, _, _, _ in }
            }
            #expect(reader.journeys == before + 2)
        }
    }

    @Test func `scattered messages are read in one round trip too`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            _ = try fixture.accept(
                (1...20).reversed().map { try fixture.message(to: .userKey("user-\($0)"), of: app) })
            let part = try #require(try fixture.openParts().first)
            let reader = try fixture.store.messageReader()
            try reader.pending(in: part, range: part.ids[0]...part.ids[9]) { _, _, _, _ in }
            let before = reader.journeys
            #expect(try reader.pending(in: part, range: part.ids[10]...part.ids[19]) { _, _, _, _ in } == 10)
            #expect(reader.journeys == before + 1)
        }
    }

    @Test
    func `acceptances take three round trips: read the state, write the part, write the rest and commit`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...30, to: app)
            let part = try #require(try fixture.prepare(try fixture.submit(apps: [app])).first)
            func record(_ messages: ArraySlice<MessageID>) throws -> Int {
                let before = fixture.store.inspection.journeys
                var batch = OutcomeBatch(delivery: part.delivery)
                batch.accepted = Array(messages)
                batch.answers = [
                    AccountAnswers(account: AccountKey(rawValue: "a"), accepted: messages.count)
                ]
                _ = try fixture.store.outcomes.record([batch], at: noon, settling: false)
                let journeys = fixture.store.inspection.journeys - before
                let states = try fixture.log(part.delivery).map(\.state)
                #expect(states[messages.indices].allSatisfy { $0 == .sent })
                return journeys
            }
            // The account's first answer creates its row.
            _ = try record(part.ids[0..<10])
            #expect(try record(part.ids[10..<20]) == 3)
        }
    }
}
