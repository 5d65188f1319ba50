import Foundation
import GRDB
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import Testing

/// What the writer does when it should not go by the clock, and when the disk takes no more.
@Suite struct StoreWriterPatienceTests {
    /// Runs a writer on a thread of its own, and ends it.
    private func withWriter(
        _ store: Store, loop: Mailbox<LoopEvent>, first: [StoreWriter.Job] = [],
        wall: @escaping @Sendable () -> WallMoment = Clocks.moment,
        _ story: (WriterInbox) throws -> Void
    ) throws {
        let mailbox = try WriterInbox(store: store, loop: loop, storms: StormRule(), wall: wall)
        for job in first { mailbox.send(job) }
        let thread = WriterThreads(mailbox)
        defer {
            mailbox.send(.stop)
            #expect(thread.hasEnded())
        }
        try story(mailbox)
    }

    /// A delivery that was submitted and prepared long ago, and whose validity is over.
    private func overdue(_ office: Office) throws -> DeliveryID {
        let app = try office.app("one", subscribers: 10)
        let longAgo = WallMoment(Clocks.wall().advanced(bySeconds: -1_000))
        var schedule = DeliverySchedule()
        schedule.validitySeconds = 10
        let order = DeliveryOrder(
            label: "Sale", service: ServiceID(rawValue: 1), apps: [app.id], target: .all, schedule: schedule,
            retry: RetryOverride(), tracking: true, contentJSON: Array(#"{"title":"Hello"}"#.utf8))
        let delivery = try office.store.deliverySubmitter.submit(order, at: longAgo)
        while try !office.store.preparation.prepareChunk(of: delivery, at: longAgo).isComplete {}
        #expect(try office.counts(delivery).pending == 10)
        return delivery
    }

    @Test func `after a jump of the clock nothing expires before the time that was given, and then it does`()
        throws
    {
        try Office.with { office in
            let delivery = try overdue(office)
            let until = Clocks.monotonic().advanced(bySeconds: 1)
            try withWriter(office.store, loop: office.loop, first: [.postponeExpiry(until: until), .look]) {
                _ in
                let finished = try office.next("finished") { $0.finished }
                #expect(finished == [delivery])
                #expect(Clocks.monotonic() >= until)
            }
            #expect(try office.counts(delivery).cancelled == 10)
        }
    }

    @Test func `a clock that was set a moment ago ends nothing, though nobody has said so yet`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 10)
            let first = try office.submit(app)
            let clock = SettableClock()
            try withWriter(office.store, loop: office.loop, wall: clock.moment) { mailbox in
                try office.next("prepared") { $0.isPrepared ? () : nil }
                // What begins only by the new time is prepared by the look that finds the first one's
                // validity over.
                let later = Clocks.wall().advanced(bySeconds: 9 * 86_400)
                let second = try office.submit(app, start: later)
                clock.set(ahead: 10 * 86_400)
                mailbox.send(.look)
                try office.next("prepared") { $0.isPrepared ? () : nil }
                #expect(try office.counts(second).pending == 10)
            }
            #expect(try office.counts(first).pending == 10)
            #expect(office.rest().allSatisfy { $0.finished == nil })
        }
    }

    @Test func `without a jump the same delivery ends at once, whoever looks`() throws {
        try Office.with { office in
            let delivery = try overdue(office)
            try withWriter(office.store, loop: office.loop) { _ in
                let finished = try office.next("finished") { $0.finished }
                #expect(finished == [delivery])
            }
        }
    }

    @Test func `a full disk keeps outcomes waiting, and with space again each is recorded once`() throws {
        try Office.with { office in
            let delivery = try office.submit(try office.app("one", subscribers: 2_000))
            let part = try #require(try office.prepare(delivery).first)
            try office.tamper("CREATE TABLE ballast (bytes); INSERT INTO ballast VALUES (zeroblob(1 << 20))")
            // Every message gets an identifier from its gateway that needs more room than is left.
            var batch = OutcomeBatch(delivery: delivery)
            batch.others = part.ids.map {
                MessageRecord(
                    message: $0, change: .sent(providerID: String(repeating: "p", count: 200)),
                    countsAttempt: true)
            }
            let settlement = Settlement(grant: GrantID(rawValue: 1), outcomes: part.ids.count, putBack: 0)
            let full = try Store.open(
                path: office.store.path, busyTimeoutMilliseconds: 20,
                maximumPages: try pages(of: office.store.path))
            try withWriter(full, loop: office.loop) { mailbox in
                mailbox.send(
                    .record(.init(child: ChildID(rawValue: 1), batches: [batch], settlements: [settlement])))
                let trouble = try office.next("trouble") { event -> String? in
                    if case .storeTrouble(let why) = event { why } else { nil }
                }
                #expect(trouble.contains("no space is left"))
                #expect(try office.counts(delivery).sent == 0)
                try office.tamper("DELETE FROM ballast")
                try office.next("committed") { $0.isCommitted ? () : nil }
                try office.next("recovered") { $0.isRecovery ? () : nil }
            }
            #expect(try office.counts(delivery).sent == part.ids.count)
            #expect(office.rest().allSatisfy { !$0.isCommitted && !$0.isTrouble })
        }
    }

    private func pages(of path: String) throws -> Int {
        let queue = try DatabaseQueue(path: path)
        return try #require(try queue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") })
    }
}
