import PushMaster
import PushModel
import PushStore
import PushWire
import Synchronization
import TestSupport
import Testing

/// Tests how the master reacts to stopped deliveries.
@Suite struct StoppedDeliveryTests {
    private let one = DeliveryID(rawValue: 1)

    @Test
    func `stopping a delivery completes after all children have answered, and then cancels waiting messages`()
    {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.process(.threadEvent(.withdraw(one)))
        #expect(world.asked.map(\.delivery) == [one])
        #expect(world.told.isEmpty && world.cancelled.isEmpty, "the child has not answered")
        #expect(world.logged.contains("stopping delivery 1"))
        // None of the delivery's remaining messages are granted, and other deliveries continue.
        world.find(part: 101, of: 1)
        world.find(part: 201, of: 2)
        #expect(world.grants.map(\.delivery) == [1, 2])

        world.giveBack(of: 1, but: 3)
        world.withdrawn(one, inFlight: 3)
        #expect(world.told.map(\.inFlight) == [3])
        #expect(world.cancelled.isEmpty, "three are with the gateway")
        world.accept(of: 1)
        #expect(world.cancelled == [one])
        world.process(.threadEvent(.finished([one])))
        #expect(world.logged.contains("delivery 1 is stopped: its waiting messages are cancelled"))
    }

    @Test func `cancelling a message reports whether a child may have the message`() {
        var world = OneAccountWorld()
        let message = MessageID(rawValue: 3)
        world.process(.threadEvent(.find(message)))
        #expect(world.found == [false])
        world.heldRetries = [message]
        world.process(.threadEvent(.find(message)))
        #expect(world.found == [false, true])
        world.heldRetries = []
        world.readsSlowly = true
        world.find(part: 1, of: 1)
        world.process(.threadEvent(.find(message)))
        world.process(.threadEvent(.find(MessageID(rawValue: 11))))
        #expect(world.found == [false, true, true, false], "its messages are being read")
        world.readOn()
        world.accept(of: 1)
        world.process(.threadEvent(.find(message)))
        #expect(world.found.last == false)
    }

    @Test func `a delivery without messages in children is cancelled immediately`() {
        var world = OneAccountWorld()
        world.find(part: 201, of: 2)
        world.process(.threadEvent(.deliveryStopped(one)))
        #expect(world.asked.isEmpty && world.told.isEmpty && world.cancelled == [one])
        // A repeated stop repeats the order: rows that were on hold meanwhile may have been repaired.
        world.process(.threadEvent(.deliveryStopped(one)))
        #expect(world.cancelled == [one, one])
        world.process(.threadEvent(.withdraw(one)))
        #expect(world.told.map(\.inFlight) == [0])
    }

    @Test func `two simultaneous stops are both answered, and each child is asked only once`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.process(.threadEvent(.withdraw(one)))
        world.process(.threadEvent(.withdraw(one)))
        #expect(world.asked.count == 1 && world.told.isEmpty)
        world.withdrawn(one, inFlight: 10)
        #expect(world.told.map(\.inFlight) == [10], "one word for all who wait")
        // A later request queries the child again, because fewer messages are then in flight.
        world.process(.threadEvent(.withdraw(one)))
        world.withdrawn(one, inFlight: 4)
        #expect(world.asked.count == 2 && world.told.map(\.inFlight) == [10, 4])
    }

    @Test func `messages that were being read at the time of the stop are not sent`() {
        var world = OneAccountWorld()
        world.readsSlowly = true
        world.find(part: 1, of: 1)
        world.process(.threadEvent(.withdraw(one)))
        world.readsSlowly = false
        world.readOn()
        #expect(world.grants.isEmpty && world.unrecorded == 0)
        #expect(world.told.map(\.inFlight) == [0] && world.cancelled == [one])
    }

    @Test func `outcomes for messages that are still being read do not end the pass over these messages`() {
        var world = OneAccountWorld()
        world.readsSlowly = true
        world.recordsSlowly = true
        world.find(part: 1, of: 1)
        world.acceptEarly(1...10)
        world.readsSlowly = false
        world.readOn()
        #expect(world.grants.count == 1)
        world.commit()
        #expect(world.unrecorded == 10, "nothing was recorded: the child has them still")
        world.accept(of: 1)
        world.commit()
        #expect(world.unrecorded == 0)
    }

    @Test func `a notification of a resume that is older than the stop changes nothing`() {
        var world = OneAccountWorld()
        world.process(.threadEvent(.withdraw(one)))
        world.process(.threadEvent(.deliveryResumed(one)))
        world.find(part: 1, of: 1)
        #expect(world.grants.isEmpty)
    }

    @Test func `the death of a child counts as its answer, and the child's messages are not granted again`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.process(.threadEvent(.withdraw(one)))
        world.childEnds()
        #expect(world.told.map(\.inFlight) == [0] && world.cancelled == [one])
        world.find(part: 1, of: 1)
        #expect(world.grants.count == 1)
    }

    @Test func `a child that reports but does not obey is ended like a silent child`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.process(.threadEvent(.withdraw(one)))
        for _ in 0..<ChildLink.silenceSeconds - 1 { world.second() }
        #expect(world.ended.isEmpty && world.told.isEmpty)
        for _ in 0..<3 { world.second() }
        #expect(world.ended.count == 1 && world.told.count == 1)
        #expect(world.logged.contains { $0.contains("did not answer the order to withdraw delivery 1") })
    }

    @Test func `a stop from another host takes effect when this host's children have answered`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.process(.threadEvent(.deliveryStopped(one)))
        world.process(.threadEvent(.lookedAround(asOf: 70)))
        #expect(world.obeyed == [], "the child has not answered")
        world.process(.threadEvent(.lookedAround(asOf: 71)))
        world.withdrawn(one, inFlight: 3)
        #expect(world.obeyed == [71])
        world.process(.threadEvent(.lookedAround(asOf: 72)))
        #expect(world.obeyed == [71, 72], "what is with the gateway is answered some time")
    }

    @Test func `a child that has died begins no message, so the stop counts as obeyed`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.process(.threadEvent(.deliveryStopped(one)))
        world.process(.threadEvent(.lookedAround(asOf: 70)))
        world.childEnds()
        #expect(world.obeyed == [70])
    }

    @Test
    func `the loop receives the state from the store, and the writer cancels waiting messages step by step`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let ids = try [fixture.submit(app), fixture.submit(app)]
            for id in ids { _ = try fixture.prepare(id) }
            _ = try fixture.store.stop.stop(ids[0], at: .later)
            let inbox = try WriterInbox(store: fixture.store, loop: fixture.loop, rules: .usual)
            let threads = WriterThreads(inbox)
            // Reports a stopped delivery again, as any poll does.
            func receivesStop(of delivery: DeliveryID) throws {
                try fixture.next("stopped") { if case .deliveryStopped(delivery) = $0 { () } else { nil } }
            }
            // No notification announced the first stop.
            try receivesStop(of: ids[0])
            _ = try fixture.store.stop.stop(ids[1], at: .later)
            inbox.send(.lookAtPause(ids[1]))
            try receivesStop(of: ids[1])
            for id in ids {
                inbox.send(.cancelStopped(id))
                let finished = try fixture.next("finished") { event -> [DeliveryID]? in
                    if case .finished(let ids) = event { ids } else { nil }
                }
                #expect(finished == [id])
                #expect(try fixture.counts(id).cancelled == 10)
            }
            inbox.send(.stop)
            #expect(threads.hasEnded())
        }
    }

    @Test
    func `if a delivery is stopped while a master is running, another delivery still reaches every device`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10, identity: "one")
            let (stopped, other) = (try fixture.submit(app), try fixture.submit(app))
            _ = try fixture.prepare(stopped)
            let part = try #require(try fixture.prepare(other).first)
            try StandInChild.write(part.ids, to: fixture.folder)
            // The delivery was stopped before the master starts. The master finds it without a notification.
            _ = try fixture.store.stop.stop(stopped, at: .later)
            let kept = Mutex<MasterHandle?>(nil)
            let program = StandInChild.program(first: ":")
            _ = try StandInChild.serve(fixture, program: program, watchedBy: nil) { master, _ in
                try eventually("the other one to be sent") { try fixture.counts(other).sent == 10 }
                try eventually("it to be stopped") {
                    try fixture.store.pause.state(of: stopped) == .stopped
                }
                #expect(try fixture.counts(stopped).cancelled == 10)
                // If no child has messages from a delivery, no child is queried about it.
                #expect(master.withdraw(stopped) == .done(inFlight: 0))
                kept.withLock { $0 = master }
            }
            let served = kept.withLock { $0 }
            let master = try #require(served)
            #expect(master.withdraw(other) == .nobodySends)
        }
    }
}

extension WallMoment {
    fileprivate static var later: WallMoment { WallMoment(WallTime(secondsSince1970: 1_800_000_000)) }
}
