import PushModel
import PushStore
import Testing

/// Tests that only one of a user's devices is reached.
@Suite(.eachEngine) struct OncePerUserTests {
    private static let noon = TemporaryStore.noon

    /// - Parameter day: The day of the device's first registration, counted back from noon.
    private static func register(
        _ number: Int, of user: String, with app: App, daysAgo day: Int64, _ parameters: String? = nil,
        in fixture: TemporaryStore
    ) throws {
        let record = SubscriberRecord(
            token: TemporaryStore.token(number), userKey: user, parametersJSON: parameters)
        _ = try fixture.store.subscriberImporter.upsert(
            [record], into: app.id, at: Self.noon.later(seconds: -86_400 * day))
    }

    private static func once(_ base: Target.Base, without tokens: [Int] = []) -> Target {
        var target = Target(
            base, excluding: Target.Exclusion(tokens: tokens.map(TemporaryStore.token)))
        target.isOncePerUser = true
        return target
    }

    /// Returns the numbers of the devices that are used. All other devices in the target must be left out for
    /// this reason, and walking through the target must find the same number of devices.
    private static func reached(
        _ target: Target, apps: [App], chunk limit: Int? = nil, in fixture: TemporaryStore
    ) throws -> [Int] {
        var (walked, elsewhere) = (0, 0)
        try fixture.store.targetWalk.forEachPage(
            of: fixture.order(target, apps: apps), at: Self.noon.time, wanting: { _ in .nobody }
        ) { page in
            walked += page.targeted
            elsewhere += page.reachedElsewhere
        }
        let id = try fixture.submit(target, apps: apps)
        #expect(try fixture.store.deliveries.delivery(id)?.order.target == target)
        try prepare(id, chunk: limit, in: fixture)
        let log = try fixture.log(id)
        let out = log.filter { $0.providerReason == "once per user" }
        #expect(out.allSatisfy { $0.state == .excluded })
        let reasons = try fixture.store.deliveries.reasons(of: id).counts
        #expect(reasons.filter { $0.text == "once per user" }.map(\.count).reduce(0, +) == out.count)
        let sent = log.filter { $0.state == .pending }
        #expect(walked == sent.count && elsewhere == out.count)
        return try numbers(of: sent)
    }

    private static func prepare(
        _ id: DeliveryID, chunk limit: Int?, at now: WallMoment = noon, in fixture: TemporaryStore
    ) throws {
        for _ in 0..<1_000 {
            if try fixture.store.preparation.prepareChunk(of: id, limit: limit, at: now).isComplete { return }
        }
        Issue.record("preparation does not end")
    }

    private static func numbers(of log: [MessageLogEntry]) throws -> [Int] {
        try log.map { entry in
            try #require((1...200).first { TemporaryStore.token($0) == entry.token })
        }.sorted()
    }

    @Test func `the most recently registered device is used, whatever its app and chunk`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            let other = try fixture.app("other")
            try Self.register(1, of: "ann", with: one, daysAgo: 3, in: fixture)
            try Self.register(2, of: "ann", with: two, daysAgo: 1, in: fixture)
            try Self.register(3, of: "ann", with: one, daysAgo: 2, in: fixture)
            try Self.register(4, of: "bob", with: one, daysAgo: 1, in: fixture)
            try Self.register(5, of: "bob", with: two, daysAgo: 9, in: fixture)
            // A device in an app that the delivery does not target.
            try Self.register(6, of: "bob", with: other, daysAgo: 0, in: fixture)
            // Devices without a user, and one device for each of two user keys that look alike to a reader.
            for number in 7...9 { try Self.register(number, of: "", with: one, daysAgo: 1, in: fixture) }
            try Self.register(10, of: "\u{E9}", with: one, daysAgo: 1, in: fixture)
            try Self.register(11, of: "e\u{301}", with: two, daysAgo: 2, in: fixture)
            for limit in [nil, 1, 2] {
                let found = try Self.reached(Self.once(.all), apps: [one, two], chunk: limit, in: fixture)
                #expect(found == [2, 4, 7, 8, 9, 10, 11])
            }
            #expect(try Self.reached(Self.once(.all), apps: [two], in: fixture) == [2, 5, 11])
            let listed = Self.once(.userKeys(["ann", "bob", "nobody"]))
            #expect(try Self.reached(listed, apps: [one, two], chunk: 1, in: fixture) == [2, 4])
            // Each device is reached separately if the target does not require once per user.
            #expect(try Self.reached(.all, apps: [one, two], in: fixture).count == 10)
        }
    }

    @Test func `a device that is excluded does not block its user's other devices`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            let paris = #"{"city":"Paris"}"#
            try Self.register(1, of: "ann", with: one, daysAgo: 3, paris, in: fixture)
            try Self.register(2, of: "ann", with: two, daysAgo: 2, paris, in: fixture)
            try Self.register(3, of: "ann", with: one, daysAgo: 1, in: fixture)
            func reached(_ target: Target) throws -> [Int] {
                try Self.reached(target, apps: [one, two], in: fixture)
            }
            #expect(try reached(Self.once(.all)) == [3])
            #expect(try reached(Self.once(.all, without: [3])) == [2])
            #expect(try reached(Self.once(.tokens([1, 2].map(TemporaryStore.token)))) == [2])
            #expect(try reached(Self.once(.parameters(["city": "Paris"]))) == [2])
            #expect(try reached(Self.once(.matching(.exists("city", true)))) == [2])
            #expect(try reached(Self.once(.matching(.exists("city", false)))) == [3])
            for state in [QuarantineState.quarantined.rawValue, QuarantineState.disabled.rawValue] {
                let sql = "UPDATE subscription SET disabled = \(state) WHERE created_at ="
                let created = Self.noon.time.advanced(bySeconds: -86_400).secondsSince1970
                try fixture.alter("\(sql) \(created)")
                #expect(try reached(Self.once(.all)) == [2])
                #expect(try reached(Self.once(.all, without: [2])) == [1])
            }
        }
    }

    @Test func `a sample reaches each user at most once, and selects from all of the user's devices`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            for number in 1...60 {
                try Self.register(
                    number, of: "user-\(number % 20)", with: app, daysAgo: Int64(number), in: fixture)
            }
            let sample = try #require(TargetSample(share: 400_000, seed: 5))
            let all = try Self.reached(Target(.all, sample: sample), apps: [app], in: fixture)
            var target = Target(.all, sample: sample)
            target.isOncePerUser = true
            let once = try Self.reached(target, apps: [app], chunk: 7, in: fixture)
            // The device with the smallest number registered last.
            let newest = Set(Dictionary(grouping: all) { $0 % 20 }.values.compactMap { $0.min() })
            #expect(Set(once) == newest)
        }
    }

    @Test func `if a user registers a device during preparation, the user still receives the message once`()
        throws
    {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try Self.register(1, of: "ann", with: one, daysAgo: 3, in: fixture)
            try Self.register(2, of: "bob", with: two, daysAgo: 3, in: fixture)
            try Self.register(3, of: "bob", with: one, daysAgo: 2, in: fixture)
            let id = try fixture.submit(Self.once(.all), apps: [one, two])
            _ = try fixture.store.preparation.prepareChunk(of: id, limit: 2, at: Self.noon)
            // A new device, and an old device that registers again.
            try Self.register(4, of: "ann", with: two, daysAgo: -1, in: fixture)
            try Self.register(2, of: "bob", with: two, daysAgo: -1, in: fixture)
            try Self.register(5, of: "eve", with: two, daysAgo: -1, in: fixture)
            try Self.register(6, of: "eve", with: two, daysAgo: -2, in: fixture)
            let later = Self.noon.later(seconds: 3 * 86_400)
            try Self.prepare(id, chunk: 1, at: later, in: fixture)
            let sent = try fixture.log(id).filter { $0.state == .pending }
            #expect(try Self.numbers(of: sent) == [1, 3, 5])
            #expect(try fixture.counts(id).excluded == 3)
        }
    }

    @Test func `if a cap leaves out a device, no other device of the same user is used`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.register(1, of: "ann", with: app, daysAgo: 3, in: fixture)
            try Self.register(2, of: "ann", with: app, daysAgo: 2, in: fixture)
            _ = try fixture.writer.updateService(named: "neotrips") {
                $0.frequencyCap = FrequencyCap("1 in 1d")
            }
            #expect(try Self.reached(Self.once(.all), apps: [app], in: fixture) == [2])
            #expect(try Self.reached(Self.once(.all), apps: [app], in: fixture) == [])
            #expect(try Self.reached(.all, apps: [app], in: fixture) == [1])
        }
    }

    @Test func `a user key with very many devices is reached on one of the newest devices`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let records = (1...150).map {
                SubscriberRecord(token: TemporaryStore.token($0), userKey: "guest", parametersJSON: nil)
            }
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: Self.noon)
            #expect(try Self.reached(Self.once(.all), apps: [app], chunk: 40, in: fixture).count == 1)
        }
    }
}
