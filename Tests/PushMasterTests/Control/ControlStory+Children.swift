import PushMaster
import PushModel
import PushSchedule
import PushWire
import TestSupport
import Testing

/// A simulated child that behaves as a real child: it executes its orders one after the other, returns
/// messages that have not begun when it is ordered to, and answers messages that have begun.
struct ControlledChild {
    struct Held {
        var grant: GrantID
        var job: JobOrder
        var message: MessageID
        var attempts: UInt8
    }
    enum Order {
        case order(LinkOrder)
        case grant([UInt8])
    }

    var orders: [Order] = []
    var jobs: [JobID: JobOrder] = [:]
    var accounts: Set<AccountID> = []
    var withdrawn: Set<DeliveryID> = []
    var waiting: [Held] = []
    var begun: [Held] = []
    /// Frames that the child has sent and that the loop has not read yet.
    var said: [LinkFrame] = []
    var isDraining = false

    func begun(of delivery: DeliveryID) -> Int { begun.count { $0.job.delivery == delivery } }
}

extension ControlStory {
    mutating func obeyOfChild(_ action: MasterMachine.Action) -> [MasterMachine.Event] {
        switch action {
        case .send(let id, let order): children[id]?.orders.append(.order(order))
        case .sendFrame(let id, let bytes): children[id]?.orders.append(.grant(bytes))
        case .spawn(let id):
            children[id] = ControlledChild()
            return [.spawned(id, processID: Int32(id.rawValue))]
        case .end(let id):
            guard let child = children[id] else {
                complain("\(id) is ended twice")
                return []
            }
            let isClean = child.isDraining && child.waiting.isEmpty && child.begun.isEmpty
            lose(id)
            let isCrash = !isClean && random.below(3) == 0
            let ending = ChildEnding(isClean: isClean, isCrash: isCrash, text: "ended")
            return child.said.map { .frame(id, $0) } + [.ended(id, ending)]
        case .listen(let id):
            let said = children[id]?.said ?? []
            children[id]?.said = []
            return said.map { .frame(id, $0) } + [.listened(id)]
        default: break
        }
        return []
    }

    /// The requests of the child are with the gateway, which may have accepted them.
    mutating func lose(_ id: ChildID) {
        guard let child = children.removeValue(forKey: id) else { return }
        for held in child.begun where random.below(2) == 0 { acceptedByGateway.insert(held.message) }
    }

    mutating func crash() {
        guard let id = children.keys.sorted().randomElement(using: &random) else { return }
        process(.linkEnded(id, why: "it was killed"))
    }

    /// The loop reads the frames of the children.
    mutating func receive() {
        for id in children.keys.sorted() {
            let said = children[id]?.said ?? []
            children[id]?.said = []
            for frame in said where machine.isConnected(id) { process(.frame(id, frame)) }
        }
    }

    mutating func beat() {
        for id in children.keys.sorted() {
            var writer = ByteWriter()
            LinkReport.heartbeat(
                Heartbeat(waiting: 0, inFlight: 0, openConnections: 1, residentKilobytes: 1_000)
            ).encode(into: &writer)
            say(writer.bytes, id)
        }
        receive()
    }

    /// One of the children does some work.
    mutating func work() {
        guard let id = children.keys.sorted().randomElement(using: &random) else { return }
        switch random.below(3) {
        case 0: for _ in 0...random.below(4) { obeyNext(id) }
        case 1: start(id, atMost: random.below(12) + 1)
        default: answer(id, atMost: random.below(12) + 1, isWell: false)
        }
        leaveIfDrained(id)
    }

    /// All children do all of their work, and the gateway accepts nearly everything.
    mutating func workWell() {
        for id in children.keys.sorted() {
            while children[id]?.orders.isEmpty == false { obeyNext(id) }
            start(id, atMost: .max)
            answer(id, atMost: .max, isWell: true)
            leaveIfDrained(id)
        }
    }

    private mutating func leaveIfDrained(_ id: ChildID) {
        guard let child = children[id], child.isDraining, child.waiting.isEmpty, child.begun.isEmpty else {
            return
        }
        receive()
        process(.linkEnded(id, why: "it has nothing more to do"))
    }

    // MARK: Orders

    private mutating func obeyNext(_ id: ChildID) {
        guard children[id]?.orders.isEmpty == false, let next = children[id]?.orders.removeFirst() else {
            return
        }
        switch next {
        case .grant(let bytes): take(bytes, id)
        case .order(.account(let order)): children[id]?.accounts.insert(order.account)
        case .order(.job(let job)): children[id]?.jobs[job.job] = job
        case .order(.retireJob(let job)):
            guard let order = children[id]?.jobs.removeValue(forKey: job) else { return }
            if children[id]?.jobs.values.contains(where: { $0.delivery == order.delivery }) == false {
                children[id]?.withdrawn.remove(order.delivery)
            }
        case .order(.drain):
            children[id]?.isDraining = true
            giveBack(id) { _ in true }
        case .order(.recall(let account)): giveBack(id) { $0.job.account == account }
        case .order(.withdraw(let delivery)):
            children[id]?.withdrawn.insert(delivery)
            giveBack(id) { $0.job.delivery == delivery }
            var writer = ByteWriter()
            LinkReport.withdrawn(delivery, inFlight: UInt32(children[id]?.begun(of: delivery) ?? 0))
                .encode(into: &writer)
            say(writer.bytes, id)
        case .order: break
        }
    }

    private mutating func take(_ bytes: [UInt8], _ id: ChildID) {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        guard let link = try? decoder.next(), let frame = try? GrantFrame(link) else {
            return complain("a grant cannot be read")
        }
        guard let job = children[id]?.jobs[frame.job], children[id]?.accounts.contains(job.account) == true
        else { return complain("\(id) was granted work that was not announced to it") }
        var offset = GrantFrame.firstEntry
        for _ in 0..<frame.count {
            let entry = frame.entry(at: offset)
            offset = entry.next
            children[id]?.waiting.append(
                .init(grant: frame.grant, job: job, message: entry.message, attempts: entry.attempts))
        }
        let (isDraining, isWithdrawn) = (
            children[id]?.isDraining == true, children[id]?.withdrawn.contains(job.delivery) == true
        )
        if isDraining || isWithdrawn { giveBack(id) { $0.grant == frame.grant } }
    }

    private mutating func giveBack(_ id: ChildID, _ isMeant: (ControlledChild.Held) -> Bool) {
        guard let held = children[id]?.waiting.filter(isMeant), !held.isEmpty else { return }
        children[id]?.waiting.removeAll(where: isMeant)
        report(held, by: id) { _ in .neverSent(.lost(.now), reason: "given back") }
    }

    // MARK: The gateway

    private mutating func start(_ id: ChildID, atMost most: Int) {
        guard let begin = children[id]?.waiting.prefix(most) else { return }
        for held in begin {
            let (message, delivery) = (held.message, held.job.delivery)
            if stopped.contains(delivery) {
                complain("message \(message) of \(delivery) is sent after the stop has answered")
            }
            if sent.contains(message) { complain("message \(message) is sent again") }
            if failed[message] != nil { complain("message \(message) is sent after it has failed") }
            if children.values.contains(where: { $0.begun.contains { $0.message == message } }) {
                complain("message \(message) is sent by two children")
            }
        }
        children[id]?.waiting.removeFirst(begin.count)
        children[id]?.begun += begin
    }

    private mutating func answer(_ id: ChildID, atMost most: Int, isWell: Bool) {
        guard let answered = children[id]?.begun.prefix(most), !answered.isEmpty else { return }
        children[id]?.begun.removeFirst(answered.count)
        var outcomes: [Outcome] = []
        for held in answered {
            let outcome: Outcome =
                switch random.below(isWell ? 400 : 20) {
                case 0: .rejected(.refusal, reason: "BadCollapseId")
                case 1: .undecided(.lost(.soon), reason: "the connection was lost")
                case 2: .rejected(.lost(.soon), reason: "TooManyRequests")
                case 3: .neverSent(.lost(.now), reason: "the connection was refused")
                default: .accepted(providerID: nil)
                }
            switch outcome {
            case .accepted: acceptedByGateway.insert(held.message)
            case .undecided: if random.below(2) == 0 { acceptedByGateway.insert(held.message) }
            default: break
            }
            outcomes.append(outcome)
        }
        var place = 0
        report(Array(answered), by: id) { _ in
            defer { place += 1 }
            return outcomes[place]
        }
    }

    private mutating func report(
        _ held: [ControlledChild.Held], by id: ChildID, _ outcome: (ControlledChild.Held) -> Outcome
    ) {
        var outcomes = OutcomesFrameBuilder()
        for item in held {
            let found = outcome(item)
            if case .accepted = found {
                outcomes.accepted(item.message, grant: item.grant)
            } else {
                outcomes.append(found, message: item.message, attempts: item.attempts, grant: item.grant)
            }
        }
        say(outcomes.finish(), id)
    }

    private mutating func say(_ bytes: [UInt8], _ id: ChildID) {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        while let frame = try? decoder.next() { children[id]?.said.append(frame) }
    }
}

extension Verdict {
    fileprivate static let refusal = Verdict(
        scope: .message, schedule: .none, countsAttempt: true, failureType: .hard, failureReason: .refused,
        quarantine: .no)

    fileprivate static func lost(_ schedule: Schedule) -> Verdict {
        Verdict(
            scope: .transient, schedule: schedule, countsAttempt: schedule == .soon, failureType: .soft,
            failureReason: .unreachable, quarantine: .no)
    }
}
