import Foundation
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

@Suite(.eachEngine) struct DeliveryIdempotencyTests {
    private static func key(
        _ name: String, scope: String = "delivery test", asking body: String = "one"
    ) -> IdempotencyKey { IdempotencyKey(scope: scope, key: name, body: Array(body.utf8)) }

    private let day: Int64 = 86_400

    @Test func `requests with the same key create one delivery and receive the same answer`() throws {
        try TemporaryStore.with { fixture in
            let order = fixture.order(apps: [try fixture.app()])
            let submitter = fixture.store.deliverySubmitter
            func submit(
                _ key: IdempotencyKey, warnings: [String] = [], later seconds: Int64 = 0
            ) throws -> KeyedSubmission {
                try submitter.submit(
                    order, once: key, warnings: warnings, at: TemporaryStore.noon.later(seconds: seconds))
            }
            func earlier(_ key: IdempotencyKey, later seconds: Int64 = 0) throws -> KeyedSubmission? {
                try fixture.store.deliveries.submission(
                    of: key, at: TemporaryStore.noon.later(seconds: seconds))
            }
            let said = ["two\nlines", "\"ü\" \\"]
            #expect(try earlier(Self.key("k")) == nil)
            #expect(
                try submit(Self.key("k"), warnings: said) == .accepted(DeliveryID(rawValue: 1)))
            let again = KeyedSubmission.repeated(DeliveryID(rawValue: 1), warnings: said)
            #expect(try submit(Self.key("k"), warnings: ["other"]) == again)
            #expect(try earlier(Self.key("k"), later: day - 1) == again)
            #expect(try submit(Self.key("k", asking: "two")) == .keyReused)
            #expect(try earlier(Self.key("k", asking: "two")) == .keyReused)
            // A request from another caller, with another key, or one day later creates a different delivery.
            #expect(
                try submit(Self.key("k", scope: "delivery other")) == .accepted(DeliveryID(rawValue: 2)))
            #expect(try submit(Self.key("K")) == .accepted(DeliveryID(rawValue: 3)))
            #expect(
                try submit(Self.key("k", asking: "two"), later: day) == .accepted(DeliveryID(rawValue: 4)))
            #expect(try fixture.store.deliveries.list().count == 4)
        }
    }

    @Test func `a delivery that an earlier version stored under a key is recognised`() throws {
        try TemporaryStore.with { fixture in
            let order = fixture.order(apps: [try fixture.app()])
            func submit(_ key: IdempotencyKey) throws -> KeyedSubmission {
                try fixture.store.deliverySubmitter.submit(
                    order, once: key, warnings: [], at: TemporaryStore.noon)
            }
            func key(_ earlier: String) -> IdempotencyKey {
                IdempotencyKey(
                    scope: "delivery test", key: "k", body: Array("canonical".utf8),
                    earlierForm: Array(earlier.utf8))
            }
            #expect(try submit(Self.key("k", asking: "written")) == .accepted(DeliveryID(rawValue: 1)))
            #expect(try submit(key("written")) == .repeated(DeliveryID(rawValue: 1), warnings: []))
            #expect(try submit(key("written otherwise")) == .keyReused)
        }
    }

    @Test func `a failed request leaves neither a delivery nor a key`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let order = fixture.order(apps: [app])
            let stale = [app.id: AppRevisionID(rawValue: app.revision.rawValue + 1)]
            let submitter = fixture.store.deliverySubmitter
            expect(.changedMeanwhile(app: "neotrips-ios")) {
                _ = try submitter.submit(
                    order, checkedAgainst: stale, once: Self.key("k"), warnings: [], at: TemporaryStore.noon)
            }
            #expect(try fixture.query("SELECT count(*) FROM idempotency") == ["0"])
            // If the key cannot be written, the delivery does not exist either.
            try fixture.alter("ALTER TABLE idempotency RENAME COLUMN subscription_id TO away")
            #expect(throws: StoreError.self) {
                _ = try submitter.submit(
                    order, once: Self.key("k"), warnings: [], at: TemporaryStore.noon)
            }
            try fixture.alter("ALTER TABLE idempotency RENAME COLUMN away TO subscription_id")
            #expect(try fixture.store.deliveries.list().isEmpty)
            let end = try submitter.submit(
                order, once: Self.key("k"), warnings: [], at: TemporaryStore.noon)
            guard case .accepted = end else {
                Issue.record("\(end)")
                return
            }
        }
    }

    @Test func `many concurrent requests with one key create one delivery`() throws {
        try TemporaryStore.with { fixture in
            let order = fixture.order(apps: [try fixture.app()])
            let ends = Mutex<[KeyedSubmission]>([])
            let all = DispatchGroup()
            for _ in 0..<6 {
                // The store is opened as another process would open it.
                let store = try fixture.reopened()
                all.enter()
                Thread.detachNewThread {
                    for number in 0..<5 {
                        let end = try? store.deliverySubmitter.submit(
                            order, once: Self.key("k\(number)"), warnings: [], at: TemporaryStore.noon)
                        if let end { ends.withLock { $0.append(end) } }
                    }
                    all.leave()
                }
            }
            #expect(all.wait(timeout: .now() + 60) == .success)
            let made = ends.withLock { $0.compactMap { if case .accepted(let id) = $0 { id } else { nil } } }
            let repeated = ends.withLock {
                $0.compactMap { if case .repeated(let id, _) = $0 { id } else { nil } }
            }
            #expect(made.count == 5 && repeated.count == 25 && Set(made) == Set(repeated))
            #expect(try fixture.store.deliveries.list().count == 5)
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `each key has exactly one delivery, whatever the outcome of commits`(seed: UInt64) throws {
        try TemporaryStore.with { fixture in
            let order = fixture.order(apps: [try fixture.app()])
            let engine = FaultyEngine(fixture.store.writeEngine(name: "master"))
            let relay = WriteRelay()
            let shared = fixture.store.writing(through: relay)
            var chance = SeededRandom(seed: seed)
            var told: [String: DeliveryID] = [:]
            try fixture.withIntake(engine: engine) { _, service in
                relay.forward(to: service)
                for _ in 0..<60 {
                    let place = FaultyEngine.Place.allCases.randomElement(using: &chance) ?? .commit
                    let failure = StoreError(.sqlite(code: 17, during: "test"), path: fixture.path)
                    engine.fail(
                        .init(place: place, error: failure, times: .random(in: 0...2, using: &chance)))
                    let name = "k\(Int.random(in: 0..<12, using: &chance))"
                    let end = try? shared.deliverySubmitter.submit(
                        order, once: Self.key(name), warnings: [], at: TemporaryStore.noon)
                    switch end {
                    case .accepted(let id)?:
                        #expect(told[name] == nil)
                        told[name] = id
                    case .repeated(let id, _)?: told[name] = told[name] ?? id
                    case .keyReused?: Issue.record("\(name) was used for another request")
                    case nil: break
                    }
                }
                relay.forward(to: nil)
            }
            #expect(told.count > 6 && engine.hits > 10)
            for (name, id) in told {
                let known = try fixture.store.deliveries.submission(
                    of: Self.key(name), at: TemporaryStore.noon)
                #expect(known == .repeated(id, warnings: []))
            }
            let keys = try fixture.query("SELECT count(*) FROM idempotency")
            #expect(keys == ["\(try fixture.store.deliveries.list().count)"])
        }
    }

    @Test func `deliveries' keys are removed after a day, and when a subscriber is erased`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            _ = try fixture.store.deliverySubmitter.submit(
                fixture.order(apps: [app]), once: Self.key("k"), warnings: [], at: TemporaryStore.noon)
            let anna = try fixture.store.subscriberFinder.find(userKey: "user-1", in: app.id)
            _ = try fixture.store.subscriberRemover.remove(
                anna.map(\.subscription), at: TemporaryStore.noon)
            #expect(try fixture.query("SELECT count(*) FROM idempotency") == ["1"])
            let rules = RetentionRules(messageDays: 0, quarantineSeconds: 0)
            let late = TemporaryStore.noon.later(seconds: day)
            #expect(try fixture.store.retention.look(rules, at: late).kinds == [.requests])
            _ = try fixture.store.retentionWriter.step(.requests, rules, at: late)
            #expect(try fixture.query("SELECT count(*) FROM idempotency") == ["0"])
        }
    }

    @Test func `an unreadable stored answer is reported as damage, and no delivery is created`() throws {
        try TemporaryStore.with { fixture in
            let order = fixture.order(apps: [try fixture.app()])
            let submitter = fixture.store.deliverySubmitter
            _ = try submitter.submit(order, once: Self.key("k"), warnings: [], at: TemporaryStore.noon)
            try fixture.alter("UPDATE idempotency SET messages = body")
            #expect(throws: StoreError.self) {
                _ = try submitter.submit(order, once: Self.key("k"), warnings: [], at: TemporaryStore.noon)
            }
            #expect(try fixture.store.deliveries.list().count == 1)
        }
    }
}
