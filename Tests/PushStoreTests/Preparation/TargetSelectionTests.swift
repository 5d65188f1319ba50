import PushModel
import PushStore
import Testing

/// Tests the recipients that preparation selects for more complex targets. See also
/// ``PreparationWriterTests``.
@Suite(.eachEngine) struct TargetSelectionTests {
    /// Adds subscribers `user-1`… whose parameters contain their number and its last digit.
    private static func subscribe(_ numbers: ClosedRange<Int>, to app: App, in fixture: TemporaryStore) throws
    {
        let records = numbers.map {
            SubscriberRecord(
                token: TemporaryStore.token($0), userKey: "user-\($0)",
                parametersJSON: #"{"number":"\#($0)","digit":"\#($0 % 10)"}"#)
        }
        _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
    }

    /// Returns the numbers of the subscribers that a target reaches. Each must be reached once.
    private static func reached(
        _ target: Target, apps: [App], chunk limit: Int? = nil, in fixture: TemporaryStore
    ) throws -> Set<Int> {
        let id = try fixture.submit(target, apps: apps)
        #expect(try fixture.store.deliveries.delivery(id)?.order.target == target)
        for _ in 0..<10_000 {
            let step = try fixture.store.preparation.prepareChunk(
                of: id, limit: limit, at: TemporaryStore.noon)
            #expect(step.looked <= limit ?? 5_000 && step.rows <= step.looked)
            if step.isComplete { break }
        }
        let log = try fixture.log(id)
        #expect(Set(log.map(\.token)).count == log.count)
        let numbers = Set(log.compactMap { Int($0.userKey.dropFirst(5)) })
        #expect(numbers.isEmpty != (try fixture.store.targets.matchesAnybody(target, of: apps.map(\.id))))
        return numbers
    }

    private static func without(
        _ base: Target.Base, keys: [String] = [], tokens: [String] = []
    ) -> Target {
        Target(base, excluding: Target.Exclusion(userKeys: keys, tokens: tokens))
    }

    // MARK: - Expressions

    @Test func `an expression selects recipients, chunk by chunk`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try Self.subscribe(1...11_000, to: one, in: fixture)
            try Self.subscribe(20_001...20_010, to: two, in: fixture)
            func reached(_ expression: TargetExpression) throws -> Set<Int> {
                try Self.reached(.matching(expression), apps: [one, two], in: fixture)
            }
            let number = "number"
            #expect(
                try reached(.compare(number, .greater, .integer(10_995)))
                    == Set(10_996...11_000).union(20_001...20_010))
            #expect(try reached(.oneOf(number, [.integer(7), .text("20003"), .text("7.0")])) == [7, 20_003])
            #expect(try reached(.compare(number, .equal, .text("none"))) == [])
            let both = TargetExpression.and([
                .compare(number, .lessOrEqual, .integer(25)), .not(.compare("digit", .different, .text("5"))),
            ])
            #expect(try reached(both) == [5, 15, 25])
            #expect(try reached(.exists(number, true)).count == 11_010)
            #expect(try reached(.exists("town", true)) == [])
        }
    }

    @Test func `invalid parameters match like missing parameters`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let all = [
                nil, "not json", "[]", #"{"p":"x"}"#, #"{"p":"y","q":"ü🎉\n"}"#, "{}", #"{"p":7}"#, "7",
            ]
            let records = all.enumerated().map {
                SubscriberRecord(
                    token: TemporaryStore.token($0.offset), userKey: "user-\($0.offset)",
                    parametersJSON: $0.element)
            }
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
            func reached(_ expression: TargetExpression) throws -> Set<Int> {
                try Self.reached(.matching(expression), apps: [app], in: fixture)
            }
            #expect(try reached(.exists("p", true)) == [3, 4])
            #expect(try reached(.exists("p", false)) == [0, 1, 2, 5, 6, 7])
            #expect(try reached(.compare("p", .different, .text("x"))) == [0, 1, 2, 4, 5, 6, 7])
            #expect(try reached(.not(.compare("p", .equal, .text("x")))) == [0, 1, 2, 4, 5, 6, 7])
            #expect(try reached(.compare("q", .equal, .text("ü🎉\n"))) == [4])
        }
    }

    @Test func `preparation continues where it stopped, with any chunk size and after the store is reopened`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...300, to: app, in: fixture)
            let sample = try #require(TargetSample(share: 900_000, seed: 3))
            let targets = [
                Target.matching(.compare("digit", .less, .integer(5))),
                Self.without(.all, keys: ["user-3", "user-299"], tokens: [TemporaryStore.token(150)]),
                Self.without(.userKeys((1...250).map { "user-\($0)" }), keys: ["user-3"]),
                Target(.parameters(["digit": "5"]), sample: sample),
                Target(.tokens((1...250).map(TemporaryStore.token)), sample: sample),
            ]
            for target in targets {
                let whole = try Self.reached(target, apps: [app], in: fixture)
                #expect(!whole.isEmpty && whole.count < 300)
                #expect(try Self.reached(target, apps: [app], chunk: 7, in: fixture) == whole)
                let id = try fixture.submit(target, apps: [app])
                for _ in 0..<100 {
                    let again = try fixture.reopened().preparation
                    if try again.prepareChunk(of: id, limit: 50, at: TemporaryStore.noon).isComplete { break }
                }
                #expect(Set(try fixture.log(id).compactMap { Int($0.userKey.dropFirst(5)) }) == whole)
            }
        }
    }

    @Test func `deliveries that examine many subscriptions and match few do not share a transaction`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...5_000, to: app, in: fixture)
            let nobody = TargetExpression.exists("town", true)
            for _ in 0..<5 { _ = try fixture.submit(.matching(nobody), apps: [app]) }
            var turns = PreparationTurns()
            var steps = 0
            for _ in 0..<100 {
                let done = try fixture.store.preparation.prepareNext(&turns, at: TemporaryStore.noon)
                if done.isEmpty { break }
                #expect(done.map(\.step.looked).reduce(0, +) <= 5_000)
                steps += done.count
            }
            #expect(steps >= 5)
            for delivery in try fixture.store.deliveries.list() { #expect(delivery.state == .finished) }
        }
    }

    // MARK: - Exclusions

    @Test func `excluded recipients are not part of the delivery`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try Self.subscribe(1...6_000, to: one, in: fixture)
            try Self.subscribe(6_001...6_100, to: two, in: fixture)
            let keys = stride(from: 2, through: 6_100, by: 2).map { "user-\($0)" } + ["nobody"]
            let tokens = [1, 5_999, 6_099].map(TemporaryStore.token) + ["no token"]
            let target = Self.without(.all, keys: keys, tokens: tokens)
            let id = try fixture.submit(target, apps: [one, two])
            try fixture.prepare(id)
            let counts = try fixture.counts(id)
            #expect(counts.excluded == 0 && counts.targeted == 3_050 - 3)
            let numbers = Set(try fixture.log(id).compactMap { Int($0.userKey.dropFirst(5)) })
            #expect(numbers == Set(stride(from: 3, through: 6_097, by: 2)).subtracting([5_999]))
            // This is also true if no recipient is left, and if the base lists the excluded recipients.
            #expect(
                try Self.reached(
                    Self.without(.userKeys(["user-1", "user-2"]), keys: ["user-2", "user-1"]), apps: [one],
                    in: fixture) == [])
            #expect(
                try Self.reached(
                    Self.without(.tokens([1, 2, 3].map(TemporaryStore.token)), keys: ["user-2"]), apps: [one],
                    in: fixture) == [1, 3])
            #expect(
                try Self.reached(
                    Self.without(
                        .matching(.compare("number", .less, .integer(5))), tokens: [TemporaryStore.token(4)]),
                    apps: [one], in: fixture) == [1, 2, 3])
        }
    }

    @Test func `exclusions are compared byte by byte`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
            let records = [
                SubscriberRecord(token: "aabb", userKey: composed, parametersJSON: nil),
                SubscriberRecord(token: "aabc", userKey: decomposed, parametersJSON: nil),
                SubscriberRecord(token: "Token:é", userKey: "", parametersJSON: nil),
            ]
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
            func tokens(_ target: Target) throws -> Set<String> {
                let id = try fixture.submit(target, apps: [app])
                try fixture.prepare(id)
                return Set(try fixture.log(id).map(\.token))
            }
            #expect(try tokens(Self.without(.all, keys: [composed])) == ["aabc", "Token:é"])
            #expect(try tokens(Self.without(.all, keys: [decomposed])) == ["aabb", "Token:é"])
            #expect(try tokens(Self.without(.all, tokens: ["AABB", "Token:é"])) == ["aabb", "aabc"])
            #expect(try tokens(Self.without(.all, tokens: ["aabb", "aabc"])) == ["Token:é"])
        }
    }

    @Test func `quarantined subscriptions are still excluded with a reason`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...10, to: app, in: fixture)
            try fixture.alter("UPDATE subscription SET disabled = 1 WHERE user_key IN ('user-3', 'user-4')")
            let id = try fixture.submit(Self.without(.all, keys: ["user-4", "user-5"]), apps: [app])
            try fixture.prepare(id)
            let counts = try fixture.counts(id)
            #expect(counts.targeted == 7 && counts.excluded == 1)
            let matching = try fixture.submit(
                .matching(.compare("number", .lessOrEqual, .integer(4))), apps: [app])
            try fixture.prepare(matching)
            #expect(try fixture.counts(matching).targeted == 2 && fixture.counts(matching).excluded == 2)
        }
    }

    @Test func `all recipients are found chunk by chunk, whether or not their numbers have gaps`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...1_050, to: app, in: fixture)
            // The recipients are at the ends of chunks, and in the last chunk, which is short.
            let disabled = ["user-1", "user-100", "user-101", "user-1000", "user-1049"]
            let list = disabled.map { "'\($0)'" }.joined(separator: ",")
            try fixture.alter("UPDATE subscription SET disabled = 1 WHERE user_key IN (\(list))")
            for gone in [0, 1] {
                if gone > 0 { try fixture.alter("DELETE FROM subscription WHERE user_key = 'user-250'") }
                let id = try fixture.submit(.all, apps: [app])
                while try !fixture.store.preparation.prepareChunk(
                    of: id, limit: 100, at: TemporaryStore.noon
                ).isComplete {}
                let counts = try fixture.counts(id)
                #expect(counts.targeted == 1_045 - gone && counts.excluded == 5)
                let excluded = try fixture.log(id).filter { $0.state == .excluded }
                #expect(Set(excluded.map(\.userKey)) == Set(disabled))
            }
        }
    }

    // MARK: - Samples

    @Test func `adjacent samples do not overlap, and together contain every recipient`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try Self.subscribe(1...6_000, to: one, in: fixture)
            try Self.subscribe(6_001...7_000, to: two, in: fixture)
            let bounds = [0, 100_000, 333_333, TargetSample.places]
            var seen: Set<Int> = []
            for (from, to) in zip(bounds, bounds.dropFirst()) {
                let sample = try #require(TargetSample(share: to - from, from: from, seed: 7))
                let members = try Self.reached(Target(.all, sample: sample), apps: [one, two], in: fixture)
                #expect(!members.isEmpty && seen.isDisjoint(with: members))
                // The sample is the same if it is requested again, and if it is selected from fewer
                // subscribers.
                #expect(
                    try Self.reached(Target(.all, sample: sample), apps: [one, two], chunk: 900, in: fixture)
                        == members)
                let some = Target(.matching(.compare("number", .less, .integer(3_000))), sample: sample)
                #expect(
                    try Self.reached(some, apps: [one, two], in: fixture) == members.filter { $0 < 3_000 })
                seen.formUnion(members)
            }
            #expect(seen == Set(1...7_000))
        }
    }

    // MARK: - Damage

    @Test(
        arguments: [
            "NULL", "''", "'[]'", "'{}'", "'{\"base\":\"some\"}'",
            "'{\"base\":\"where\",\"excludedUserKeys\":0,\"excludedTokens\":0}'",
            "'{\"base\":\"all\",\"excludedUserKeys\":-1,\"excludedTokens\":0}'",
            "'{\"base\":\"all\",\"excludedUserKeys\":2,\"excludedTokens\":0}'",
            "'{\"base\":\"openersOf\",\"excludedUserKeys\":1,\"excludedTokens\":0}'",
            "'{\"base\":\"where\",\"where\":{\"and\":7},\"excludedUserKeys\":1,\"excludedTokens\":0}'",
            "'{\"base\":\"all\",\"excludedUserKeys\":1,\"excludedTokens\":0,\"sample\":{\"share\":0,\"from\":0,\"seed\":0}}'",
        ])
    func `a target with a damaged row reaches no device and is an error in its delivery`(column: String)
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...10, to: app, in: fixture)
            let id = try fixture.submit(Self.without(.all, keys: ["user-1"]), apps: [app])
            try fixture.alter("UPDATE delivery SET target_parameters = \(column) WHERE id = \(id)")
            do throws(StoreError) {
                _ = try fixture.store.preparation.prepareChunk(of: id, at: TemporaryStore.noon)
                Issue.record("nothing was thrown")
            } catch {
                guard case .unreadableValue = error.cause else { throw error }
                #expect(error.delivery == id)
            }
            #expect(try fixture.log(id) == [])
        }
    }

    @Test func `a delivery with a damaged exclusion list reaches no device`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...10, to: app, in: fixture)
            let keys = (1...3_000).map { "user-\($0)" }
            for damage in [
                "DELETE FROM delivery_target WHERE page = 1000001",
                "UPDATE delivery_target SET listed = '[7]'",
            ] {
                let id = try fixture.submit(Self.without(.all, keys: keys, tokens: ["t"]), apps: [app])
                try fixture.alter(damage)
                guard
                    case .unreadableValue = cause(of: {
                        _ = try fixture.store.preparation.prepareChunk(of: id, at: TemporaryStore.noon)
                    })
                else {
                    Issue.record("prepared")
                    return
                }
                try fixture.alter("DELETE FROM delivery_target")
                try fixture.alter("UPDATE delivery SET target = 'all', target_parameters = NULL")
            }
        }
    }
}
