import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import Testing

/// Tests what the writer's thread removes without a request, and when.
@Suite struct RetentionKeeperTests {
    private static let rules = RetentionRules(messageDays: 30, quarantineSeconds: 90 * 86_400)

    /// Returns a delivery whose messages were all accepted the given number of days ago.
    private func ended(_ fixture: MasterFixture, _ app: App, daysAgo days: Int64) throws -> DeliveryID {
        let then = WallMoment(Clocks.wall().advanced(bySeconds: -days * 86_400))
        let delivery = try fixture.submit(app)
        while case let step = try fixture.store.preparation.prepareChunk(of: delivery, at: then),
            let part = step.part
        {
            var batch = OutcomeBatch(delivery: delivery)
            batch.accepted = part.ids
            _ = try fixture.store.outcomes.record([batch], at: then)
            if step.isComplete { break }
        }
        return delivery
    }

    private func withWriter(
        _ fixture: MasterFixture, _ rules: RetentionRules = rules, first: [StoreWriter.Job] = [],
        wall: @escaping @Sendable () -> WallMoment = Clocks.moment, _ story: (WriterInbox) throws -> Void
    ) throws {
        let inbox = try WriterInbox(store: fixture.store, loop: fixture.loop, rules: .usual, wall: wall)
        for job in first { inbox.send(job) }
        let threads = WriterThreads(inbox, retention: rules)
        defer {
            inbox.send(.stop)
            #expect(threads.hasEnded())
        }
        try story(inbox)
    }

    private func removal(_ fixture: MasterFixture) throws -> String {
        try fixture.next("a removal") { if case .removed(let line) = $0 { line } else { nil } }
    }

    @Test func `at its start the retention worker removes expired messages and reports their removal once`()
        throws
    {
        try MasterFixture.with(damages: true) { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let old = try ended(fixture, app, daysAgo: 40)
            let young = try ended(fixture, app, daysAgo: 20)
            try withWriter(fixture) { _ in
                let line = try removal(fixture)
                #expect(line == "removed after the retention period: 10 messages of 1 delivery")
            }
            #expect(try fixture.store.deliveries.summary(of: old)?.removed != nil)
            #expect(try fixture.store.deliveries.summary(of: young)?.removed == nil)
            #expect(fixture.rest().allSatisfy { if case .removed = $0 { false } else { true } })
        }
    }

    @Test func `messages that expire later are removed on time, without a request`() throws {
        try MasterFixture.with(damages: true) { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let delivery = try ended(fixture, app, daysAgo: 0)
            var rules = Self.rules
            (rules.messageDays, rules.secondsPerDay) = (2, 1)
            try withWriter(fixture, rules) { _ in _ = try removal(fixture) }
            let summary = try #require(try fixture.store.deliveries.summary(of: delivery))
            let (removed, finished) = (try #require(summary.removed), try #require(summary.finished))
            #expect(removed.seconds(since: finished) >= 2)
        }
    }

    @Test func `after a clock jump, nothing is removed before the given time`() throws {
        try MasterFixture.with(damages: true) { fixture in
            let delivery = try ended(fixture, try fixture.app("one", subscribers: 10), daysAgo: 40)
            let until = Clocks.monotonic().advanced(bySeconds: 1)
            try withWriter(fixture, first: [.postponeExpiry(until: until), .look]) { _ in
                _ = try removal(fixture)
                #expect(Clocks.monotonic() >= until)
            }
            #expect(try fixture.store.deliveries.summary(of: delivery)?.removed != nil)
        }
    }

    @Test func `after the clock was set, nothing is removed, even before the jump is reported`() throws {
        try MasterFixture.with(damages: true) { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let delivery = try ended(fixture, app, daysAgo: 0)
            let clock = SettableClock()
            try withWriter(fixture, wall: clock.moment) { inbox in
                let next = try fixture.submit(app)
                inbox.send(.look)
                try fixture.next("prepared") { $0.isPrepared ? () : nil }
                clock.set(ahead: 40 * 86_400)
                // One poll discovers the changed clock; after it, only removal remains to be done.
                let later = Clocks.wall().advanced(bySeconds: 39 * 86_400)
                let last = try fixture.submit(app, start: later)
                inbox.send(.look)
                try fixture.next("prepared") { $0.isPrepared ? () : nil }
                #expect(try fixture.counts(last).targeted + fixture.counts(next).targeted == 20)
            }
            #expect(try fixture.store.deliveries.summary(of: delivery)?.removed == nil)
        }
    }
}
