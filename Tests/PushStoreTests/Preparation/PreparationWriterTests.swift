import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct PreparationWriterTests {
    @Test func `every recipient is prepared once, in parts with consecutive ids and ordinals`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try fixture.subscribe(1...12_345, to: one)
            try fixture.subscribe(1...100, to: two)
            let id = try fixture.submit(apps: [one, two])
            let parts = try fixture.prepare(id)
            #expect(parts.map(\.ids.count).reduce(0, +) == 12_445)
            #expect(parts.map(\.app) == [one.id, one.id, one.id, two.id])
            var ordinal: Int64 = 1
            for part in parts {
                #expect(part.delivery == id && part.firstOrdinal == ordinal && part.ids.count <= 5_000)
                ordinal += Int64(part.ids.count)
            }
            #expect(try fixture.store.work.openParts().parts == parts)
            #expect(try fixture.counts(id).pending == 12_445 && fixture.state(id) == .inProgress)
            let log = try fixture.log(id)
            #expect(Set(log.prefix(12_345).map(\.token)).count == 12_345)
        }
    }

    @Test func `sending can begin when the first part is prepared`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let id = try fixture.submit(apps: [app])
            #expect(try fixture.nextToPrepare(at: TemporaryStore.noon) == id)
            let step = try fixture.store.preparation.prepareChunk(of: id, at: TemporaryStore.noon)
            #expect(!step.isComplete && !step.isFinished)
            #expect(try fixture.state(id) == .preparing)
            let part = try #require(step.part)
            #expect(try fixture.store.work.openParts().parts == [part])
            // Even if all of this part is sent before the rest is prepared, the delivery has not ended.
            for start in stride(from: 0, to: part.ids.count, by: 1_000) {
                try fixture.accept(Array(part.ids[start..<min(start + 1_000, part.ids.count)]), of: id)
            }
            #expect(try fixture.state(id) == .preparing && fixture.counts(id).pending == 0)
            let rest = try #require(try fixture.prepare(id).first)
            #expect(try fixture.state(id) == .inProgress)
            #expect(try fixture.accept(rest.ids, of: id).finished == [id])
        }
    }

    @Test func `preparation continues where it stopped, also after the store is reopened`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...11_000, to: app)
            let id = try fixture.submit(apps: [app])
            for _ in 0..<10 {
                let again = try fixture.reopened()
                if try again.preparation.prepareChunk(of: id, at: TemporaryStore.noon).isComplete { break }
            }
            let log = try fixture.log(id)
            #expect(log.count == 11_000 && Set(log.map(\.token)).count == 11_000)
            #expect(log.map(\.ordinal) == Array(1...11_000))
        }
    }

    @Test func `a delivery without recipients finishes immediately`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let id = try fixture.submit(apps: [app])
            let step = try fixture.store.preparation.prepareChunk(of: id, at: TemporaryStore.noon)
            #expect(step.rows == 0 && step.part == nil && step.isComplete && step.isFinished)
            let summary = try #require(try fixture.store.deliveries.summary(of: id))
            #expect(summary.state == .finished && summary.started != nil && summary.finished != nil)
            // A repeated call has no effect.
            let again = try fixture.store.preparation.prepareChunk(of: id, at: TemporaryStore.noon)
            #expect(again.rows == 0 && again.isComplete && !again.isFinished)
        }
    }

    @Test func `listed user keys and tokens select exactly those recipients`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...200, to: app)
            let byKey = try fixture.submit(
                .userKeys((50...150).map { "user-\($0)" } + ["nobody"]), apps: [app])
            try fixture.prepare(byKey)
            #expect(Set(try fixture.log(byKey).map(\.userKey)) == Set((50...150).map { "user-\($0)" }))
            let byToken = try fixture.submit(
                .tokens((190...210).map(TemporaryStore.token) + ["no token"]), apps: [app])
            try fixture.prepare(byToken)
            #expect(Set(try fixture.log(byToken).map(\.token)) == Set((190...200).map(TemporaryStore.token)))
            #expect(try fixture.counts(byToken).targeted == 11)
        }
    }

    @Test func `a long list is processed page by page`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...9_000, to: app)
            let id = try fixture.submit(.userKeys((1...10_000).map { "user-\($0)" }), apps: [app])
            let parts = try fixture.prepare(id)
            #expect(parts.count >= 4)
            #expect(Set(try fixture.log(id).map(\.userKey)).count == 9_000)
        }
    }

    @Test func `a user key can have more devices than one chunk can contain`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let shared = (1...11_000).map {
                SubscriberRecord(token: TemporaryStore.token($0), userKey: "kiosk", parametersJSON: nil)
            }
            _ = try fixture.store.subscriberImporter.upsert(shared, into: app.id, at: TemporaryStore.noon)
            try fixture.subscribe(20_001...20_002, to: app)
            let id = try fixture.submit(.userKeys(["user-20001", "kiosk", "user-20002"]), apps: [app])
            try fixture.prepare(id)
            let log = try fixture.log(id)
            #expect(log.count == 11_002 && Set(log.map(\.token)).count == 11_002)
        }
    }

    @Test func `recipients are selected by every requested value of a parameter`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let parameters = [
                nil, #"{"city":"Paris"}"#, #"{"city":"Paris","tier":"gold"}"#,
                #"{"tier":"gold","city":"Paris","x":"y"}"#,
                #"{"city":"Rome","tier":"gold"}"#, #"{"tier":"gold"}"#, #"not json"#, #"{"a\"b":"Paris"}"#,
                "[]",
            ]
            let records = (0..<7_000).map {
                SubscriberRecord(
                    token: TemporaryStore.token($0), userKey: "\($0)",
                    parametersJSON: parameters[$0 % parameters.count])
            }
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: TemporaryStore.noon)
            func reached(_ wanted: [String: String]) throws -> Set<Int> {
                let id = try fixture.submit(.parameters(wanted), apps: [app])
                try fixture.prepare(id)
                return Set(try fixture.log(id).compactMap { Int($0.userKey) }.map { $0 % parameters.count })
            }
            #expect(try reached(["city": "Paris"]) == [1, 2, 3])
            #expect(try reached(["city": "Paris", "tier": "gold"]) == [2, 3])
            #expect(try reached(["a\"b": "Paris"]) == [7])
            #expect(try reached(["city": "paris"]) == [])
        }
    }

    @Test func `a disabled subscription is excluded with its reason and is never read for sending`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            try fixture.alter("UPDATE subscription SET disabled = 1 WHERE user_key IN ('user-3', 'user-4')")
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            let counts = try fixture.counts(id)
            #expect(counts.targeted == 8 && counts.excluded == 2 && counts.pending == 8)
            let excluded = try fixture.log(id).filter { $0.state == .excluded }
            #expect(Set(excluded.map(\.userKey)) == ["user-3", "user-4"])
            #expect(excluded.allSatisfy { $0.failureReason == .inQuarantine && $0.providerReason != nil })
            #expect(
                try fixture.store.messageReader().pending(in: part, range: part.messages) { _, _, _, _ in }
                    == 8
            )
        }
    }

    @Test func `a delivery with only disabled subscriptions finishes immediately`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            try fixture.alter("UPDATE subscription SET disabled = 1")
            let id = try fixture.submit(apps: [app])
            #expect(try fixture.prepare(id) == [])
            #expect(try fixture.state(id) == .finished && fixture.counts(id).excluded == 10)
            #expect(try fixture.store.work.openParts().parts == [])
            #expect(try fixture.log(id).count == 10)
        }
    }

    @Test func `an unknown delivery is refused`() throws {
        try TemporaryStore.with { fixture in
            expect(.unknown(.delivery, name: "5")) {
                _ = try fixture.store.preparation.prepareChunk(
                    of: DeliveryID(rawValue: 5), at: TemporaryStore.noon)
            }
        }
    }
}
