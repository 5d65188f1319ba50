import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct WorkReaderTests {
    private let noon = TemporaryStore.noon

    @Test func `the delivery with the highest priority is prepared first, and among equals the oldest`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let normal = try fixture.submit(apps: [app])
            let low = try fixture.submit(apps: [app]) { $0.schedule.priority = .low }
            let high = try fixture.submit(apps: [app]) { $0.schedule.priority = .high }
            let second = try fixture.submit(apps: [app])
            var order: [DeliveryID] = []
            while let next = try fixture.nextToPrepare(at: noon), order.count < 9 {
                order.append(next)
                try fixture.prepare(next)
            }
            #expect(order == [high, normal, second, low])
        }
    }

    /// Prepares in turns until nothing is left. - Returns: The deliveries in the order of their chunks.
    private func turns(
        _ fixture: TemporaryStore, between: (Int) throws -> Void = { _ in }
    ) throws -> [DeliveryID] {
        var turns = PreparationTurns()
        var order: [DeliveryID] = []
        while let next = try fixture.store.work.nextToPrepare(at: noon, &turns), order.count < 100 {
            _ = try fixture.store.preparation.prepareChunk(of: next, at: noon)
            order.append(next)
            try between(order.count)
        }
        return order
    }

    @Test func `a small delivery behind a large one with the same priority is prepared at the next turn`()
        throws
    {
        try TemporaryStore.with { fixture in
            // Each app takes at least one chunk.
            let apps = try (1...12).map { try fixture.app("app-\($0)") }
            for app in apps { try fixture.subscribe(1...2, to: app) }
            let large = try fixture.submit(apps: apps)
            let (first, second) = (try fixture.submit(apps: [apps[0]]), try fixture.submit(apps: [apps[1]]))
            #expect(try turns(fixture) == [large, first, second] + Array(repeating: large, count: 11))
            #expect(try fixture.counts(large).pending == 24)
        }
    }

    @Test func `deliveries with a higher priority do not restart the round of a lower priority`() throws {
        try TemporaryStore.with { fixture in
            let apps = try (1...3).map { try fixture.app("app-\($0)") }
            for app in apps { try fixture.subscribe(1...2, to: app) }
            let large = try (1...3).map { _ in try fixture.submit(apps: apps) }
            var urgent: [DeliveryID] = []
            let order = try turns(fixture) { count in
                if count % 2 == 1, urgent.count < 9 {
                    urgent.append(try fixture.submit(apps: [apps[0]]) { $0.schedule.priority = .high })
                }
            }
            #expect(order.filter(urgent.contains) == urgent)
            #expect(order.filter(large.contains) == large + large + large)
            // Each urgent delivery was prepared immediately.
            for (index, delivery) in urgent.enumerated() { #expect(order[2 * index + 1] == delivery) }
        }
    }

    @Test func `a scheduled delivery waits for its start, which is reported as the next moment`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            #expect(try fixture.store.work.nextMoment(after: noon) == nil)
            let start = noon.later(seconds: 600)
            let id = try fixture.submit(apps: [app]) { $0.schedule.start = start.time }
            #expect(try fixture.nextToPrepare(at: noon) == nil)
            #expect(try fixture.store.work.nextMoment(after: noon) == start.time)
            #expect(try fixture.nextToPrepare(at: start) == id)
            // From then on, the end of its validity is the next moment.
            #expect(try fixture.store.work.nextMoment(after: start) == start.later(seconds: 5 * 86_400).time)
        }
    }

    @Test
    func `a delivery whose start is reached is prepared by priority, without taking another delivery's turn`()
        throws
    {
        try TemporaryStore.with { fixture in
            let apps = try (1...3).map { try fixture.app("app-\($0)") }
            for app in apps { try fixture.subscribe(1...2, to: app) }
            func submit(_ priority: DeliveryPriority, start seconds: Int64?) throws -> DeliveryID {
                try fixture.submit(apps: apps) {
                    $0.schedule.priority = priority
                    $0.schedule.start = seconds.map { noon.later(seconds: $0).time }
                }
            }
            let (first, second) = (try submit(.normal, start: nil), try submit(.normal, start: nil))
            let (due, future) = (try submit(.normal, start: 0), try submit(.veryHigh, start: 60))
            let low = try submit(.low, start: -60)
            let order = try turns(fixture)
            #expect(order.prefix(2) == [due, first] && !order.contains(future))
            #expect(
                order.filter { $0 != due } == [first, second, first, second, first, second, low, low, low])
            #expect(try fixture.store.work.nextMoment(after: noon) == noon.later(seconds: 60).time)
            #expect(try fixture.nextToPrepare(at: noon.later(seconds: 60)) == future)
        }
    }

    @Test func `a delivery whose validity has ended is not prepared, however it began`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            for start in [nil, noon.later(seconds: 5).time] {
                _ = try fixture.submit(apps: [app]) {
                    $0.schedule.start = start
                    $0.schedule.validitySeconds = 60
                }
            }
            #expect(try fixture.nextToPrepare(at: noon.later(seconds: 10)) != nil)
            #expect(try fixture.nextToPrepare(at: noon.later(seconds: 100)) == nil)
        }
    }

    @Test func `the earliest retry of any app is reported as the next moment`() throws {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            for app in apps { try fixture.subscribe(1...2, to: app) }
            let id = try fixture.submit(apps: apps)
            let parts = try fixture.prepare(id)
            var batch = OutcomeBatch(delivery: id)
            for (part, seconds) in zip(parts, [90, 30] as [Int64]) {
                batch.others.append(
                    MessageRecord(
                        message: part.ids[0],
                        change: .retrying(
                            due: noon.later(seconds: seconds).time, .soft, .refused,
                            providerReason: "TooManyRequests"
                        ),
                        countsAttempt: true))
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            #expect(try fixture.store.work.nextMoment(after: noon) == noon.later(seconds: 30).time)
            // A moment that is already due is not in the future.
            #expect(
                try fixture.store.work.nextMoment(after: noon.later(seconds: 30))
                    == noon.later(seconds: 90).time)
        }
    }

    @Test func `open parts are read page by page, except parts after their first pass and ended deliveries`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let ids = try (1...5).map { _ in try fixture.submit(apps: [app]) }
            let parts = try ids.map { try #require(try fixture.prepare($0).first) }
            try fixture.record(
                parts[1].ids.map {
                    MessageRecord(
                        message: $0, change: .retrying(due: noon.time, .soft, .refused, providerReason: "x"),
                        countsAttempt: true)
                }, of: ids[1])
            try fixture.accept(parts[3].ids, of: ids[3])
            #expect(try fixture.store.work.openParts(limit: 2).parts == [parts[0], parts[2]])
            #expect(try fixture.store.work.openParts(after: parts[2].id).parts == [parts[4]])
        }
    }

    @Test func `open parts are read with the priorities of their deliveries`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            for priority in DeliveryPriority.allCases {
                let id = try fixture.submit(apps: [app]) { $0.schedule.priority = priority }
                let part = try #require(try fixture.prepare(id).first)
                let open = try fixture.store.work.openParts(after: PartID(rawValue: part.id.rawValue - 1))
                #expect(open.parts == [part] && open.priorities == [id: priority])
                #expect(
                    try fixture.store.work.openParts(of: app.id, part.id...part.id).priorities == [
                        id: priority
                    ]
                )
            }
        }
    }
}
