import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushWire
import TestSupport
import Testing

/// What the master makes of deliveries that are paused and resumed.
@Suite struct PausedDeliveryTests {
    @Test func `the loop hears what the store says of a delivery, whoever changed it`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let ids = try [fixture.submit(app), fixture.submit(app)]
            _ = try fixture.store.pause.pause(ids[0], by: "tests", at: .now)
            let inbox = try WriterInbox(store: fixture.store, loop: fixture.loop, rules: .usual)
            let threads = WriterThreads(inbox)
            // Nobody told of the first.
            #expect(try fixture.next("paused") { $0.pause }.id == ids[0])
            _ = try fixture.store.pause.pause(ids[1], by: "tests", at: .now)
            inbox.send(.lookAtPause(ids[1]))
            var heard = try fixture.next("paused") { $0.pause }
            #expect(heard.id == ids[1] && heard.isPaused)
            // Over before anybody looked: it is told all the same.
            _ = try fixture.store.pause.resume(ids[1], by: "tests", at: .now)
            inbox.send(.lookAtPause(ids[1]))
            heard = try fixture.next("resumed") { $0.pause }
            #expect(heard.id == ids[1] && !heard.isPaused)
            inbox.send(.stop)
            #expect(threads.hasEnded())
        }
    }

    @Test func `what children have not sent is recalled, and is granted again when the delivery goes on`()
        throws
    {
        var world = PausedWorld()
        world.find(part: 1, of: 1)
        #expect(world.grants.map(\.delivery) == [1])
        world.tell(.told(.deliveryPaused(DeliveryID(rawValue: 1))))
        #expect(world.recalls == 1)
        #expect(world.logged.contains("delivery 1 is paused"))
        world.giveBack()
        world.find(part: 101, of: 1)
        #expect(world.grants.count == 1, "neither what came back nor what is found is granted")
        world.find(part: 201, of: 2)
        #expect(world.grants.map(\.delivery) == [1, 2], "another one of the account goes on")
        // Said again, it is no news.
        world.tell(.told(.deliveryPaused(DeliveryID(rawValue: 1))))
        #expect(world.recalls == 1)

        let searches = world.searches
        world.tell(.told(.deliveryResumed(DeliveryID(rawValue: 1))))
        #expect(world.searches > searches, "from the first part on")
        world.find(part: 1, of: 1)
        #expect(world.grants.map(\.delivery) == [1, 2, 1])
    }

    @Test func `when parts are due that were held, the search begins anew`() {
        var world = PausedWorld()
        world.find(part: 1, of: 1)
        let searches = world.searches
        world.tell(.told(.partsDue))
        #expect(world.searches > searches, "from the first part on")
    }

    @Test func `messages that were read when the pause came are not sent`() throws {
        var world = PausedWorld()
        world.readsSlowly = true
        world.find(part: 1, of: 1)
        world.tell(.told(.deliveryPaused(DeliveryID(rawValue: 1))))
        world.readsSlowly = false
        world.readOn()
        #expect(world.grants.isEmpty)
        #expect(world.unrecorded == 0)
        world.tell(.told(.deliveryResumed(DeliveryID(rawValue: 1))))
        world.find(part: 1, of: 1)
        #expect(world.grants.map(\.delivery) == [1])
    }

    @Test func `a delivery is paused under a running master, and reaches everybody when it goes on`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10, identity: "one")
            let (paused, other) = (try fixture.submit(app), try fixture.submit(app))
            let part = try #require(try fixture.prepare(paused).first)
            let rest = try #require(try fixture.prepare(other).first)
            try StandInChild.write(part.ids + rest.ids, to: fixture.folder)
            _ = try fixture.store.pause.pause(paused, by: "tests", at: .now)
            let program = StandInChild.program(first: ":")
            _ = try StandInChild.serve(fixture, program: program, carryingOut: nil) { master, _ in
                try eventually("the other one to be sent") { try fixture.counts(other).sent == 10 }
                #expect(try fixture.counts(paused).pending == 10)
                _ = try fixture.store.pause.resume(paused, by: "tests", at: .now)
                master.pauseChanged(paused)
                try eventually("it to go on") { try fixture.counts(paused).sent == 10 }
            }
        }
    }
}

extension LoopEvent {
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

/// A machine with one account and a child that keeps what it is granted.
private struct PausedWorld {
    private var machine: MasterMachine
    private var moment = MasterMachine.Moment(
        monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(secondsSince1970: 1_800_000_000))
    private var held: [(child: ChildID, grant: GrantID, messages: [MessageID])] = []
    private var unread: [ReadOrder] = []
    private var deliveryOf: [PartID: Int64] = [:]
    private(set) var grants: [(delivery: Int64, count: Int)] = []
    private(set) var recalls = 0
    private(set) var searches = 0
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

    /// The child returns all that it has as unsent, which is recorded.
    mutating func giveBack() {
        let returned = held
        held = []
        for (child, grant, messages) in returned {
            var outcomes = OutcomesFrameBuilder()
            let verdict = Verdict(
                scope: .transient, schedule: .none, countsAttempt: false, failureType: .undefined,
                failureReason: .undefined, quarantine: .no)
            for message in messages {
                outcomes.append(
                    .neverSent(verdict, reason: "recalled"), message: message, attempts: 0, grant: grant)
            }
            var decoder = FrameDecoder()
            decoder.feed(outcomes.finish())
            while let frame = try? decoder.next() { tell(.frame(child, frame)) }
        }
    }

    mutating func tell(_ event: MasterMachine.Event) {
        var actions = machine.handle(event, at: moment)
        while !actions.isEmpty {
            for event in obey(actions.removeFirst()) { actions += machine.handle(event, at: moment) }
        }
    }

    private mutating func obey(_ action: MasterMachine.Action) -> [MasterMachine.Event] {
        switch action {
        case .read(.findParts):
            searches += 1
            return [.told(.parts([], last: nil, hasMore: false))]
        case .read(.read(let order)):
            if !readsSlowly { return fill(order) }
            unread.append(order)
        case .write(.record(let job)): return [.told(.committed(job.child, job.settlements))]
        case .send(_, .recall): recalls += 1
        case .spawn(let id): return [.spawned(id, processID: Int32(id.rawValue))]
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
        held.append((id, frame.grant, messages))
        grants.append((Int64(frame.job.rawValue), messages.count))
    }
}
