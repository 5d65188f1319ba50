import PushConfig
import PushMaster
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests how the master reacts to deliveries that are paused and resumed.
@Suite struct PausedDeliveryTests {
    @Test
    func `the loop receives the state of a delivery from the store, whichever process changed the state`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let ids = try [fixture.submit(app), fixture.submit(app)]
            _ = try fixture.store.pause.pause(ids[0])
            let inbox = try WriterInbox(store: fixture.store, loop: fixture.loop, rules: .usual)
            let threads = WriterThreads(inbox)
            // No notification announced the first pause.
            #expect(try fixture.next("paused") { $0.pause }.id == ids[0])
            _ = try fixture.store.pause.pause(ids[1])
            inbox.send(.lookAtPause(ids[1]))
            var received = try fixture.next("paused") { $0.pause }
            #expect(received.id == ids[1] && received.isPaused)
            // The pause was over before the writer read the store. It is reported nevertheless.
            _ = try fixture.store.pause.resume(ids[1])
            inbox.send(.lookAtPause(ids[1]))
            received = try fixture.next("resumed") { $0.pause }
            #expect(received.id == ids[1] && !received.isPaused)
            inbox.send(.stop)
            #expect(threads.hasEnded())
        }
    }

    @Test
    func `a poll finds a paused delivery, and searches for the parts of a delivery that was resumed before`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let ids = try [fixture.submit(app), fixture.submit(app)]
            let inbox = try WriterInbox(store: fixture.store, loop: fixture.loop, rules: .usual)
            let threads = WriterThreads(inbox)
            #expect(try fixture.next("the first poll") { $0.poll }, "nothing was looked at before")
            inbox.send(.look)
            #expect(try !fixture.next("a poll") { $0.poll })
            _ = try fixture.store.pause.pause(ids[0])
            _ = try fixture.store.pause.pause(ids[1])
            _ = try fixture.store.pause.resume(ids[1])
            // No notification names the deliveries.
            inbox.send(.look)
            #expect(try fixture.next("paused") { $0.pause }.id == ids[0])
            #expect(try fixture.next("a poll") { $0.poll })
            inbox.send(.look)
            #expect(try !fixture.next("a poll") { $0.poll })
            inbox.send(.stop)
            #expect(threads.hasEnded())
        }
    }

    @Test func `a poll returns each order that ends an account's wait only once`() throws {
        try MasterFixture.with { fixture in
            let writer = fixture.store.auditWriter
            _ = try writer.orderResume(of: "before", by: "tests", at: .now)
            let inbox = try WriterInbox(store: fixture.store, loop: fixture.loop, rules: .usual)
            let threads = WriterThreads(inbox)
            #expect(try fixture.next("the first poll") { $0.poll })
            let order = try writer.orderResume(of: "an account", by: "tests", at: .now)
            inbox.send(.look)
            #expect(try fixture.next("orders") { $0.orders } == [order])
            #expect(try fixture.next("a poll") { $0.poll })
            let second = try writer.orderResume(of: "an account", by: "tests", at: .now)
            inbox.send(.look)
            #expect(try fixture.next("orders") { $0.orders } == [second])
            inbox.send(.stop)
            #expect(threads.hasEnded())
        }
    }

    @Test
    func `an unchanged poll searches after the last part, and a poll with changes from the first part`() {
        var world = OneAccountWorld()
        world.parts = [1, 11]
        world.process(.threadEvent(.polled(hasChanged: false)))
        #expect(world.searchedAfter.last == 0, "nothing is known yet")
        for _ in 0..<3 { world.process(.threadEvent(.polled(hasChanged: false))) }
        #expect(world.searchedAfter.suffix(3) == [11, 11, 11])
        world.parts.append(21)
        world.process(.threadEvent(.wakeUp))
        #expect(world.searchedAfter.last == 11)
        world.process(.threadEvent(.polled(hasChanged: true)))
        #expect(world.searchedAfter.last == 0)
        world.process(.threadEvent(.polled(hasChanged: false)))
        #expect(world.searchedAfter.last == 21)
    }

    @Test
    func `unsent messages are recalled from children, and are granted again when the delivery continues`()
        throws
    {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        #expect(world.grants.map(\.delivery) == [1])
        world.process(.threadEvent(.deliveryPaused(DeliveryID(rawValue: 1))))
        #expect(world.recalls == 1)
        #expect(world.logged.contains("delivery 1 is paused"))
        world.giveBack()
        world.find(part: 101, of: 1)
        #expect(world.grants.count == 1, "neither what came back nor what is found is granted")
        world.find(part: 201, of: 2)
        #expect(world.grants.map(\.delivery) == [1, 2], "another one of the account continues")
        // A repeated event has no effect.
        world.process(.threadEvent(.deliveryPaused(DeliveryID(rawValue: 1))))
        #expect(world.recalls == 1)

        let searches = world.searches
        world.process(.threadEvent(.deliveryResumed(DeliveryID(rawValue: 1))))
        #expect(world.searches > searches, "from the first part on")
        world.find(part: 1, of: 1)
        #expect(world.grants.map(\.delivery) == [1, 2, 1])
    }

    @Test func `when parts that were put on hold become due, the search starts from the beginning`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        let searches = world.searches
        world.process(.threadEvent(.partsDue))
        #expect(world.searches > searches, "from the first part on")
    }

    @Test func `messages that were being read at the time of the pause are not sent`() throws {
        var world = OneAccountWorld()
        world.readsSlowly = true
        world.find(part: 1, of: 1)
        world.process(.threadEvent(.deliveryPaused(DeliveryID(rawValue: 1))))
        world.readsSlowly = false
        world.readOn()
        #expect(world.grants.isEmpty)
        #expect(world.unrecorded == 0)
        world.process(.threadEvent(.deliveryResumed(DeliveryID(rawValue: 1))))
        world.find(part: 1, of: 1)
        #expect(world.grants.map(\.delivery) == [1])
    }

    @Test func `a delivery that is paused while a master is running reaches every device once it continues`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10, identity: "one")
            let (paused, other) = (try fixture.submit(app), try fixture.submit(app))
            let part = try #require(try fixture.prepare(paused).first)
            let rest = try #require(try fixture.prepare(other).first)
            try StandInChild.write(part.ids + rest.ids, to: fixture.folder)
            _ = try fixture.store.pause.pause(paused)
            let program = StandInChild.program(first: ":")
            _ = try StandInChild.serve(fixture, program: program, watchedBy: nil) { master, _ in
                try eventually("the other one to be sent") { try fixture.counts(other).sent == 10 }
                #expect(try fixture.counts(paused).pending == 10)
                _ = try fixture.store.pause.resume(paused)
                master.pauseChanged(paused)
                try eventually("it to continue") { try fixture.counts(paused).sent == 10 }
            }
        }
    }
}

extension LoopEvent {
    fileprivate var orders: [ResumeOrder]? {
        if case .accountsResumed(let orders) = self { orders } else { nil }
    }
    fileprivate var poll: Bool? {
        if case .polled(let hasChanged) = self { hasChanged } else { nil }
    }

    fileprivate var pause: (id: DeliveryID, isPaused: Bool)? {
        switch self {
        case .deliveryPaused(let id): (id, true)
        case .deliveryResumed(let id): (id, false)
        default: nil
        }
    }
}

extension WallMoment {
    fileprivate static var now: WallMoment { WallMoment(WallTime(secondsSince1970: 1_800_000_000)) }
}
