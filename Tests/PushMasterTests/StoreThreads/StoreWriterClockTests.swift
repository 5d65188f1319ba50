import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import TestSupport
import Testing

/// Tests the writer's handling of due times when the wall clock is set back.
@Suite struct StoreWriterClockTests {
    private func withWriter(
        _ fixture: MasterFixture, _ clock: SettableClock, _ story: (WriterInbox) throws -> Void
    ) throws {
        let mailbox = try WriterInbox(
            store: fixture.store, loop: fixture.loop, rules: .usual, wall: clock.moment)
        let thread = WriterThreads(mailbox)
        defer {
            mailbox.send(.stop)
            #expect(thread.hasEnded())
        }
        try story(mailbox)
    }

    /// Reports that these messages must be retried in 300 s.
    private func retry(_ messages: ArraySlice<MessageID>, of delivery: DeliveryID, at now: WallTime)
        -> StoreWriter.Job
    {
        var batch = OutcomeBatch(delivery: delivery)
        batch.others = messages.map {
            MessageRecord(
                message: $0,
                change: .retrying(
                    due: now.advanced(bySeconds: 300), .soft, .refused, providerReason: "TooManyRequests"),
                countsAttempt: true)
        }
        return .record(.init(child: ChildID(rawValue: 1), batches: [batch], settlements: [], decided: now))
    }

    private func due(_ app: App, within seconds: Int64, in fixture: MasterFixture) throws -> Int {
        try fixture.store.messageReader().retryingDue(
            app: app.id, dueBy: Clocks.wall().advanced(bySeconds: seconds), limit: 100)
    }

    @Test func `retries that were dated by a clock one hour ahead are sent at their intended time`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 20)
            let delivery = try fixture.submit(app)
            let ids = try fixture.prepare(delivery).flatMap(\.ids)
            let clock = SettableClock()
            clock.set(ahead: 3_600)
            try withWriter(fixture, clock) { mailbox in
                mailbox.send(retry(ids[0..<10], of: delivery, at: clock.moment().time))
                try fixture.next("committed") { $0.isCommitted ? () : nil }
                #expect(try due(app, within: 3_000, in: fixture) == 0)
                // This retry was determined with one clock and is recorded with another.
                let late = retry(ids[10..<20], of: delivery, at: clock.moment().time)
                clock.set(ahead: 0)
                mailbox.send(late)
                try fixture.next("committed") { $0.isCommitted ? () : nil }
                #expect(try due(app, within: 330, in: fixture) == 20)
                #expect(try due(app, within: 0, in: fixture) == 0)
            }
            #expect(try fixture.counts(delivery).retrying == 20)
        }
    }

    private func order(to app: App, secondWaveAfter seconds: Int64) -> DeliveryOrder {
        var (schedule, calendar) = (DeliverySchedule(), DeliveryCalendar())
        calendar.waves = [.init(size: 4), .init(after: seconds)]
        schedule.calendar = calendar
        return DeliveryOrder(
            label: "Sale", service: app.service, apps: [app.id], target: .all, schedule: schedule,
            retry: RetryOverride(), tracking: true, contentJSON: Array(#"{"title":"Hello"}"#.utf8))
    }

    @Test func `a wave is sent in time, however rarely an idle master reads the store`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let order = order(to: app, secondWaveAfter: 2)
            try withWriter(fixture, SettableClock()) { mailbox in
                // The writer has read the store and found nothing.
                let other = try fixture.submit(app)
                mailbox.send(.look)
                try fixture.next("prepared") { $0.isPrepared ? () : nil }
                _ = try fixture.store.deliverySubmitter.submit(order, at: Clocks.moment())
                mailbox.send(.look)
                try fixture.next("parts to be due") { $0.isPartsDue ? () : nil }
                let parts = try fixture.store.work.openParts().parts.filter { $0.delivery != other }
                #expect(parts.map(\.ids.count) == [4, 6])
            }
        }
    }

    @Test func `parts that were on hold are sent at their time, and the loop is notified`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let order = order(to: app, secondWaveAfter: 1_800)
            let clock = SettableClock()
            _ = try fixture.store.deliverySubmitter.submit(order, at: clock.moment())
            try withWriter(fixture, clock) { mailbox in
                try fixture.next("prepared") { $0.isPrepared ? () : nil }
                #expect(try fixture.store.work.openParts().parts.map(\.ids.count) == [4])
                clock.set(ahead: 3_600)
                mailbox.send(.look)
                try fixture.next("parts are due") { $0.isPartsDue ? () : nil }
                #expect(try fixture.store.work.openParts().parts.map(\.ids.count) == [4, 6])
            }
        }
    }

    @Test func `a clock that is set back while the master is idle is still followed`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let delivery = try fixture.submit(app)
            let ids = try fixture.prepare(delivery).flatMap(\.ids)
            let clock = SettableClock()
            clock.set(ahead: 3_600)
            try withWriter(fixture, clock) { mailbox in
                mailbox.send(retry(ids[...], of: delivery, at: clock.moment().time))
                try fixture.next("committed") { $0.isCommitted ? () : nil }
                clock.set(ahead: 0)
                // Sent when the loop notices the change of the clock.
                mailbox.send(.postponeExpiry(until: Clocks.monotonic().advanced(bySeconds: 600)))
                eventually("due times followed") { (try? due(app, within: 330, in: fixture)) == 10 }
            }
        }
    }

    @Test func `a master that starts after the clock was set back finds rows that are dated in the future`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let delivery = try fixture.submit(app)
            let ids = try fixture.prepare(delivery).flatMap(\.ids)
            let ahead = WallMoment(Clocks.wall().advanced(bySeconds: 86_400))
            guard case .record(let job) = retry(ids[...], of: delivery, at: ahead.time) else { return }
            _ = try fixture.store.outcomes.record(job.batches, at: ahead)
            try withWriter(fixture, SettableClock()) { _ in
                eventually("due times followed") { (try? due(app, within: 330, in: fixture)) == 10 }
            }
        }
    }
}

extension LoopEvent {
    fileprivate var isPartsDue: Bool { if case .partsDue = self { true } else { false } }
}
