import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryPauseTests {
    private let noon = TemporaryStore.noon

    @Test
    func `no part of a paused delivery is prepared or found, and preparation continues after the pause`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let id = try fixture.submit(apps: [app])
            let first = try #require(try fixture.store.preparation.prepareChunk(of: id, at: noon).part)
            #expect(try fixture.store.pause.pause(id) == .changed)
            #expect(try fixture.state(id) == .paused)
            #expect(try fixture.nextToPrepare(at: noon) == nil)
            #expect(try fixture.store.work.openParts().parts == [])
            #expect(try fixture.store.pause.state(of: id) == .paused && fixture.store.pause.paused() == [id])
            // Messages in flight are answered nevertheless.
            try fixture.accept(Array(first.ids.prefix(10)), of: id)
            #expect(try fixture.counts(id).sent == 10)

            #expect(try fixture.store.pause.resume(id) == .changed)
            #expect(try fixture.state(id) == .preparing)
            #expect(try fixture.nextToPrepare(at: noon) == id)
            #expect(try fixture.store.work.openParts().parts == [first])
            try fixture.prepare(id)
            #expect(try fixture.state(id) == .inProgress)
            #expect(try fixture.counts(id).pending == 5_990)
            #expect(
                try fixture.store.pause.state(of: id) == .inProgress && fixture.store.pause.paused() == [])
        }
    }

    @Test(arguments: [false, true])
    func `a delivery that is paused before it begins waits for its start again when it is resumed`(
        hasStart: Bool
    ) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app]) {
                if hasStart { $0.schedule.start = noon.later(seconds: 60).time }
            }
            #expect(try fixture.store.pause.pause(id) == .changed)
            let later = noon.later(seconds: 120)
            #expect(try fixture.nextToPrepare(at: later) == nil)
            #expect(
                try fixture.store.work.nextMoment(after: noon)?.secondsSince1970 ?? .max
                    > later.time.secondsSince1970)
            #expect(try fixture.store.pause.resume(id) == .changed)
            #expect(try fixture.state(id) == .startPending)
            #expect(try fixture.nextToPrepare(at: later) == id)
        }
    }

    @Test func `retries for a paused delivery are not due, but retries for another delivery are`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let ids = try (1...2).map { _ in try fixture.submit(apps: [app]) }
            for id in ids {
                let part = try #require(try fixture.prepare(id).first)
                var batch = OutcomeBatch(delivery: id)
                batch.others = part.ids.map {
                    MessageRecord(
                        message: $0,
                        change: .retrying(due: noon.time, .soft, .unreachable, providerReason: "time out"),
                        countsAttempt: true)
                }
                _ = try fixture.store.outcomes.record([batch], at: noon)
            }
            _ = try fixture.store.pause.pause(ids[0])
            let messages = try fixture.store.messageReader()
            func due() throws -> Set<DeliveryID> {
                var found: Set<DeliveryID> = []
                try messages.retries(app: app.id, dueBy: noon.time, limit: 100) { facts, _, _, _ in
                    found.insert(facts.delivery)
                }
                return found
            }
            #expect(try due() == [ids[1]])
            #expect(try messages.retryingDue(app: app.id, dueBy: noon.time) == 10)
            _ = try fixture.store.pause.resume(ids[0])
            #expect(try due() == Set(ids))
        }
    }

    @Test
    func `validity continues during a pause and ends the delivery, whether it has been prepared or not`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let ids = try (1...3).map { _ in
                try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            }
            // One delivery is prepared completely, one is prepared half, and one is not prepared.
            try fixture.prepare(ids[0])
            _ = try fixture.store.preparation.prepareChunk(of: ids[1], at: noon)
            for id in ids { _ = try fixture.store.pause.pause(id) }
            let end = noon.later(seconds: 60)
            var finished: [DeliveryID] = []
            while case let step = try fixture.store.outcomes.expire(at: end), step.hasMore {
                finished += step.finished
                #expect(try fixture.store.work.openParts().parts == [], "not even while it ends")
            }
            #expect(Set(finished) == Set(ids))
            #expect(try ids.map { try fixture.state($0) } == [.finished, .finished, .failed])
            #expect(try fixture.counts(ids[0]).cancelled == 6_000)
            #expect(try fixture.store.pause.resume(ids[0]) == .unchanged(.finished))
        }
    }

    @Test
    func `the last answer ends a paused delivery, and messages to be sent again wait until it is resumed`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (done, failing) = (try fixture.submit(apps: [app]), try fixture.submit(apps: [app]))
            let all = try #require(try fixture.prepare(done).first).ids
            _ = try fixture.store.pause.pause(done)
            #expect(try fixture.accept(all, of: done).finished == [done])
            #expect(try fixture.state(done) == .finished)

            let part = try #require(try fixture.prepare(failing).first)
            var batch = OutcomeBatch(delivery: failing)
            batch.others = part.ids.prefix(5).map {
                MessageRecord(
                    message: $0, change: .failed(.hard, .refused, providerReason: "BadTopic"),
                    countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            _ = try fixture.store.pause.pause(failing)
            let retry = RetryOfFailed(
                delivery: failing, permanentReasons: [], expiresAt: noon.later(seconds: 900_000).time)
            var cursor = FailedMessages.Cursor()
            #expect(try fixture.store.failedMessages.retry(retry, &cursor, at: noon)?.retried == 5)
            #expect(try fixture.state(failing) == .paused)
            #expect(try fixture.counts(failing).retrying == 5)
        }
    }

    @Test func `pausing an ended or unknown delivery is reported, and pausing a second time changes nothing`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let id = try fixture.submit(apps: [app])
            let pause = fixture.store.pause
            #expect(try pause.resume(id) == .unchanged(.startPending))
            #expect(try pause.pause(id) == .changed)
            #expect(try pause.pause(id) == .unchanged(.paused))
            #expect(try pause.resume(id) == .changed)
            try fixture.accept(try #require(try fixture.prepare(id).first).ids, of: id)
            #expect(try pause.pause(id) == .unchanged(.finished))
            #expect(try pause.pause(DeliveryID(rawValue: 77)) == .unknown)
        }
    }

    @Test func `paused messages are counted separately and do not increase the age of the queue`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (old, new) = (try fixture.submit(apps: [app]), try fixture.submit(apps: [app]))
            for id in [old, new] { try fixture.prepare(id) }
            _ = try fixture.store.pause.pause(old)
            var queue = try #require(try fixture.store.queues.queues().first)
            #expect(queue.pending == 10 && queue.paused == 10 && queue.oldest == noon)
            _ = try fixture.store.pause.pause(new)
            queue = try #require(try fixture.store.queues.queues().first)
            #expect(queue.pending == 0 && queue.paused == 20 && queue.oldest == nil && queue.nextDue == nil)
            #expect(try fixture.store.queues.deliveries() == [.paused: 2])
        }
    }
}
