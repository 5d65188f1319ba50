import PushMaster
import PushModel
import PushSchedule
import PushStore
import TestSupport
import Testing

@Suite struct StoreWriterTests {
    /// A writer on a thread of its own.
    private final class Desk {
        let mailbox: WriterInbox
        private var thread: WriterThreads?
        private let office: Office

        init(_ office: Office) throws {
            self.office = office
            mailbox = try WriterInbox(store: office.store, loop: office.loop, storms: StormRule())
        }

        func start() {
            thread = WriterThreads(mailbox)
        }

        func stop() {
            mailbox.send(.stop)
            #expect(thread?.hasEnded() == true)
        }

        func record(_ messages: [MessageID], of delivery: DeliveryID, grant: UInt32 = 1) {
            var batch = OutcomeBatch(delivery: delivery)
            batch.accepted = messages
            let settlement = Settlement(grant: GrantID(rawValue: grant), outcomes: messages.count, putBack: 0)
            mailbox.send(
                .record(.init(child: ChildID(rawValue: 1), batches: [batch], settlements: [settlement])))
        }
    }

    @Test func `a submitted delivery is prepared and told of; the end of its messages ends it`() throws {
        try Office.with { office in
            let delivery = try office.submit(try office.app("one", subscribers: 10))
            let desk = try Desk(office)
            desk.start()
            try office.next("prepared") { $0.isPrepared ? () : nil }
            let part = try #require(try office.store.work.openParts().parts.first)
            desk.record(part.ids, of: delivery)
            // What is said to be committed is on disk when it is said.
            try office.next("committed") { $0.isCommitted ? () : nil }
            #expect(try office.counts(delivery).sent == 10)
            #expect(try office.next("finished") { $0.finished } == [delivery])
            desk.stop()
            #expect(try office.store.work.openParts().parts.isEmpty)
        }
    }

    @Test func `a small delivery does not wait until a large one is prepared`() throws {
        try Office.with { office in
            let apps = try (1...20).map { try office.app("app-\($0)", subscribers: 1) }
            let large = try office.submit(apps)
            let small = try office.submit(apps[0])
            let desk = try Desk(office)
            desk.start()
            eventually("all is prepared") { (try? office.store.work.openParts().parts.count) == 21 }
            desk.stop()
            // Parts are numbered in the order of their preparation.
            let order = try office.store.work.openParts().parts.map(\.delivery)
            #expect(order.firstIndex(of: small) == 1)
            #expect(order.filter { $0 == large }.count == 20)
        }
    }

    @Test func `outcomes that wait come before preparation`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 10)
            let first = try office.submit(app)
            let part = try #require(try office.prepare(first).first)
            let second = try office.submit(app)
            let desk = try Desk(office)
            for message in part.ids { desk.record([message], of: first) }
            desk.start()
            var order: [String] = []
            try office.next("the second delivery was prepared") { event -> Void? in
                order.append(event.word)
                return event.isPrepared ? () : nil
            }
            desk.stop()
            #expect(order.first { $0 == "committed" || $0 == "prepared" } == "committed")
            #expect(try office.counts(first).sent == 10)
            #expect(try office.counts(second).pending == 10)
        }
    }

    @Test func `settlements come back as they were given, a commit for each job`() throws {
        try Office.with { office in
            let delivery = try office.submit(try office.app("one", subscribers: 30))
            let part = try #require(try office.prepare(delivery).first)
            let desk = try Desk(office)
            for grant in 0..<3 {
                desk.record(Array(part.ids[grant * 10..<grant * 10 + 10]), of: delivery, grant: UInt32(grant))
            }
            desk.start()
            for grant in 0..<3 {
                let settlements = try office.next("committed") { event -> [Settlement]? in
                    if case .committed(_, let settlements) = event { settlements } else { nil }
                }
                #expect(settlements.map(\.grant.rawValue) == [UInt32(grant)])
                #expect(settlements.map(\.outcomes) == [10])
            }
            desk.stop()
        }
    }

    @Test func `a job of many deliveries goes in short transactions and is committed with the last`() throws {
        try Office.with { office in
            let delivery = try office.submit(try office.app("one", subscribers: 1))
            _ = try office.prepare(delivery)
            let batches = try office.acceptedCopies(1_700, of: delivery)
            let desk = try Desk(office)
            for (grant, share) in [batches.prefix(1_660), batches.suffix(40)].enumerated() {
                let settlement = Settlement(
                    grant: GrantID(rawValue: UInt32(grant)), outcomes: share.count, putBack: 0)
                desk.mailbox.send(
                    .record(
                        .init(child: ChildID(rawValue: 1), batches: Array(share), settlements: [settlement])))
            }
            desk.start()
            for (grant, last) in [(0, batches[1_659].delivery), (1, batches[1_699].delivery)] {
                let settlements = try office.next("committed") { event -> [Settlement]? in
                    if case .committed(_, let settlements) = event { settlements } else { nil }
                }
                #expect(settlements.map(\.grant.rawValue) == [UInt32(grant)])
                #expect(try office.counts(last).sent == 1)
            }
            desk.stop()
            #expect(office.rest().allSatisfy { !$0.isCommitted && !$0.isTrouble })
            #expect(try batches.allSatisfy { try office.counts($0.delivery).sent == 1 })
            #expect(office.store.inspection.largestWrite <= 5_000)
        }
    }

    @Test func `outcomes that the store would not take are kept, tried again and recorded once`() throws {
        try Office.with { office in
            let delivery = try office.submit(try office.app("one", subscribers: 20))
            let part = try #require(try office.prepare(delivery).first)
            let desk = try Desk(office)
            desk.start()
            try office.whileSomebodyWrites {
                desk.record(Array(part.ids.prefix(10)), of: delivery)
                desk.record(Array(part.ids.suffix(10)), of: delivery)
                let trouble = try office.next("trouble") { event -> String? in
                    if case .storeTrouble(let why) = event { why } else { nil }
                }
                #expect(trouble.contains("pushmta.db"))
                #expect(try office.counts(delivery).sent == 0)
            }
            for _ in 0..<2 { try office.next("committed") { $0.isCommitted ? () : nil } }
            try office.next("recovered") { $0.isRecovery ? () : nil }
            desk.stop()
            #expect(try office.counts(delivery).sent == 20)
            #expect(office.rest().allSatisfy { !$0.isTrouble })
        }
    }

    @Test func `an order to stop is obeyed after everything before it was written`() throws {
        try Office.with { office in
            let delivery = try office.submit(try office.app("one", subscribers: 5_000))
            let part = try #require(try office.prepare(delivery).first)
            let desk = try Desk(office)
            for message in part.ids { desk.record([message], of: delivery) }
            desk.mailbox.send(.stop)
            desk.start()
            desk.stop()
            #expect(try office.counts(delivery).sent == part.ids.count)
            #expect(try office.store.work.openParts().parts.allSatisfy { $0.id != part.id })
        }
    }

    @Test func `an order to stop does not make it forget what the store would not take yet`() throws {
        try Office.with { office in
            let delivery = try office.submit(try office.app("one", subscribers: 10))
            let part = try #require(try office.prepare(delivery).first)
            let desk = try Desk(office)
            desk.start()
            try office.whileSomebodyWrites {
                desk.record(part.ids, of: delivery)
                desk.mailbox.send(.stop)
                try office.next("trouble") { $0.isTrouble ? () : nil }
            }
            desk.stop()
            #expect(try office.counts(delivery).sent == 10)
        }
    }

    @Test func `a look that somebody asks for finds what the poll would find in an hour`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 3)
            let desk = try Desk(office)
            desk.start()
            let delivery = try office.submit(app)
            desk.mailbox.send(.look)
            try office.next("prepared") { $0.isPrepared ? () : nil }
            desk.stop()
            #expect(try office.counts(delivery).pending == 3)
        }
    }

    @Test func `what put messages back needs no record, and its credit returns`() throws {
        try Office.with { office in
            let desk = try Desk(office)
            desk.start()
            let settlement = Settlement(grant: GrantID(rawValue: 9), outcomes: 5, putBack: 5)
            desk.mailbox.send(
                .record(.init(child: ChildID(rawValue: 1), batches: [], settlements: [settlement])))
            let back = try office.next("committed") { event -> [Settlement]? in
                if case .committed(_, let settlements) = event { settlements } else { nil }
            }
            #expect(back.map(\.putBack) == [5])
            desk.stop()
        }
    }
}
