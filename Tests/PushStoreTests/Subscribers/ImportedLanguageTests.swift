import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct ImportedLanguageTests {
    private static func record(_ number: Int, _ language: String) -> SubscriberRecord {
        SubscriberRecord(
            token: TemporaryStore.token(number), userKey: "user-\(number)", parametersJSON: nil,
            language: language)
    }

    @Test func `an import writes the languages of new and known subscribers`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            func imports(_ records: [SubscriberRecord]) throws -> [Int] {
                let counts = try fixture.store.subscriberImporter.upsert(
                    records, into: app.id, at: TemporaryStore.noon, registers: false)
                return [counts.inserted, counts.updated, counts.unchanged]
            }
            func language(_ number: Int) throws -> String? {
                try fixture.store.subscriberFinder.find(token: TemporaryStore.token(number), in: app.id)
                    .first?.device.language
            }
            // No transaction may be long, although each row also writes the row of its device.
            let many = (1...6_000).map { Self.record($0, $0.isMultiple(of: 3) ? "" : "fr-FR") }
            #expect(try imports(many) == [6_000, 0, 0])
            #expect(try language(1) == "fr-FR" && language(3) == "")
            #expect(try imports(many) == [0, 0, 6_000])
            #expect(
                try imports([Self.record(1, "de"), Self.record(2, ""), Self.record(3, "it")]) == [0, 2, 1])
            #expect(try [1, 2, 3].map { try language($0) } == ["de", "fr-FR", "it"])
            var other = Self.record(1, "es")
            other.userKey = "somebody"
            #expect(try imports([other]) == [0, 1, 0] && language(1) == "es")
        }
    }

    @Test func `an import that counts as a registration writes languages, too`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            for language in ["fr-FR", "de", "de"] {
                _ = try fixture.store.subscriberImporter.upsert(
                    [Self.record(1, language)], into: app.id, at: TemporaryStore.noon)
            }
            let found = try fixture.store.subscriberFinder.find(userKey: "user-1", in: app.id)
            #expect(found.map(\.device.language) == ["de"])
            #expect(found.first?.lastActive == TemporaryStore.noon.time)
        }
    }
}
