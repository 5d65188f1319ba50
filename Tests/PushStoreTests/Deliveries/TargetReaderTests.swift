import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct TargetReaderTests {
    private static func parameters(_ number: Int) -> String { #"{"number":"\#(number)"}"# }

    @Test func `a target is found wherever its first matching subscriber is stored`() throws {
        try TemporaryStore.with { fixture in
            let (empty, full) = (try fixture.app("empty"), try fixture.app("full"))
            let records = (1...12_000).map {
                SubscriberRecord(
                    token: TemporaryStore.token($0), userKey: "user-\($0)",
                    parametersJSON: Self.parameters($0))
            }
            _ = try fixture.store.subscriberImporter.upsert(records, into: full.id, at: TemporaryStore.noon)
            let targets = fixture.store.targets
            let last = 12_000
            for target in [
                Target.all, .tokens([TemporaryStore.token(0), TemporaryStore.token(last)]),
                .userKeys((20_000...26_000).map { "user-\($0)" } + ["user-\(last)"]),
                .parameters(["number": "\(last)"]),
            ] {
                #expect(try targets.matchesAnybody(target, of: [empty.id, full.id]))
                #expect(try !targets.matchesAnybody(target, of: [empty.id]))
            }
            #expect(try !targets.matchesAnybody(.parameters(["number": "0"]), of: [full.id]))
            #expect(try !targets.matchesAnybody(.parameters(["digit": "1", "number": "1"]), of: [full.id]))
            #expect(try !targets.matchesAnybody(.userKeys([""]), of: [full.id]))
            #expect(
                try targets.unknownParameters(["digit", "number"], of: [empty.id, full.id]) == ["digit"])
            #expect(try targets.unknownParameters(["number"], of: [empty.id]) == ["number"])
        }
    }
}
