import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushWire
import TestSupport

/// A machine with one account, and an environment that the test controls.
struct AlarmedMaster {
    private var machine: MasterMachine
    private var seconds = 0
    private var lastPart: Int64 = 0
    private var children: Set<ChildID> = []
    private var grants: [(child: ChildID, order: ReadOrder)] = []
    private var held: [ChildID: [(grant: GrantID, message: MessageID)]] = [:]
    private var status = MasterStatus(
        pid: 0, uptimeSeconds: 0, state: "", unrecorded: 0, waitingRanges: 0, children: [], accounts: [])
    var spawns = true
    var isStoreSilent = false
    var (isPolled, hasRetries) = (true, false)
    var wallOffset: Int64 = 0
    var residentKilobytes: UInt32 = 0
    var keyFailure: String?
    private(set) var logged: [String] = []
    private(set) var isLeaving = false

    init(quota: TokenBucket? = nil) {
        let settings = MasterSettings(
            ServerConfiguration(), childOrder: ChildProcess.Order(executable: "/nowhere", arguments: []))
        machine = MasterMachine(
            settings: settings, storePath: "/nowhere", processID: 1, at: Self.moment(0, 0),
            chance: { $0.lowerBound })
        process(.threadEvent(.account(1, Self.definition(1, quota))))
    }

    private static func definition(_ id: AccountID, _ quota: TokenBucket? = nil) -> AccountDefinition {
        AccountDefinition(
            name: "\(id)", mark: AccountKey(rawValue: "\(id)"),
            terms: AccountLimits(quota: quota),
            order: AccountOrder(
                account: id, connector: .iosHTTP2, environment: .production,
                credential: OpaqueCredential(bytes: []), gateway: GatewayOrder()))
    }

    private static func moment(_ seconds: Int, _ offset: Int64) -> MasterMachine.Timestamps {
        MasterMachine.Timestamps(
            monotonic: MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000),
            wall: WallTime(secondsSince1970: 1_800_000_000 + Int64(seconds) + offset))
    }

    // MARK: What the story asks

    var alarms: [MasterStatus.Alarm] {
        mutating get {
            process(.threadEvent(.statusWanted))
            return status.alarms
        }
    }

    mutating func alarms(of kind: String) -> [MasterStatus.Alarm] { alarms.filter { $0.kind == kind } }
    mutating func cause(of kind: String) -> String {
        alarms(of: kind).first?.cause ?? "there is no such alarm"
    }

    /// The machine's report about the order to end, which it makes when it ends.
    var machineRestarts: Bool { machine.restarts }

    // MARK: The world

    mutating func pass(seconds count: Int) {
        for _ in 0..<count {
            seconds += 1
            for child in children { say(.heartbeat(beat), child) }
            if isPolled, !isStoreSilent { process(.threadEvent(.polled(hasChanged: false))) }
            var facts = MasterMachine.PeriodicFacts()
            facts.residentKilobytes = residentKilobytes
            facts.keyFailure = keyFailure
            process(.second(facts))
            process(.turn)
        }
    }

    private var beat: Heartbeat {
        Heartbeat(waiting: 0, inFlight: 0, openConnections: 1, residentKilobytes: 1_000)
    }

    /// Reports that a part with ten messages was found.
    mutating func findWork() {
        let first = lastPart + 1
        lastPart += 10
        let part = Part(
            id: PartID(rawValue: first), delivery: DeliveryID(rawValue: 1), app: AppID(rawValue: 1),
            messages: MessageID(rawValue: first)...MessageID(rawValue: lastPart), firstOrdinal: first)
        process(.threadEvent(.addressed([FoundPart(part: part, account: 1, priority: .normal)])))
        process(.turn)
    }

    /// The app uses another account from now on, because its credential was changed.
    mutating func replaceAccount() {
        process(.threadEvent(.account(2, Self.definition(2))))
        process(.threadEvent(.appChanged(AppID(rawValue: 1), from: 1, to: 2)))
        process(.threadEvent(.accountUnused(1)))
    }

    /// The gateway refuses the account, whichever child uses the account.
    mutating func refuse(topic: String = "", reason: String = "the gateway refuses") {
        process(.turn)
        guard let child = children.first else { return }
        let news = AccountNews(account: 1, kind: .refused, text: reason, topic: topic)
        say(.accountNews(news), child)
    }

    /// Accepts each message that a child has, and records the acceptances.
    mutating func answerAll() {
        pass(seconds: 1)
        for (child, messages) in held {
            var outcomes = OutcomesFrameBuilder()
            for (grant, message) in messages { outcomes.accepted(message, grant: grant) }
            held[child] = []
            if !messages.isEmpty { receive(outcomes.finish(), child) }
        }
        pass(seconds: 1)
    }

    private mutating func say(_ report: LinkReport, _ child: ChildID) {
        var writer = ByteWriter()
        report.encode(into: &writer)
        receive(writer.bytes, child)
    }

    private mutating func receive(_ bytes: [UInt8], _ child: ChildID) {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        while let frame = try? decoder.next() { process(.frame(child, frame)) }
    }

    mutating func process(_ event: MasterMachine.Event) {
        var actions = machine.handle(event, at: Self.moment(seconds, wallOffset))
        while !actions.isEmpty {
            let action = actions.removeFirst()
            for event in obey(action) {
                actions += machine.handle(event, at: Self.moment(seconds, wallOffset))
            }
        }
    }

    private mutating func obey(_ action: MasterMachine.Action) -> [MasterMachine.Event] {
        switch action {
        case .read(.ping): return isStoreSilent ? [] : [.threadEvent(.turned(.reader))]
        case .write(.ping): return isStoreSilent ? [] : [.threadEvent(.turned(.writer))]
        case .read(.findRetries):
            return [.threadEvent(.retriesDue(hasRetries ? [AppID(rawValue: 1): 1] : [:]))]
        case .read(.findParts): return [.threadEvent(.parts([], last: nil, hasMore: false))]
        case .read(.read(let order)): return fill(order)
        case .write(.record(let job)): return [.threadEvent(.committed(job.child, job.settlements))]
        case .spawn(let id):
            guard spawns else { return [.notSpawned(id, why: "no processes")] }
            children.insert(id)
            var writer = ByteWriter()
            LinkReport.hello(version: ChildLink.version, processID: Int32(id.rawValue)).encode(into: &writer)
            var decoder = FrameDecoder()
            decoder.feed(writer.bytes)
            let hello = (try? decoder.next()).flatMap { $0 }
            return [.spawned(id, processID: Int32(id.rawValue))] + (hello.map { [.frame(id, $0)] } ?? [])
        case .sendFrame(let id, let bytes): take(bytes, id)
        case .log(_, let line, _): logged.append(line)
        case .publish(let said): status = said
        case .leave: isLeaving = true
        case .read, .write, .send, .end, .listen, .endAll, .takeWakeUps, .withdrawn, .found, .lead, .sharing,
            .obeyed,
            .busy:
            break
        }
        return []
    }

    private mutating func fill(_ order: ReadOrder) -> [MasterMachine.Event] {
        var numbers: ClosedRange<Int64> = 1...1
        if case .range(_, let range) = order.source {
            numbers = range.lowerBound.rawValue...range.upperBound.rawValue
        }
        let job = JobOrder(
            job: 1, account: 1, delivery: DeliveryID(rawValue: 1), priority: .normal, platform: .ios,
            bundleID: "com.example",
            messageIDFormat: .uuid, tracking: false, expiresAt: WallTime(secondsSince1970: 1_900_000_000),
            variables: [], contentJSON: Array("{}".utf8))
        var builder = GrantFrameBuilder(grant: order.grant, job: 1, expectedMessages: 10)
        for number in numbers {
            builder.append(
                MessageID(rawValue: number), id: OpaqueID(high: 1, low: UInt64(number)), integerID: number,
                attempts: 0, token: [UInt8(ascii: "a")].span, parameters: Span())
        }
        return [
            .threadEvent(
                .job(
                    JobDefinition(order: job, retry: RetryOverride(), mark: AccountKey(rawValue: "account 1"))
                )),
            .threadEvent(.filled(order, job: 1, frame: builder.finish(), messages: numbers.count)),
        ]
    }

    private mutating func take(_ bytes: [UInt8], _ id: ChildID) {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        guard let link = try? decoder.next(), let frame = try? GrantFrame(link) else { return }
        var offset = GrantFrame.firstEntry
        for _ in 0..<frame.count {
            let entry = frame.entry(at: offset)
            offset = entry.next
            held[id, default: []].append((frame.grant, entry.message))
        }
    }
}
