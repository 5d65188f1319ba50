import PushModel
import PushStore
import Testing

/// Tests targets that combine choosers. See also ``TargetSelectionTests`` and ``SentMessagesTests``.
@Suite(.eachEngine) struct CombinedTargetTests {
    private static let noon = TemporaryStore.noon

    /// Adds subscribers `user-1`… whose parameter `digit` is the last digit of their number.
    private static func subscribe(_ numbers: ClosedRange<Int>, to app: App, in fixture: TemporaryStore) throws
    {
        let records = numbers.map {
            SubscriberRecord(
                token: TemporaryStore.token($0), userKey: "user-\($0)",
                parametersJSON: #"{"digit":"\#($0 % 10)"}"#)
        }
        _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: noon)
    }

    private static func click(
        _ users: some Collection<Int>, _ delivery: DeliveryID, _ app: App, in fixture: TemporaryStore
    ) throws {
        let wanted = Set(users.map { "user-\($0)" })
        let hits = try fixture.log(delivery).filter { wanted.contains($0.userKey) }.map {
            HitRecord(
                delivery: delivery, message: $0.message, number: $0.ordinal, app: app.id, kind: .clicked,
                at: noon)
        }
        #expect(hits.count == users.count)
        _ = try fixture.store.hits.record(hits)
    }

    /// Returns the numbers of the subscribers that a target reaches. Each must be reached once, and a walk
    /// must count as many.
    private static func reached(
        _ target: Target, apps: [App], chunk limit: Int? = nil, in fixture: TemporaryStore
    ) throws -> Set<Int> {
        let id = try fixture.submit(target, apps: apps)
        #expect(try fixture.store.deliveries.delivery(id)?.order.target == target)
        var isComplete = false
        for _ in 0..<10_000 where !isComplete {
            let step = try fixture.store.preparation.prepareChunk(of: id, limit: limit, at: noon)
            #expect(step.looked <= limit ?? 5_000 && step.rows <= step.looked)
            isComplete = step.isComplete
        }
        #expect(isComplete)
        let log = try fixture.log(id)
        #expect(Set(log.map(\.token)).count == log.count)
        #expect(log.isEmpty != (try fixture.store.targets.matchesAnybody(target, of: apps.map(\.id))))
        var walked = 0
        try fixture.store.targetWalk.forEachPage(
            of: fixture.order(target, apps: apps), at: noon.time, wanting: { _ in .nobody }
        ) { walked += $0.targeted + $0.quarantined + $0.disabled + $0.reachedElsewhere }
        #expect(walked == log.count)
        return Set(log.compactMap { Int($0.userKey.dropFirst(5)) })
    }

    private static func digit(_ digits: Int...) -> TargetSet {
        .matching(.oneOf("digit", digits.map { .text("\($0)") }))
    }

    private static func keys(_ numbers: Int...) -> TargetSet { .userKeys(numbers.map { "user-\($0)" }) }

    @Test func `sets are combined, whatever leads the search and whatever the size of chunks`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try Self.subscribe(1...300, to: one, in: fixture)
            try Self.subscribe(401...420, to: two, in: fixture)
            let first = try fixture.submit(.userKeys((1...200).map { "user-\($0)" }), apps: [one, two])
            try fixture.acceptAll(try fixture.prepare(first).flatMap(\.ids), of: first)
            let openers = Set(stride(from: 5, through: 200, by: 5))
            try Self.click(openers, first, one, in: fixture)
            let (all, sent) = (Set(1...300).union(401...420), Set(1...200))
            let fives = all.filter { $0 % 10 == 5 }
            let (opened, unopened) = (
                TargetSet.sent(.openers, of: first), TargetSet.sent(.nonOpeners, of: first)
            )
            let recipients = TargetSet.sent(.recipients, of: first)
            let cases: [(TargetSet, Set<Int>)] = [
                (.and([Self.digit(5), .not(opened)]), fives.subtracting(openers)),
                (.and([Self.digit(5), opened]), fives.intersection(openers)),
                (.and([opened, .not(Self.digit(5))]), openers.subtracting(fives)),
                (
                    .and([unopened, .not(.tokens([TemporaryStore.token(3)]))]),
                    sent.subtracting(openers).subtracting([3])
                ),
                (.or([Self.digit(5), opened]), fives.union(openers)),
                (.or([Self.keys(7, 410), .and([.all, Self.digit(5)])]), fives.union([7, 410])),
                (.not(recipients), all.subtracting(sent)),
                (.not(.or([opened, unopened])), all.subtracting(sent)),
                (.and([Self.keys(1, 5, 7, 410, 999), .not(opened)]), [1, 7, 410]),
                (.and([.tokens([5, 10, 11].map(TemporaryStore.token)), opened, Self.digit(0)]), [10]),
                (.and([opened]), openers), (.or([.all]), all), (.not(.all), []),
                (.not(.not(.not(Self.digit(5)))), all.subtracting(fives)),
                (.and([recipients, recipients, .not(opened)]), sent.subtracting(openers)),
            ]
            for (set, wanted) in cases {
                for limit in [nil, 7] as [Int?] {
                    #expect(
                        try Self.reached(Target(.combined(set)), apps: [one, two], chunk: limit, in: fixture)
                            == wanted, "\(set)")
                }
            }
        }
    }

    @Test func `exclusions by any set apply to every kind of target`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...100, to: app, in: fixture)
            let first = try fixture.finished(apps: [app])
            try Self.click([5, 6, 7], first, app, in: fixture)
            let exclusion = Target.Exclusion(
                userKeys: ["user-1"],
                sets: [.sent(.openers, of: first), .and([Self.digit(2), .not(Self.keys(2))])])
            let out = Set([1, 5, 6, 7]).union((1...100).filter { $0 % 10 == 2 && $0 != 2 })
            let all = Set(1...100)
            let bases: [(Target.Base, Set<Int>)] = [
                (.all, all),
                (.userKeys(["user-1", "user-2", "user-12", "user-3", "user-5"]), [1, 2, 12, 3, 5]),
                (.tokens([1, 2, 5, 22].map(TemporaryStore.token)), [1, 2, 5, 22]),
                (.parameters(["digit": "2"]), all.filter { $0 % 10 == 2 }),
                (.matching(.compare("digit", .less, .integer(3))), all.filter { $0 % 10 < 3 }),
                (.recipients(of: first), all), (.nonOpeners(of: first), all.subtracting([5, 6, 7])),
                (.openers(of: first), [5, 6, 7]),
                (.combined(.or([Self.digit(2), Self.keys(9)])), all.filter { $0 % 10 == 2 || $0 == 9 }),
            ]
            for (base, wanted) in bases {
                let target = Target(base, excluding: exclusion)
                for limit in [nil, 9] as [Int?] {
                    #expect(
                        try Self.reached(target, apps: [app], chunk: limit, in: fixture)
                            == wanted.subtracting(out), "\(base)")
                }
            }
        }
    }

    @Test func `preparation continues after the store is reopened, and subscribers are quarantined as ever`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...300, to: app, in: fixture)
            let first = try fixture.finished(apps: [app])
            try Self.click(1...100, first, app, in: fixture)
            try fixture.alter("UPDATE subscription SET disabled = 1 WHERE user_key IN ('user-3', 'user-203')")
            let wanted = Set(101...300)
            for set in [
                TargetSet.not(.sent(.openers, of: first)),
                .and([.sent(.nonOpeners, of: first), .not(.sent(.openers, of: first))]),
            ] {
                let id = try fixture.submit(Target(.combined(set)), apps: [app])
                var isComplete = false
                for _ in 0..<100 where !isComplete {
                    let again = try fixture.reopened().preparation
                    isComplete = try again.prepareChunk(of: id, limit: 50, at: Self.noon).isComplete
                }
                #expect(isComplete)
                let log = try fixture.log(id)
                #expect(log.count == wanted.count)
                #expect(Set(log.compactMap { Int($0.userKey.dropFirst(5)) }) == wanted)
                #expect(try fixture.counts(id).targeted == 199 && fixture.counts(id).excluded == 1)
            }
        }
    }

    @Test func `a user is reached once, on a device that is in all sets`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...20, to: app, in: fixture)
            let first = try fixture.finished(apps: [app])
            // Later, each of the first ten users has a newer device, which is not in the earlier delivery.
            let newer = (1...10).map {
                SubscriberRecord(
                    token: TemporaryStore.token($0 + 100), userKey: "user-\($0)",
                    parametersJSON: #"{"digit":"9"}"#)
            }
            _ = try fixture.store.subscriberImporter.upsert(
                newer, into: app.id, at: Self.noon.later(seconds: 60))
            func tokens(_ set: TargetSet) throws -> Set<String> {
                var target = Target(.combined(set))
                target.isOncePerUser = true
                let id = try fixture.submit(target, apps: [app])
                try fixture.prepare(id, at: Self.noon.later(seconds: 120))
                return Set(try fixture.log(id).filter { $0.state == .pending }.map(\.token))
            }
            func devices(_ numbers: some Sequence<Int>) -> Set<String> {
                Set(numbers.map(TemporaryStore.token))
            }
            #expect(try tokens(.or([.all])) == devices(Array(11...20) + Array(101...110)))
            #expect(try tokens(.and([.sent(.recipients, of: first)])) == devices(1...20))
            #expect(try tokens(.not(.sent(.recipients, of: first))) == devices(101...110))
            #expect(try tokens(.and([Self.keys(1, 2), .not(Self.digit(9))])) == devices(1...2))
            #expect(try tokens(.and([Self.keys(1, 2), .or([.all])])) == devices(101...102))
        }
    }

    @Test func `if an earlier delivery loses its messages before preparation, no device is reached`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let first = try fixture.finished(apps: [app], keeping: 1)
            let opened = TargetSet.sent(.openers, of: first)
            let targets = [
                Target(.combined(.not(opened))), Target(.combined(.or([.all, opened]))),
                Target(.all, excluding: Target.Exclusion(sets: [opened])),
                Target(.combined(.and([.sent(.recipients, of: first), .not(.userKeys(["user-1"]))]))),
            ]
            let deliveries = try targets.map { target in
                try fixture.submit(target, apps: [app]) {
                    $0.schedule.start = TemporaryStore.noon(afterDays: 3).time
                    $0.schedule.retentionDays = 0
                }
            }
            _ = try fixture.retainAll(at: TemporaryStore.noon(afterDays: 2))
            for id in deliveries {
                try fixture.prepare(id, at: TemporaryStore.noon(afterDays: 3))
                #expect(try fixture.state(id) == .finished && fixture.log(id) == [])
            }
            let why = try #require(
                try fixture.store.targets.fault(of: targets[0], service: ServiceID(rawValue: 1)))
            #expect(why.hasPrefix("target.not.openersOf: the messages of delivery \(first) were removed on"))
        }
    }

    @Test func `a missing earlier delivery, or the delivery itself, is refused with its place`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            // This is the number that the new delivery would have.
            let itself = DeliveryID(rawValue: 1)
            let set = TargetSet.and([.all, .or([.not(.sent(.nonOpeners, of: itself))])])
            let service = ServiceID(rawValue: 1)
            let combined = try fixture.store.targets.fault(of: Target(.combined(set)), service: service)
            #expect(combined == "target.and[1].or[0].not.nonOpenersOf: there is no delivery 1")
            expect(.unfitTarget(what: combined ?? "")) {
                _ = try fixture.submit(Target(.combined(set)), apps: [app])
            }
            let excluding = Target(.all, excluding: Target.Exclusion(sets: [.sent(.recipients, of: itself)]))
            #expect(
                try fixture.store.targets.fault(of: excluding, service: service)
                    == "target.exclude.recipientsOf: there is no delivery 1")
            #expect(try fixture.store.deliveries.list().isEmpty)
        }
    }

    @Test func `a person is erased from the lists in sets, and a preparation in progress continues`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...20, to: app, in: fixture)
            let target = Target(
                .combined(.or([Self.keys(1, 2, 3), .tokens([TemporaryStore.token(4)])])),
                excluding: Target.Exclusion(sets: [Self.keys(3)]))
            let id = try fixture.submit(target, apps: [app])
            _ = try fixture.store.preparation.prepareChunk(of: id, limit: 1, at: Self.noon)
            var place: PersonData.ListedPage? = .first
            var erased = 0
            while let next = place {
                let step = try fixture.store.personTraces.eraseListed(
                    [ExactText("user-2"), ExactText("user-3")], after: next)
                erased += step.erased
                place = step.next
            }
            #expect(erased == 3)
            try fixture.prepare(id)
            // The third subscriber is in neither list any more.
            #expect(Set(try fixture.log(id).map(\.userKey)) == ["user-1", "user-4"])
        }
    }

    @Test(arguments: [
        #"{"base":"combined","excludedUserKeys":0,"excludedTokens":0}"#,
        #"{"base":"combined","set":{"some":1},"excludedUserKeys":0,"excludedTokens":0}"#,
        #"{"base":"combined","set":{},"excludedUserKeys":0,"excludedTokens":0}"#,
        #"{"base":"combined","set":{"userKeys":{"list":0,"count":9}},"excludedUserKeys":0,"excludedTokens":0}"#,
        #"{"base":"combined","set":{"and":[{"tokens":{"list":7,"count":9}}]},"excludedUserKeys":0,"excludedTokens":0}"#,
        #"{"base":"combined","set":{"tokens":{"list":9223372036854775807,"count":1}},"excludedUserKeys":0,"excludedTokens":0}"#,
        #"{"base":"combined","excludingBase":"where","excludedSets":[],"excludedUserKeys":0,"excludedTokens":0}"#,
    ])
    func `a damaged combination reaches no device and is an error in its delivery`(column: String) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.subscribe(1...10, to: app, in: fixture)
            let id = try fixture.submit(Target(.combined(Self.keys(1, 2))), apps: [app])
            try fixture.alter("UPDATE delivery SET target_parameters = '\(column)' WHERE id = \(id)")
            do throws(StoreError) {
                _ = try fixture.store.preparation.prepareChunk(of: id, at: Self.noon)
                Issue.record("nothing was thrown")
            } catch {
                guard case .unreadableValue = error.cause else { throw error }
                #expect(error.delivery == id)
            }
            #expect(try fixture.log(id) == [])
        }
    }
}
