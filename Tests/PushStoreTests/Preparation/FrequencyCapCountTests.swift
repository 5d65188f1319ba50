import PushModel
import PushStore
import Testing

/// Tests that subscribers who have received as many messages as the service allows are left out.
@Suite(.eachEngine) struct FrequencyCapCountTests {
    private static let noon = TemporaryStore.noon

    private static func cap(_ text: String?, in fixture: TemporaryStore) throws {
        let cap = try text.map { try #require(FrequencyCap($0)) }
        _ = try fixture.writer.updateService(named: "neotrips") { $0.frequencyCap = cap }
    }

    private static func submit(
        _ target: Target = .all, to app: App, at now: WallMoment = noon, in fixture: TemporaryStore
    ) throws -> DeliveryID {
        try fixture.store.deliverySubmitter.submit(fixture.order(target, apps: [app]), at: now)
    }

    /// Accepts all waiting messages of a delivery.
    private static func accept(_ id: DeliveryID, at now: WallMoment = noon, in fixture: TemporaryStore) throws
    {
        let waiting = try fixture.log(id).filter { $0.state == .pending }.map(\.message)
        guard !waiting.isEmpty else { return }
        try fixture.accept(waiting, of: id, at: now)
    }

    /// Prepares a delivery.
    /// - Returns: The numbers of the users whom the delivery excludes because of the cap.
    private static func capped(
        _ target: Target = .all, to app: App, at now: WallMoment = noon, in fixture: TemporaryStore
    ) throws -> [Int] {
        let id = try submit(target, to: app, at: now, in: fixture)
        try fixture.prepare(id, at: now)
        let out = try fixture.log(id).filter { $0.state == .excluded }
        #expect(out.allSatisfy { $0.providerReason == "frequency cap" })
        let reasons = try fixture.store.deliveries.reasons(of: id).counts
        #expect(reasons.filter { $0.text == "frequency cap" }.map(\.count).reduce(0, +) == out.count)
        try accept(id, at: now, in: fixture)
        return out.compactMap { Int($0.userKey.dropFirst(5)) }.sorted()
    }

    private static func users(_ numbers: ClosedRange<Int>) -> Target {
        .userKeys(numbers.map { "user-\($0)" })
    }

    @Test func `a recipient who has reached the frequency cap is left out until the period has passed`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            try Self.cap("2 in 7d", in: fixture)
            #expect(try Self.capped(to: app, in: fixture) == [])
            #expect(try Self.capped(Self.users(1...5), to: app, in: fixture) == [])
            #expect(try Self.capped(to: app, in: fixture) == [1, 2, 3, 4, 5])
            #expect(try Self.capped(to: app, in: fixture) == Array(1...10))
            var everybody = Target.all
            everybody.ignoresFrequencyCap = true
            #expect(try Self.capped(everybody, to: app, in: fixture) == [])
            let later = Self.noon.later(seconds: 7 * 86_400)
            #expect(try Self.capped(to: app, at: later, in: fixture) == Array(1...10))
            let afterwards = later.later(seconds: 1)
            // Subscribers who were left out received no message.
            #expect(try Self.capped(to: app, at: afterwards.later(seconds: 60), in: fixture) == [])
        }
    }

    @Test func `deliveries that are prepared in turns leave out recipients that another one has reached`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            try Self.cap("1 in 1d", in: fixture)
            let ids = try (1...2).map { _ in try Self.submit(to: app, in: fixture) }
            var isComplete = [false, false]
            for _ in 0..<100 {
                for (index, id) in ids.enumerated() where !isComplete[index] {
                    let step = try fixture.store.preparation.prepareChunk(of: id, limit: 3, at: Self.noon)
                    isComplete[index] = step.isComplete
                }
            }
            #expect(isComplete == [true, true])
            let sent = try ids.flatMap { id in
                try fixture.log(id).filter { $0.state == .pending }.map(\.userKey)
            }
            #expect(sent.count == 20 && Set(sent).count == 20)
        }
    }

    @Test func `if a process resumes a delivery, the delivery does not count against itself`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...30, to: app)
            try Self.cap("1 in 1d", in: fixture)
            #expect(try Self.capped(Self.users(1...10), to: app, in: fixture) == [])
            let id = try Self.submit(to: app, in: fixture)
            for _ in 0..<4 {
                _ = try fixture.store.preparation.prepareChunk(of: id, limit: 4, at: Self.noon)
            }
            let other = try fixture.reopened()
            for _ in 0..<100 {
                if try other.preparation.prepareChunk(of: id, limit: 4, at: Self.noon).isComplete { break }
            }
            #expect(try fixture.counts(id).targeted == 20 && fixture.counts(id).excluded == 10)
        }
    }

    @Test func `many small deliveries are counted in steps of many deliveries each`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let first = try Self.submit(Self.users(1...1), to: app, in: fixture)
            try fixture.prepare(first)
            let batches = try fixture.acceptedCopies(2_100, of: first)
            for start in stride(from: 0, to: batches.count, by: 1_000) {
                _ = try fixture.store.outcomes.record(
                    Array(batches[start..<min(start + 1_000, batches.count)]), at: Self.noon)
            }
            try Self.accept(first, in: fixture)
            try Self.cap("100 in 1d", in: fixture)
            let id = try Self.submit(to: app, in: fixture)
            var steps = 0
            while try fixture.state(id) == .preparing || fixture.state(id) == .startPending, steps < 100 {
                let step = try fixture.store.preparation.prepareChunk(of: id, limit: 100, at: Self.noon)
                #expect(step.rows > 0 || step.part == nil && step.looked == 100 && !step.isComplete)
                steps += 1
            }
            // One step covers a thousand deliveries with one message each.
            #expect((3...5).contains(steps), "\(steps)")
            #expect(try fixture.counts(id).targeted == 2 && fixture.counts(id).excluded == 1)
        }
    }

    @Test func `each service has its own cap, even if there are more services than the cache contains`()
        throws
    {
        try TemporaryStore.with { fixture in
            var ids: [[DeliveryID]] = []
            for number in 1...17 {
                let service = try fixture.writer.createService(
                    name: "service-\(number)", label: ""
                ) { $0.frequencyCap = FrequencyCap("1 in 1d") }
                let app = try fixture.writer.createApp(
                    TemporaryStore.settings("app-\(number)"), service: service.name, credential: nil)
                try fixture.subscribe(1...5, to: app)
                func submit(_ target: Target) throws -> DeliveryID {
                    try fixture.submit(target, apps: [app]) { $0.service = service.id }
                }
                ids.append([try submit(Self.users(1...2)), try submit(.all)])
            }
            // First the deliveries to a few subscribers, and then the deliveries to all subscribers. Each
            // delivery is prepared in small chunks that alternate with those of all others.
            for round in 0...1 {
                var waiting = Set(ids.map { $0[round] })
                for _ in 0..<50 where !waiting.isEmpty {
                    for id in waiting.sorted() {
                        let step = try fixture.store.preparation.prepareChunk(of: id, limit: 2, at: Self.noon)
                        if step.isComplete { waiting.remove(id) }
                    }
                }
                #expect(waiting.isEmpty)
            }
            for pair in ids {
                #expect(try fixture.counts(pair[0]).targeted == 2)
                let out = try fixture.log(pair[1]).filter { $0.state == .excluded }.map(\.userKey)
                #expect(out.sorted() == ["user-1", "user-2"])
            }
        }
    }

    @Test func `a delivery that was stopped after it was counted no longer counts once it has ended`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6, to: app)
            try Self.cap("1 in 1d", in: fixture)
            let waiting = try Self.submit(Self.users(1...3), to: app, in: fixture)
            try fixture.prepare(waiting)
            // The delivery counts from here on, and the end of other deliveries does not change that.
            #expect(try Self.capped(Self.users(1...1), to: app, in: fixture) == [1])
            #expect(try Self.capped(Self.users(4...4), to: app, in: fixture) == [])
            #expect(try Self.capped(Self.users(2...4), to: app, in: fixture) == [2, 3, 4])
            _ = try fixture.store.stop.stop(waiting, at: Self.noon)
            #expect(try Self.capped(Self.users(2...4), to: app, in: fixture) == [2, 3, 4])
            while try !fixture.store.stop.cancelNext(of: waiting, at: Self.noon).isOver {}
            #expect(try Self.capped(Self.users(1...4), to: app, in: fixture) == [4])
        }
    }

    @Test func `unsent messages and single messages do not count toward the cap`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6, to: app)
            try Self.cap("1 in 1d", in: fixture)
            let first = try Self.submit(to: app, in: fixture)
            try fixture.prepare(first)
            // The delivery still waits, and counts.
            #expect(try Self.capped(Self.users(1...2), to: app, in: fixture) == [1, 2])
            _ = try fixture.store.stop.stop(first, at: Self.noon)
            for _ in 0..<100 where try fixture.state(first) != .stopped {
                _ = try fixture.store.stop.cancelNext(of: first, at: Self.noon)
            }
            #expect(try fixture.state(first) == .stopped)
            _ = try fixture.accept([try fixture.message(to: .userKey("user-3"), of: app)])
            #expect(try Self.capped(Self.users(1...4), to: app, in: fixture) == [])
        }
    }

    @Test func `a cap can be stored with the label, changed and removed`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            func service() throws -> Service {
                try #require(try fixture.store.catalogue.service(named: "neotrips"))
            }
            #expect(try service().frequencyCap == nil && service().label == "Neotrips")
            try Self.cap("1 in 1d", in: fixture)
            #expect(try service().frequencyCap == FrequencyCap("1 in 1d") && service().label == "Neotrips")
            _ = try fixture.writer.updateService(named: "neotrips") { $0.label = "at most 3 in 7d" }
            #expect(try service().frequencyCap == FrequencyCap("1 in 1d"))
            #expect(try fixture.store.catalogue.services().map(\.label) == ["at most 3 in 7d"])
            #expect(try Self.capped(to: app, in: fixture) == [])
            try Self.cap(nil, in: fixture)
            #expect(try service().frequencyCap == nil && service().label == "at most 3 in 7d")
            #expect(try Self.capped(to: app, in: fixture) == [])
            try Self.cap("3 in 1d", in: fixture)
            #expect(try Self.capped(to: app, in: fixture) == [])
            #expect(try Self.capped(to: app, in: fixture) == [1, 2])
            let other = try fixture.writer.createService(
                name: "other", label: ""
            ) { $0.frequencyCap = FrequencyCap("5 in 2d") }
            #expect(try fixture.store.catalogue.service(other.id) == other)
        }
    }

    @Test func `a damaged part of another delivery does not affect other recipients`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let first = try fixture.finished(apps: [app])
            _ = try fixture.finished(apps: [app])
            try Self.cap("2 in 1d", in: fixture)
            try fixture.alter("UPDATE part SET count = count + 1 WHERE delivery_id = \(first)")
            #expect(try Self.capped(Self.users(1...2), to: app, in: fixture) == [])
            try fixture.alter("UPDATE part SET count = count - 1 WHERE delivery_id = \(first)")
        }
    }

    @Test func `a target preview finds the same recipients as preparation`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...9, to: app)
            try Self.cap("1 in 1d", in: fixture)
            #expect(try Self.capped(Self.users(1...4), to: app, in: fixture) == [])
            func walk(_ target: Target) throws -> [Int] {
                var found = [0, 0]
                try fixture.store.targetWalk.forEachPage(
                    of: fixture.order(target, apps: [app]), at: Self.noon.time, wanting: { _ in .nobody }
                ) { page in
                    found[0] += page.targeted
                    found[1] += page.capped
                }
                return found
            }
            #expect(try walk(.all) == [5, 4])
            var everybody = Target.all
            everybody.ignoresFrequencyCap = true
            #expect(try walk(everybody) == [9, 0])
            #expect(try Self.capped(to: app, in: fixture) == [1, 2, 3, 4])
        }
    }
}
