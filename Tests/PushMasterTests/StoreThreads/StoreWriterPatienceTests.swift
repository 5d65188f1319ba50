import Foundation
import GRDB
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import TestSupport
import Testing

/// Tests the writer while it must not trust the clock, and while the disk is full.
@Suite struct StoreWriterPatienceTests {
    /// Runs a writer on its own thread and ends it.
    private func withWriter(
        _ store: Store, loop: Mailbox<LoopEvent>, first: [StoreWriter.Job] = [],
        wall: @escaping @Sendable () -> WallMoment = Clocks.moment,
        _ story: (WriterInbox) throws -> Void
    ) throws {
        let mailbox = try WriterInbox(store: store, loop: loop, rules: .usual, wall: wall)
        for job in first { mailbox.send(job) }
        let thread = WriterThreads(mailbox)
        defer {
            mailbox.send(.stop)
            #expect(thread.hasEnded())
        }
        try story(mailbox)
    }

    /// Creates a delivery that was submitted and prepared long ago, and whose validity has ended.
    private func overdue(_ fixture: MasterFixture) throws -> DeliveryID {
        let app = try fixture.app("one", subscribers: 10)
        let longAgo = WallMoment(Clocks.wall().advanced(bySeconds: -1_000))
        var schedule = DeliverySchedule()
        schedule.validitySeconds = 10
        let order = DeliveryOrder(
            label: "Sale", service: ServiceID(rawValue: 1), apps: [app.id], target: .all, schedule: schedule,
            retry: RetryOverride(), tracking: true, contentJSON: Array(#"{"title":"Hello"}"#.utf8))
        let delivery = try fixture.store.deliverySubmitter.submit(order, at: longAgo)
        while try !fixture.store.preparation.prepareChunk(of: delivery, at: longAgo).isComplete {}
        #expect(try fixture.counts(delivery).pending == 10)
        return delivery
    }

    @Test func `after a clock jump, nothing expires until the given time has passed`() throws {
        try MasterFixture.with { fixture in
            let delivery = try overdue(fixture)
            let until = Clocks.monotonic().advanced(bySeconds: 1)
            try withWriter(fixture.store, loop: fixture.loop, first: [.postponeExpiry(until: until), .look]) {
                _ in
                let finished = try fixture.next("finished") { $0.finished }
                #expect(finished == [delivery])
                #expect(Clocks.monotonic() >= until)
            }
            #expect(try fixture.counts(delivery).cancelled == 10)
        }
    }

    @Test func `after the clock was set, nothing expires, even before the jump is reported`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let first = try fixture.submit(app)
            let clock = SettableClock()
            try withWriter(fixture.store, loop: fixture.loop, wall: clock.moment) { mailbox in
                try fixture.next("prepared") { $0.isPrepared ? () : nil }
                // A delivery that starts only by the new time is prepared by the poll that finds that the
                // first delivery's validity has ended.
                let later = Clocks.wall().advanced(bySeconds: 9 * 86_400)
                let second = try fixture.submit(app, start: later)
                clock.set(ahead: 10 * 86_400)
                mailbox.send(.look)
                try fixture.next("prepared") { $0.isPrepared ? () : nil }
                #expect(try fixture.counts(second).pending == 10)
            }
            #expect(try fixture.counts(first).pending == 10)
            #expect(fixture.rest().allSatisfy { $0.finished == nil })
        }
    }

    @Test func `without a clock jump, the same delivery ends immediately`() throws {
        try MasterFixture.with { fixture in
            let delivery = try overdue(fixture)
            try withWriter(fixture.store, loop: fixture.loop) { _ in
                let finished = try fixture.next("finished") { $0.finished }
                #expect(finished == [delivery])
            }
        }
    }

    @Test
    func `if the disk is full, outcomes wait, and each outcome is recorded once when there is space again`()
        throws
    {
        try MasterFixture.with { fixture in
            let delivery = try fixture.submit(try fixture.app("one", subscribers: 2_000))
            let part = try #require(try fixture.prepare(delivery).first)
            try fixture.tamper("CREATE TABLE ballast (bytes); INSERT INTO ballast VALUES (zeroblob(1 << 20))")
            // Every message gets a gateway id that needs more space than is left.
            var batch = OutcomeBatch(delivery: delivery)
            batch.others = part.ids.map {
                MessageRecord(
                    message: $0, change: .sent(providerID: String(repeating: "p", count: 200)),
                    countsAttempt: true)
            }
            let settlement = Settlement(grant: GrantID(rawValue: 1), outcomes: part.ids.count, requeued: 0)
            let full = try Store.open(
                path: fixture.store.path, busyTimeoutMilliseconds: 20,
                maximumPages: try pages(of: fixture.store.path))
            try withWriter(full, loop: fixture.loop) { mailbox in
                mailbox.send(
                    .record(.init(child: ChildID(rawValue: 1), batches: [batch], settlements: [settlement])))
                let failure = try fixture.next("failure") { event -> String? in
                    if case .storeFailure(let why) = event { why } else { nil }
                }
                #expect(failure.contains("no space is left"))
                #expect(try fixture.counts(delivery).sent == 0)
                try fixture.tamper("DELETE FROM ballast")
                try fixture.next("committed") { $0.isCommitted ? () : nil }
                try fixture.next("recovered") { $0.isRecovery ? () : nil }
            }
            #expect(try fixture.counts(delivery).sent == part.ids.count)
            #expect(fixture.rest().allSatisfy { !$0.isCommitted && !$0.isFailure })
        }
    }

    private func pages(of path: String) throws -> Int {
        let queue = try StoreFile.open(path)
        return try #require(try queue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") })
    }
}
