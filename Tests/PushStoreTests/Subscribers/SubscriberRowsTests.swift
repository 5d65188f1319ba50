import Foundation
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests more rows than fit into the memory limit.
@Suite(.eachEngine) struct SubscriberRowsTests {
    /// Limits of a few dozen rows and any number of parts.
    private static let small = SubscriberRows.Limits(held: 4_000, runs: .max)

    @Test func `rows that are stored in a file give the same result as rows in memory`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            var chance = SeededRandom(seed: 40)
            for round in 0..<3 {
                let records = (0..<3_000).map { _ in Self.record(&chance) }
                var rows = fixture.store.subscriberRows(Self.small)
                for record in records {
                    rows.append(record)
                    if rows.isMemoryFull { try rows.store() }
                }
                try rows.storeRest()
                let stored = try #require(
                    try fixture.store.subscriberImporter.upsert(
                        rows, into: one.id, at: TemporaryStore.noon, mayContinue: { true }, pause: { _ in }))
                let held = try fixture.store.subscriberImporter.upsert(
                    records, into: two.id, at: TemporaryStore.noon)
                #expect(stored == held && stored.repeated > 0)
                #expect(round == 0 ? stored.inserted > 1_000 : stored.unchanged > 0 && stored.updated > 0)
                #expect(try Self.exported(fixture, one) == Self.exported(fixture, two))
            }
            for key in (0..<200).map({ "user-\($0)" }) {
                let found = try [one, two].map {
                    try fixture.store.subscriberFinder.find(userKey: key, in: $0.id).count
                }
                #expect(found[0] == found[1])
            }
        }
    }

    @Test func `the last row with a token wins, even across several parts of the file`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            var rows = fixture.store.subscriberRows(Self.small)
            for (part, tokens) in [["ab"], ["ab", "cd"], ["ab", "cd", "ef"], ["ef", "ef"]].enumerated() {
                for (row, token) in tokens.enumerated() {
                    rows.append(
                        SubscriberRecord(token: token, userKey: "\(part)-\(row)", parametersJSON: nil))
                }
                if part < 3 { try rows.store() }
            }
            let counts = try fixture.store.subscriberImporter.upsert(
                rows, into: app.id, at: TemporaryStore.noon, mayContinue: { true }, pause: { _ in })
            #expect(counts?.inserted == 3 && counts?.repeated == 5)
            let keys = try fixture.store.subscribers.page(of: app.id).records.map(\.userKey)
            #expect(keys == ["2-0", "2-1", "3-1"])
        }
    }

    @Test func `the file has no name, and an error that prevents its creation is reported`() throws {
        let folder = "/var/tmp/pushmta-rows-\(UInt64.random(in: 0 ... .max))"
        var rows = SubscriberRows(in: folder, Self.small)
        rows.append(SubscriberRecord(token: "ab", userKey: "u", parametersJSON: nil))
        expect(.file(path: folder + "/import.tmp", why: "No such file or directory")) {
            try rows.store()
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try rows.store()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        try FileManager.default.removeItem(atPath: folder)
    }

    private static func record(_ chance: inout SeededRandom) -> SubscriberRecord {
        let number = Int(chance.next() % 2_500)
        let token =
            switch number % 5 {
            case 0: "text-\(number)"
            // The bytes of one token are the text of the other.
            case 1: "7a\(number)"
            case 2: "z\(number)"
            default: TemporaryStore.token(number)
            }
        let user = chance.next() % 4 == 0 ? "" : "user-\(number % 200)"
        return SubscriberRecord(
            token: token, userKey: user,
            parametersJSON: chance.next() % 3 == 0 ? #"{"city":"\#(chance.next() % 3)"}"# : nil)
    }

    private struct Line: Hashable {
        var token: String
        var userKey: String
        var parameters: String?
    }

    private static func exported(_ fixture: TemporaryStore, _ app: App) throws -> Set<Line> {
        Set(
            try fixture.store.subscribers.page(of: app.id, limit: 10_000).records.map {
                Line(token: $0.token, userKey: $0.userKey, parameters: $0.parametersJSON)
            })
    }
}
