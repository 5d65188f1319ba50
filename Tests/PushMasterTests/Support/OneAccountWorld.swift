import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushWire
import TestSupport

/// A machine with one account, and a child that keeps the messages that it is granted.
struct OneAccountWorld {
    private var machine: MasterMachine
    private var moment = MasterMachine.Timestamps(
        monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(secondsSince1970: 1_800_000_000))
    private var held: [(child: ChildID, grant: GrantID, delivery: Int64, messages: [MessageID])] = []
    private var unread: [ReadOrder] = []
    private var deliveryOf: [PartID: Int64] = [:]
    private(set) var grants: [(delivery: Int64, count: Int)] = []
    private(set) var asked: [(child: ChildID, delivery: DeliveryID)] = []
    private(set) var told: [(delivery: DeliveryID, inFlight: Int)] = []
    private(set) var cancelled: [DeliveryID] = []
    /// The answers to requests to cancel a message.
    private(set) var found: [Bool] = []
    /// Messages that a child has and that were attempted before.
    var heldRetries: Set<MessageID> = []
    private(set) var recalls = 0
    /// Children that are being drained.
    private(set) var drained: [ChildID] = []
    private(set) var searches = 0
    /// The part after which each search began; 0 means from the first part.
    private(set) var searchedAfter: [Int64] = []
    /// The results of searches in the store: the first message of each part. None of the parts can be read.
    var parts: [Int64] = []
    private(set) var obeyed: [Int64] = []
    private(set) var ended: [ChildID] = []
    private(set) var logged: [String] = []
    /// Deliveries that must be put on hold, with the reasons.
    private(set) var heldBack: [(delivery: DeliveryID, why: String)] = []
    /// The answers by which the account is judged.
    private(set) var answers: [AccountAnswers] = []
    private var uncommitted: [StoreWriter.RecordJob] = []
    var readsSlowly = false
    var recordsSlowly = false

    init() {
        let settings = MasterSettings(
            ServerConfiguration(), childOrder: ChildProcess.Order(executable: "/nowhere", arguments: []))
        machine = MasterMachine(
            settings: settings, storePath: "/nowhere", processID: 1, at: moment, chance: { $0.lowerBound })
        let definition = AccountDefinition(
            name: "account 1", mark: AccountKey(rawValue: "account 1"), terms: AccountLimits(),
            order: AccountOrder(
                account: 1, connector: .stub, environment: .production,
                credential: OpaqueCredential(bytes: []), gateway: GatewayOrder()))
        process(.threadEvent(.account(1, definition)))
    }

    var unrecorded: Int { machine.ledger.unrecorded }

    /// Returns a part of ten messages that begins with this one.
    mutating func find(part first: Int64, of delivery: Int64) {
        deliveryOf[PartID(rawValue: first)] = delivery
        let part = Part(
            id: PartID(rawValue: first), delivery: DeliveryID(rawValue: delivery), app: AppID(rawValue: 1),
            messages: MessageID(rawValue: first)...MessageID(rawValue: first + 9), firstOrdinal: 1)
        process(.threadEvent(.addressed([FoundPart(part: part, account: 1, priority: .normal)])))
        process(.turn)
    }

    /// The reader answers its pending orders.
    mutating func readOn() {
        let orders = unread
        unread = []
        for order in orders { for event in fill(order) { process(event) } }
    }

    mutating func commit() {
        let jobs = uncommitted
        uncommitted = []
        for job in jobs { process(.threadEvent(.committed(job.child, job.settlements))) }
    }

    /// The child reports messages that were not granted to it yet.
    mutating func acceptEarly(_ messages: ClosedRange<Int64>) {
        for order in unread {
            var outcomes = OutcomesFrameBuilder()
            for message in messages { outcomes.accepted(MessageID(rawValue: message), grant: order.grant) }
            say(outcomes.finish(), as: order.child)
        }
    }

    /// The child returns the messages that it has as unsent, except for this number, and the return is
    /// recorded.
    /// - Parameter delivery: `nil` for every delivery.
    mutating func giveBack(of delivery: Int64? = nil, but left: Int = 0) {
        for place in held.indices where delivery == nil || held[place].delivery == delivery {
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

    /// - Parameter most: The maximum number of messages for each grant.
    mutating func accept(of delivery: Int64, most: Int = .max) {
        for place in held.indices where held[place].delivery == delivery {
            let messages = held[place].messages.prefix(most)
            held[place].messages.removeFirst(messages.count)
            report(place) { outcomes, grant in
                for message in messages { outcomes.accepted(message, grant: grant) }
            }
        }
    }

    /// Another child reports messages that this child has, or this child reports them twice.
    mutating func misreport(of delivery: Int64, as other: ChildID?) {
        for place in held.indices where held[place].delivery == delivery {
            var outcomes = OutcomesFrameBuilder()
            for message in held[place].messages + (other == nil ? held[place].messages : []) {
                outcomes.accepted(message, grant: held[place].grant)
            }
            say(outcomes.finish(), as: other ?? held[place].child)
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
        while let frame = try? decoder.next() { process(.frame(child, frame)) }
    }

    mutating func childEnds() {
        if let child = held.first?.child { process(.linkEnded(child, why: "killed")) }
    }

    /// Advances time by one second, in which the child sends a heartbeat.
    mutating func second(connections: UInt32 = 0, residentKilobytes: UInt32 = 1) {
        moment.monotonic = moment.monotonic.advanced(bySeconds: 1)
        if let child = held.first?.child, ended.isEmpty {
            var writer = ByteWriter()
            LinkReport.heartbeat(
                Heartbeat(
                    waiting: 0, inFlight: 0, openConnections: connections,
                    residentKilobytes: residentKilobytes)
            ).encode(into: &writer)
            say(writer.bytes, as: child)
        }
        process(.second(MasterMachine.PeriodicFacts()))
    }

    mutating func process(_ event: MasterMachine.Event) {
        var actions = machine.handle(event, at: moment)
        while !actions.isEmpty {
            for event in obey(actions.removeFirst()) { actions += machine.handle(event, at: moment) }
        }
    }

    private mutating func obey(_ action: MasterMachine.Action) -> [MasterMachine.Event] {
        if case .write(.record(let job)) = action { answers += job.batches.flatMap(\.answers) }
        if case .write(.count(let settled)) = action { answers += settled }
        switch action {
        case .read(.findParts(let last)):
            searches += 1
            searchedAfter.append(last?.rawValue ?? 0)
            let found = parts.filter { $0 > last?.rawValue ?? 0 }.max()
            return [.threadEvent(.parts([], last: found.map(PartID.init(rawValue:)), hasMore: false))]
        case .read(.find(let message)):
            return [.threadEvent(.found(message, isHeld: heldRetries.contains(message)))]
        case .found(_, let isHeld): found.append(isHeld)
        case .read(.findRetries): return [.threadEvent(.retriesDue([:]))]
        case .read(.read(let order)):
            if !readsSlowly { return fill(order) }
            unread.append(order)
        case .write(.record(let job)) where recordsSlowly: uncommitted.append(job)
        case .write(.record(let job)): return [.threadEvent(.committed(job.child, job.settlements))]
        case .write(.hold(let delivery, let why)): heldBack.append((delivery, why))
        case .write(.cancelStopped(let delivery)): cancelled.append(delivery)
        case .obeyed(let moment): obeyed.append(moment)
        case .send(_, .recall): recalls += 1
        case .withdrawn(let delivery, let inFlight): told.append((delivery, inFlight))
        case .send(let id, .withdraw(let delivery)): asked.append((id, delivery))
        case .send(let id, .drain): drained.append(id)
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
            .threadEvent(.job(JobDefinition(order: job, retry: RetryOverride(), mark: mark))),
            .threadEvent(.filled(order, job: number, frame: builder.finish(), messages: numbers.count)),
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
