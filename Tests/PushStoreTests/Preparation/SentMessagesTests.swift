import PushModel
import PushStore
import Testing

/// Tests targets that another delivery defines.
@Suite(.eachEngine) struct SentMessagesTests {
    private static let noon = TemporaryStore.noon

    /// Reports messages on behalf of devices, given the numbers of their users.
    private static func report(
        _ kind: HitKind, of users: some Collection<Int>, _ delivery: DeliveryID, _ app: App,
        in fixture: TemporaryStore
    ) throws {
        let wanted = Set(users.map { "user-\($0)" })
        let entries = try fixture.log(delivery).filter { wanted.contains($0.userKey) }
        #expect(entries.count == users.count)
        for start in stride(from: 0, to: entries.count, by: 1_000) {
            let hits = entries.dropFirst(start).prefix(1_000).map {
                HitRecord(
                    delivery: delivery, message: $0.message, number: $0.ordinal, app: app.id, kind: kind,
                    at: noon)
            }
            _ = try fixture.store.hits.record(hits)
        }
    }

    private static func reached(
        _ base: Target.Base, apps: [App], chunk limit: Int? = nil, in fixture: TemporaryStore
    ) throws -> Set<Int> {
        let id = try fixture.submit(Target(base), apps: apps)
        for _ in 0..<10_000 {
            let step = try fixture.store.preparation.prepareChunk(of: id, limit: limit, at: noon)
            #expect(step.looked <= limit ?? 5_000 && step.rows <= step.looked)
            if step.isComplete { break }
        }
        let log = try fixture.log(id)
        #expect(Set(log.map(\.token)).count == log.count)
        #expect(
            log.isEmpty != (try fixture.store.targets.matchesAnybody(Target(base), of: apps.map(\.id))))
        return Set(log.compactMap { Int($0.userKey.dropFirst(5)) })
    }

    @Test
    func `a recipient who clicked counts as an opener, and a recipient who did not click does not`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            try fixture.alter("UPDATE subscription SET disabled = 1 WHERE user_key = 'user-10'")
            let first = try fixture.submit(apps: [app])
            let log = { try fixture.log(first) }
            try fixture.prepare(first)
            let messages = Dictionary(
                try log().map { ($0.userKey, $0.message) }, uniquingKeysWith: { $1 })
            func message(_ number: Int) throws -> MessageID { try #require(messages["user-\(number)"]) }
            try fixture.accept(try (1...7).map(message), of: first)
            var batch = OutcomeBatch(delivery: first)
            batch.others = [
                MessageRecord(
                    message: try message(8),
                    change: .failed(.hard, .userUnknown, providerReason: "Unregistered"), countsAttempt: true)
            ]
            _ = try fixture.store.outcomes.record([batch], at: Self.noon)
            // Message 9 is still waiting.
            try Self.report(.received, of: [1, 2, 3], first, app, in: fixture)
            try Self.report(.clicked, of: [3, 4], first, app, in: fixture)
            // A click shows that the message arrived, whatever the gateway reported.
            try Self.report(.clicked, of: [8], first, app, in: fixture)
            #expect(try Self.reached(.openers(of: first), apps: [app], in: fixture) == [3, 4, 8])
            #expect(try Self.reached(.nonOpeners(of: first), apps: [app], in: fixture) == [1, 2, 5, 6, 7])
            #expect(try Self.reached(.recipients(of: first), apps: [app], in: fixture) == Set(1...7))

            // Later events count for deliveries that are prepared later.
            try Self.report(.clicked, of: [1], first, app, in: fixture)
            #expect(try Self.reached(.openers(of: first), apps: [app], in: fixture) == [1, 3, 4, 8])
            // No message is sent to a removed subscriber, and a quarantined subscriber is excluded for that
            // reason.
            let gone = try fixture.store.subscriberFinder.find(userKey: "user-3", in: app.id).map(
                \.subscription)
            _ = try fixture.store.subscriberRemover.remove(gone, at: Self.noon)
            try fixture.alter("UPDATE subscription SET disabled = 1 WHERE user_key = 'user-4'")
            let id = try fixture.submit(Target(.openers(of: first)), apps: [app])
            try fixture.prepare(id)
            #expect(try fixture.counts(id).targeted == 2 && fixture.counts(id).excluded == 1)
            // The target can be refined like any other target.
            let rest = try fixture.submit(
                Target(.openers(of: first), excluding: Target.Exclusion(userKeys: ["user-1", "user-4"])),
                apps: [app])
            try fixture.prepare(rest)
            #expect(try fixture.log(rest).map(\.userKey) == ["user-8"])
        }
    }

    @Test func `each subscription in many parts and apps is selected once, with any chunk size`() throws {
        try TemporaryStore.with { fixture in
            let (one, two, three) = (try fixture.app("one"), try fixture.app("two"), try fixture.app("three"))
            try fixture.subscribe(1...5_500, to: one)
            try fixture.subscribe(6_001...6_050, to: two)
            try fixture.subscribe(7_001...7_002, to: three)
            let first = try fixture.finished(apps: [one, two])
            let clicked = Array(stride(from: 3, through: 5_500, by: 7))
            try Self.report(.clicked, of: clicked, first, one, in: fixture)
            try Self.report(.clicked, of: [6_001, 6_050], first, two, in: fixture)
            let openers = Set(clicked + [6_001, 6_050])
            let others = Set(1...5_500).union(6_001...6_050).subtracting(openers)
            for limit in [nil, 777] as [Int?] {
                for apps in [[one, two], [two, one], [three, two, one]] {
                    #expect(
                        try Self.reached(.openers(of: first), apps: apps, chunk: limit, in: fixture)
                            == openers)
                }
                #expect(
                    try Self.reached(.nonOpeners(of: first), apps: [two, one], chunk: limit, in: fixture)
                        == others)
            }
            #expect(try Self.reached(.openers(of: first), apps: [two], in: fixture) == [6_001, 6_050])
            #expect(try Self.reached(.nonOpeners(of: first), apps: [three], in: fixture) == [])
        }
    }

    @Test func `a delivery that cannot be used as a source is refused, and nothing is written`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let first = try fixture.finished(apps: [app])
            func refusal(_ base: Target.Base) throws -> String {
                let count = try fixture.store.deliveries.list().count
                let service = ServiceID(rawValue: 1)
                let why = try fixture.store.targets.fault(of: Target(base), service: service) ?? "none"
                expect(.unfitTarget(what: why)) { _ = try fixture.submit(Target(base), apps: [app]) }
                #expect(try fixture.store.deliveries.list().count == count)
                return why
            }
            let absent = DeliveryID(rawValue: 77)
            #expect(try refusal(.openers(of: absent)) == "target.openersOf: there is no delivery 77")
            #expect(try refusal(.nonOpeners(of: absent)) == "target.nonOpenersOf: there is no delivery 77")

            let untracked = try fixture.submit(apps: [app]) { $0.tracking = false }
            #expect(try refusal(.nonOpeners(of: untracked)).contains("devices cannot report on it"))

            _ = try fixture.writer.createService(name: "other", label: "Other")
            try fixture.alter("UPDATE delivery SET service_id = 2 WHERE id = \(untracked)")
            #expect(
                try refusal(.openers(of: untracked))
                    == "target.openersOf: delivery \(untracked) belongs to another service; specify a delivery of the same service"
            )

            _ = try fixture.accept([try fixture.message(to: .userKey("user-1"), of: app)])
            let open = try #require(try fixture.store.deliveries.list().first { $0.openUntil != nil }).id
            #expect(try refusal(.openers(of: open)).contains("consists of single messages"))

            #expect(try fixture.store.targets.fault(of: .all, service: ServiceID(rawValue: 1)) == nil)
            _ = try fixture.submit(Target(.openers(of: first)), apps: [app])
            _ = try fixture.retainAll(at: TemporaryStore.noon(afterDays: 40))
            #expect(
                try refusal(.nonOpeners(of: first)).contains("messages of delivery \(first) were removed on"))
        }
    }

    @Test func `messages that are removed before preparation select no device`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let first = try fixture.finished(apps: [app], keeping: 1)
            let later = try fixture.submit(Target(.nonOpeners(of: first)), apps: [app]) {
                $0.schedule.start = TemporaryStore.noon(afterDays: 3).time
                $0.schedule.retentionDays = 0
            }
            _ = try fixture.retainAll(at: TemporaryStore.noon(afterDays: 2))
            try fixture.prepare(later, at: TemporaryStore.noon(afterDays: 3))
            #expect(try fixture.state(later) == .finished && fixture.log(later) == [])
        }
    }

    @Test func `damage in a source delivery is an error in the delivery that refers to it`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let first = try fixture.finished(apps: [app])
            let id = try fixture.submit(Target(.nonOpeners(of: first)), apps: [app])
            let members = try #require(
                try fixture.query("SELECT CAST(count AS TEXT) FROM part WHERE delivery_id = \(first)").first)
            try fixture.alter("UPDATE part SET count = count + 1 WHERE delivery_id = \(first)")
            do throws(StoreError) {
                _ = try fixture.store.preparation.prepareChunk(of: id, at: Self.noon)
                Issue.record("nothing was thrown")
            } catch {
                guard case .unreadableValue = error.cause else { throw error }
                #expect(error.delivery == id)
            }
            try fixture.alter("UPDATE part SET count = \(members) WHERE delivery_id = \(first)")
            try fixture.prepare(id)
            #expect(try fixture.counts(id).targeted == 5)
        }
    }
}
