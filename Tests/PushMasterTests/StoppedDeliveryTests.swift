import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushWire
import Synchronization
import TestSupport
import Testing

/// What the master makes of deliveries that are stopped.
@Suite struct StoppedDeliveryTests {
    private let one = DeliveryID(rawValue: 1)

    @Test func `whoever stopped it hears when all children have answered, and then what waits is cancelled`()
    {
        var world = StoppedWorld()
        world.find(part: 1, of: 1)
        world.tell(.told(.withdraw(one)))
        #expect(world.asked.map(\.delivery) == [one])
        #expect(world.told.isEmpty && world.cancelled.isEmpty, "the child has not answered")
        #expect(world.logged.contains("delivery 1 is being stopped"))
        // Nothing more of it is granted, and others go on.
        world.find(part: 101, of: 1)
        world.find(part: 201, of: 2)
        #expect(world.grants.map(\.delivery) == [1, 2])

        world.giveBack(of: 1, but: 3)
        world.withdrawn(one, inFlight: 3)
        #expect(world.told.map(\.inFlight) == [3])
        #expect(world.cancelled.isEmpty, "three are with the gateway")
        world.accept(of: 1)
        #expect(world.cancelled == [one])
        world.tell(.told(.finished([one])))
        #expect(world.logged.contains("delivery 1 is stopped: what waited of it is cancelled"))
    }

    @Test func `a delivery of which no child has anything is cancelled at once`() {
        var world = StoppedWorld()
        world.find(part: 201, of: 2)
        world.tell(.told(.deliveryStopped(one)))
        #expect(world.asked.isEmpty && world.told.isEmpty && world.cancelled == [one])
        // Said again, it is ordered again: what was held meanwhile may have been mended.
        world.tell(.told(.deliveryStopped(one)))
        #expect(world.cancelled == [one, one])
        world.tell(.told(.withdraw(one)))
        #expect(world.told.map(\.inFlight) == [0])
    }

    @Test func `two that stop it at once both hear, and no child is asked twice meanwhile`() {
        var world = StoppedWorld()
        world.find(part: 1, of: 1)
        world.tell(.told(.withdraw(one)))
        world.tell(.told(.withdraw(one)))
        #expect(world.asked.count == 1 && world.told.isEmpty)
        world.withdrawn(one, inFlight: 10)
        #expect(world.told.map(\.inFlight) == [10], "one word for all who wait")
        // Later it is asked anew: there are fewer by then.
        world.tell(.told(.withdraw(one)))
        world.withdrawn(one, inFlight: 4)
        #expect(world.asked.count == 2 && world.told.map(\.inFlight) == [10, 4])
    }

    @Test func `messages that were read when the stop came are not sent`() {
        var world = StoppedWorld()
        world.readsSlowly = true
        world.find(part: 1, of: 1)
        world.tell(.told(.withdraw(one)))
        world.readsSlowly = false
        world.readOn()
        #expect(world.grants.isEmpty && world.unrecorded == 0)
        #expect(world.told.map(\.inFlight) == [0] && world.cancelled == [one])
    }

    @Test func `news of a resumption that are older than the stop change nothing`() {
        var world = StoppedWorld()
        world.tell(.told(.withdraw(one)))
        world.tell(.told(.deliveryResumed(one)))
        world.find(part: 1, of: 1)
        #expect(world.grants.isEmpty)
    }

    @Test func `a child that dies answers by that; its messages are not granted again`() {
        var world = StoppedWorld()
        world.find(part: 1, of: 1)
        world.tell(.told(.withdraw(one)))
        world.childEnds()
        #expect(world.told.map(\.inFlight) == [0] && world.cancelled == [one])
        world.find(part: 1, of: 1)
        #expect(world.grants.count == 1)
    }

    @Test func `a child that speaks and does not obey is ended like one that is silent`() {
        var world = StoppedWorld()
        world.find(part: 1, of: 1)
        world.tell(.told(.withdraw(one)))
        for _ in 0..<ChildLink.silenceSeconds - 1 { world.second() }
        #expect(world.ended.isEmpty && world.told.isEmpty)
        for _ in 0..<3 { world.second() }
        #expect(world.ended.count == 1 && world.told.count == 1)
        #expect(world.logged.contains { $0.contains("did not answer the order to withdraw delivery 1") })
    }

    @Test func `what was stopped on another host is obeyed when this one's children have answered`() {
        var world = StoppedWorld()
        world.find(part: 1, of: 1)
        world.tell(.told(.deliveryStopped(one)))
        world.tell(.told(.lookedAround(asOf: 70)))
        #expect(world.obeyed == [], "the child has not answered")
        world.tell(.told(.lookedAround(asOf: 71)))
        world.withdrawn(one, inFlight: 3)
        #expect(world.obeyed == [71])
        world.tell(.told(.lookedAround(asOf: 72)))
        #expect(world.obeyed == [71, 72], "what is with the gateway is answered some time")
    }

    @Test func `a child that has died begins nothing: what was stopped is obeyed`() {
        var world = StoppedWorld()
        world.find(part: 1, of: 1)
        world.tell(.told(.deliveryStopped(one)))
        world.tell(.told(.lookedAround(asOf: 70)))
        world.childEnds()
        #expect(world.obeyed == [70])
    }

    @Test func `the loop hears what the store says, and the writer cancels what waits, step by step`() throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let ids = try [fixture.submit(app), fixture.submit(app)]
            for id in ids { _ = try fixture.prepare(id) }
            _ = try fixture.store.stop.stop(ids[0], by: "tests", at: .later)
            let inbox = try WriterInbox(store: fixture.store, loop: fixture.loop, rules: .usual)
            let threads = WriterThreads(inbox)
            func next(_ what: String) throws -> DeliveryID {
                try fixture.next(what) { if case .deliveryStopped(let id) = $0 { id } else { nil } }
            }
            // Nobody told of the first.
            #expect(try next("stopped") == ids[0])
            _ = try fixture.store.stop.stop(ids[1], by: "tests", at: .later)
            inbox.send(.lookAtPause(ids[1]))
            #expect(try next("stopped") == ids[1])
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

    @Test func `a delivery is stopped under a running master, and another one reaches everybody`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10, identity: "one")
            let (stopped, other) = (try fixture.submit(app), try fixture.submit(app))
            _ = try fixture.prepare(stopped)
            let part = try #require(try fixture.prepare(other).first)
            try StandInChild.write(part.ids, to: fixture.folder)
            // Before the master comes: it finds it by itself.
            _ = try fixture.store.stop.stop(stopped, by: "tests", at: .later)
            let kept = Mutex<MasterHandle?>(nil)
            let program = StandInChild.program(first: ":")
            _ = try StandInChild.serve(fixture, program: program, carryingOut: nil) { master, _ in
                try eventually("the other one to be sent") { try fixture.counts(other).sent == 10 }
                try eventually("it to be stopped") {
                    try fixture.store.pause.state(of: stopped) == .stopped
                }
                #expect(try fixture.counts(stopped).cancelled == 10)
                // Of what nobody has nobody is asked.
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

/// A machine with one account and a child that keeps what it is granted.
private struct StoppedWorld {
    private var machine: MasterMachine
    private var moment = MasterMachine.Moment(
        monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(secondsSince1970: 1_800_000_000))
    private var held: [(child: ChildID, grant: GrantID, delivery: Int64, messages: [MessageID])] = []
    private var unread: [ReadOrder] = []
    private var deliveryOf: [PartID: Int64] = [:]
    private(set) var grants: [(delivery: Int64, count: Int)] = []
    private(set) var asked: [(child: ChildID, delivery: DeliveryID)] = []
    private(set) var told: [(delivery: DeliveryID, inFlight: Int)] = []
    private(set) var cancelled: [DeliveryID] = []
    private(set) var obeyed: [Int64] = []
    private(set) var ended: [ChildID] = []
    private(set) var logged: [String] = []
    var readsSlowly = false

    init() {
        let settings = MasterSettings(
            ServerConfiguration(), childOrder: ChildProcess.Order(executable: "/nowhere", arguments: []))
        machine = MasterMachine(
            settings: settings, storePath: "/nowhere", processID: 1, at: moment, chance: { $0.lowerBound })
        let definition = AccountDefinition(
            name: "account 1", mark: AccountKey(rawValue: "account 1"), terms: AccountTerms(),
            order: AccountOrder(
                account: 1, connector: .stub, environment: .production,
                credential: OpaqueCredential(bytes: []), gateway: GatewayOrder()))
        tell(.told(.account(1, definition)))
    }

    var unrecorded: Int { machine.ledger.unrecorded }

    /// A part of ten messages that begins with this one.
    mutating func find(part first: Int64, of delivery: Int64) {
        deliveryOf[PartID(rawValue: first)] = delivery
        let part = Part(
            id: PartID(rawValue: first), delivery: DeliveryID(rawValue: delivery), app: AppID(rawValue: 1),
            messages: MessageID(rawValue: first)...MessageID(rawValue: first + 9), firstOrdinal: 1)
        tell(.told(.addressed([FoundPart(part: part, account: 1, priority: .normal)])))
        tell(.turn)
    }

    /// The reader comes to what it was asked.
    mutating func readOn() {
        let orders = unread
        unread = []
        for order in orders { for event in fill(order) { tell(event) } }
    }

    /// The child returns what it has of a delivery as unsent, but so many, which is recorded.
    mutating func giveBack(of delivery: Int64, but left: Int) {
        for place in held.indices where held[place].delivery == delivery {
            let returned = held[place].messages.dropFirst(left)
            held[place].messages.removeLast(returned.count)
            let verdict = Verdict(
                scope: .transient, schedule: .none, countsAttempt: false, failureType: .undefined,
                failureReason: .undefined, quarantine: .no)
            report(place) { outcomes, grant in
                for message in returned {
                    outcomes.append(
                        .neverSent(verdict, reason: "withdrawn"), message: message, attempts: 0, grant: grant)
                }
            }
        }
    }

    mutating func accept(of delivery: Int64) {
        for place in held.indices where held[place].delivery == delivery {
            let messages = held[place].messages
            held[place].messages = []
            report(place) { outcomes, grant in
                for message in messages { outcomes.accepted(message, grant: grant) }
            }
        }
    }

    private mutating func report(_ place: Int, _ body: (inout OutcomesFrameBuilder, GrantID) -> Void) {
        var outcomes = OutcomesFrameBuilder()
        body(&outcomes, held[place].grant)
        say(outcomes.finish(), as: held[place].child)
    }

    mutating func withdrawn(_ delivery: DeliveryID, inFlight: UInt32) {
        guard let child = asked.last?.child else { return }
        var writer = ByteWriter()
        LinkReport.withdrawn(delivery, inFlight: inFlight).encode(into: &writer)
        say(writer.bytes, as: child)
    }

    private mutating func say(_ bytes: [UInt8], as child: ChildID) {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        while let frame = try? decoder.next() { tell(.frame(child, frame)) }
    }

    mutating func childEnds() {
        if let child = held.first?.child { tell(.linkEnded(child, why: "killed")) }
    }

    /// A second goes by, in which the child beats.
    mutating func second() {
        moment.monotonic = moment.monotonic.advanced(bySeconds: 1)
        if let child = held.first?.child, ended.isEmpty {
            var writer = ByteWriter()
            LinkReport.heartbeat(
                Heartbeat(waiting: 0, inFlight: 0, openConnections: 0, residentKilobytes: 1)
            ).encode(into: &writer)
            say(writer.bytes, as: child)
        }
        tell(.second(MasterMachine.Surroundings()))
    }

    mutating func tell(_ event: MasterMachine.Event) {
        var actions = machine.handle(event, at: moment)
        while !actions.isEmpty {
            for event in obey(actions.removeFirst()) { actions += machine.handle(event, at: moment) }
        }
    }

    private mutating func obey(_ action: MasterMachine.Action) -> [MasterMachine.Event] {
        switch action {
        case .read(.findParts): return [.told(.parts([], last: nil, hasMore: false))]
        case .read(.findRetries): return [.told(.retriesDue([:]))]
        case .read(.read(let order)):
            if !readsSlowly { return fill(order) }
            unread.append(order)
        case .write(.record(let job)): return [.told(.committed(job.child, job.settlements))]
        case .write(.cancelStopped(let delivery)): cancelled.append(delivery)
        case .obeyed(let moment): obeyed.append(moment)
        case .withdrawn(let delivery, let inFlight): told.append((delivery, inFlight))
        case .send(let id, .withdraw(let delivery)): asked.append((id, delivery))
        case .spawn(let id): return [.spawned(id, processID: Int32(id.rawValue))]
        case .end(let id):
            ended.append(id)
            return [.ended(id, ChildEnding(isClean: false, isCrash: false, text: "was killed"))]
        case .sendFrame(let id, let bytes): take(bytes, id)
        case .log(_, let line, _): logged.append(line)
        default: break
        }
        return []
    }

    private func fill(_ order: ReadOrder) -> [MasterMachine.Event] {
        guard case .range(let part, let range) = order.source, let delivery = deliveryOf[part] else {
            return []
        }
        let number = JobID(delivery)
        let job = JobOrder(
            job: number, account: 1, delivery: DeliveryID(rawValue: delivery), platform: .ios,
            bundleID: "com.example", messageIDFormat: .uuid, tracking: false,
            expiresAt: WallTime(secondsSince1970: 1_900_000_000), variables: [], contentJSON: [])
        var builder = GrantFrameBuilder(grant: order.grant, job: number, expectedMessages: 10)
        let numbers = range.lowerBound.rawValue...range.upperBound.rawValue
        for message in numbers {
            builder.append(
                MessageID(rawValue: message), id: OpaqueID(high: 1, low: UInt64(message)), integerID: message,
                attempts: 0, token: [UInt8(ascii: "a")].span, parameters: Span())
        }
        let mark = AccountKey(rawValue: "account 1")
        return [
            .told(.job(JobDefinition(order: job, retry: RetryOverride(), mark: mark))),
            .told(.filled(order, job: number, frame: builder.finish(), messages: numbers.count)),
        ]
    }

    private mutating func take(_ bytes: [UInt8], _ id: ChildID) {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        guard let link = try? decoder.next(), let frame = try? GrantFrame(link) else { return }
        var messages: [MessageID] = []
        var offset = GrantFrame.firstEntry
        for _ in 0..<frame.count {
            let entry = frame.entry(at: offset)
            offset = entry.next
            messages.append(entry.message)
        }
        held.append((id, frame.grant, Int64(frame.job.rawValue), messages))
        grants.append((Int64(frame.job.rawValue), messages.count))
    }
}
