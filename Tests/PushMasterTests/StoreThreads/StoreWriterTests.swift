import PushMaster
import PushModel
import PushSchedule
import PushStore
import TestSupport
import Testing

@Suite struct StoreWriterTests {
    /// A writer on its own thread.
    private final class Runner {
        let mailbox: WriterInbox
        private var thread: WriterThreads?
        private let fixture: MasterFixture

        init(_ fixture: MasterFixture) throws {
            self.fixture = fixture
            mailbox = try WriterInbox(store: fixture.store, loop: fixture.loop, rules: .usual)
        }

        func start() {
            thread = WriterThreads(mailbox)
        }

        func stop() {
            mailbox.send(.stop)
            #expect(thread?.hasEnded() == true)
        }

        func record(_ messages: [MessageID], of delivery: DeliveryID, grant: GrantID = 1) {
            var batch = OutcomeBatch(delivery: delivery)
            batch.accepted = messages
            let settlement = Settlement(
                grant: grant, outcomes: messages.count, requeued: 0)
            mailbox.send(
                .record(.init(child: ChildID(rawValue: 1), batches: [batch], settlements: [settlement])))
        }
    }

    @Test func `a submitted delivery is prepared and announced, and ends when its messages have ended`()
        throws
    {
        try MasterFixture.with { fixture in
            let delivery = try fixture.submit(try fixture.app("one", subscribers: 10))
            let runner = try Runner(fixture)
            runner.start()
            try fixture.next("prepared") { $0.isPrepared ? () : nil }
            let part = try #require(try fixture.store.work.openParts().parts.first)
            runner.record(part.ids, of: delivery)
            // When a commit is reported, the data is already on disk.
            try fixture.next("committed") { $0.isCommitted ? () : nil }
            #expect(try fixture.counts(delivery).sent == 10)
            #expect(try fixture.next("finished") { $0.finished } == [delivery])
            runner.stop()
            #expect(try fixture.store.work.openParts().parts.isEmpty)
        }
    }

    @Test func `a small delivery does not wait until a large delivery is prepared`() throws {
        try MasterFixture.with { fixture in
            let apps = try (1...20).map { try fixture.app("app-\($0)", subscribers: 1) }
            let large = try fixture.submit(apps)
            let small = try fixture.submit(apps[0])
            let runner = try Runner(fixture)
            runner.start()
            eventually("all is prepared") { (try? fixture.store.work.openParts().parts.count) == 21 }
            runner.stop()
            // Parts are numbered in the order in which they are prepared.
            let order = try fixture.store.work.openParts().parts.map(\.delivery)
            #expect(order.firstIndex(of: small) == 1)
            #expect(order.filter { $0 == large }.count == 20)
        }
    }

    @Test func `waiting outcomes are recorded before deliveries are prepared`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let first = try fixture.submit(app)
            let part = try #require(try fixture.prepare(first).first)
            let second = try fixture.submit(app)
            let runner = try Runner(fixture)
            for message in part.ids { runner.record([message], of: first) }
            runner.start()
            var order: [String] = []
            try fixture.next("the second delivery was prepared") { event -> Void? in
                order.append(event.word)
                return event.isPrepared ? () : nil
            }
            runner.stop()
            #expect(order.first { $0 == "committed" || $0 == "prepared" } == "committed")
            #expect(try fixture.counts(first).sent == 10)
            #expect(try fixture.counts(second).pending == 10)
        }
    }

    @Test func `settlements are returned in the order given, with one commit for each job`() throws {
        try MasterFixture.with { fixture in
            let delivery = try fixture.submit(try fixture.app("one", subscribers: 30))
            let part = try #require(try fixture.prepare(delivery).first)
            let runner = try Runner(fixture)
            for grant in 0..<3 {
                runner.record(
                    Array(part.ids[grant * 10..<grant * 10 + 10]), of: delivery, grant: GrantID(grant))
            }
            runner.start()
            for grant in 0..<3 {
                let settlements = try fixture.next("committed") { event -> [Settlement]? in
                    if case .committed(_, let settlements, _) = event { settlements } else { nil }
                }
                #expect(settlements.map(\.grant.rawValue) == [UInt32(grant)])
                #expect(settlements.map(\.outcomes) == [10])
            }
            runner.stop()
        }
    }

    @Test func `a job with many deliveries runs in short transactions and is complete after the last one`()
        throws
    {
        try MasterFixture.with { fixture in
            let delivery = try fixture.submit(try fixture.app("one", subscribers: 1))
            _ = try fixture.prepare(delivery)
            let batches = try fixture.acceptedCopies(1_700, of: delivery)
            let runner = try Runner(fixture)
            for (grant, share) in [batches.prefix(1_660), batches.suffix(40)].enumerated() {
                let settlement = Settlement(
                    grant: GrantID(rawValue: UInt32(grant)), outcomes: share.count, requeued: 0)
                runner.mailbox.send(
                    .record(
                        .init(child: ChildID(rawValue: 1), batches: Array(share), settlements: [settlement])))
            }
            runner.start()
            for (grant, last) in [(0, batches[1_659].delivery), (1, batches[1_699].delivery)] {
                let settlements = try fixture.next("committed") { event -> [Settlement]? in
                    if case .committed(_, let settlements, _) = event { settlements } else { nil }
                }
                #expect(settlements.map(\.grant.rawValue) == [UInt32(grant)])
                #expect(try fixture.counts(last).sent == 1)
            }
            runner.stop()
            #expect(fixture.rest().allSatisfy { !$0.isCommitted && !$0.isFailure })
            #expect(try batches.allSatisfy { try fixture.counts($0.delivery).sent == 1 })
            #expect(fixture.store.inspection.largestWrite <= 5_000)
        }
    }

    @Test func `outcomes that the store does not accept are kept, tried again and recorded once`() throws {
        try MasterFixture.with { fixture in
            let delivery = try fixture.submit(try fixture.app("one", subscribers: 20))
            let part = try #require(try fixture.prepare(delivery).first)
            let runner = try Runner(fixture)
            runner.start()
            try fixture.whileSomebodyWrites {
                runner.record(Array(part.ids.prefix(10)), of: delivery)
                runner.record(Array(part.ids.suffix(10)), of: delivery)
                let failure = try fixture.next("failure") { event -> String? in
                    if case .storeFailure(let why) = event { why } else { nil }
                }
                #expect(failure.contains("pushmta.db"))
                #expect(try fixture.counts(delivery).sent == 0)
            }
            // The two units may form one group or two, and the store recovers with the first group.
            var (commits, recoveries) = (0, 0)
            while commits < 2 || recoveries < 1 {
                try fixture.next("committed, and recovered") { event in
                    commits += event.isCommitted ? 1 : 0
                    recoveries += event.isRecovery ? 1 : 0
                    return event.isCommitted || event.isRecovery ? () : nil
                }
            }
            runner.stop()
            #expect(try fixture.counts(delivery).sent == 20)
            #expect(fixture.rest().allSatisfy { !$0.isFailure })
        }
    }

    @Test func `an order to stop takes effect after everything before it has been written`() throws {
        try MasterFixture.with { fixture in
            let delivery = try fixture.submit(try fixture.app("one", subscribers: 5_000))
            let part = try #require(try fixture.prepare(delivery).first)
            let runner = try Runner(fixture)
            for message in part.ids { runner.record([message], of: delivery) }
            runner.mailbox.send(.stop)
            runner.start()
            runner.stop()
            #expect(try fixture.counts(delivery).sent == part.ids.count)
            #expect(try fixture.store.work.openParts().parts.allSatisfy { $0.id != part.id })
        }
    }

    @Test func `an order to stop discards no outcomes that the store has not yet accepted`() throws {
        try MasterFixture.with { fixture in
            let delivery = try fixture.submit(try fixture.app("one", subscribers: 10))
            let part = try #require(try fixture.prepare(delivery).first)
            let runner = try Runner(fixture)
            runner.start()
            try fixture.whileSomebodyWrites {
                runner.record(part.ids, of: delivery)
                runner.mailbox.send(.stop)
                try fixture.next("failure") { $0.isFailure ? () : nil }
            }
            runner.stop()
            #expect(try fixture.counts(delivery).sent == 10)
        }
    }

    @Test func `a requested read finds a delivery that the next poll would find an hour later`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 3)
            let runner = try Runner(fixture)
            runner.start()
            let delivery = try fixture.submit(app)
            runner.mailbox.send(.look)
            try fixture.next("prepared") { $0.isPrepared ? () : nil }
            runner.stop()
            #expect(try fixture.counts(delivery).pending == 3)
        }
    }

    @Test func `returned messages are not recorded, and their credit is returned`() throws {
        try MasterFixture.with { fixture in
            let runner = try Runner(fixture)
            runner.start()
            let settlement = Settlement(grant: GrantID(rawValue: 9), outcomes: 5, requeued: 5)
            runner.mailbox.send(
                .record(.init(child: ChildID(rawValue: 1), batches: [], settlements: [settlement])))
            let back = try fixture.next("committed") { event -> [Settlement]? in
                if case .committed(_, let settlements, _) = event { settlements } else { nil }
            }
            #expect(back.map(\.requeued) == [5])
            runner.stop()
        }
    }
}
