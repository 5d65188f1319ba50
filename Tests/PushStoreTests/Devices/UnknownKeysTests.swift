import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct UnknownKeysTests {
    private static let noon = TemporaryStore.noon.time

    @Test func `a storm of random keys is limited, and a key that many devices send remains`() throws {
        try TemporaryStore.with { fixture in
            for round in 0..<5 {
                var counts = UnknownKeyCounts()
                for _ in 0..<10 { counts.note(.init(.ios, "com.example.wrong"), at: Self.noon) }
                for number in 0..<1_000 {
                    counts.note(.init(.android, "\(round) \(number) random"), at: Self.noon)
                }
                #expect(counts.keys.count == UnknownKeyCounts.maximumKeys)
                try fixture.store.unknownKeyWriter.add(counts, at: Self.noon)
            }
            #expect(try fixture.rows("unknown_key") == UnknownKeyCounts.maximumKeys + 1)
            let found = try fixture.store.unknownKeys.read()
            #expect(found.keys[.init(.ios, "com.example.wrong")]?.registrations == 50)
            let all = found.keys.values.reduce(found.further?.registrations ?? 0) { $0 + $1.registrations }
            #expect(all == 5_050)
        }
    }

    @Test func `a key is shortened and printable, and forgotten after a month`() throws {
        try TemporaryStore.with { fixture in
            var counts = UnknownKeyCounts()
            counts.note(.init(.ios, String(repeating: "k", count: 500) + "\n"), at: Self.noon)
            counts.note(.init(.ios, "new\u{1B}"), at: Self.noon.advanced(bySeconds: 3_600))
            try fixture.store.unknownKeyWriter.add(counts, at: Self.noon)
            let keys = try fixture.store.unknownKeys.read().keys.keys.map(\.text).sorted()
            #expect(keys.count == 2 && keys[0].count == UnknownKeyCounts.maximumCharacters + 1)
            #expect(keys[1] == #"new\u{1B}"#)
            let later = Self.noon.advanced(bySeconds: 30 * 86_400 + 60)
            try fixture.store.unknownKeyWriter.add(UnknownKeyCounts(), at: later)
            #expect(try fixture.store.unknownKeys.read().keys.count == 1)
        }
    }
}
