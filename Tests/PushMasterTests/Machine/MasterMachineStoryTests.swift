import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushWire
import TestSupport
import Testing

/// Simulates a master at random: parts are prepared and found, reads fail, children start, answer, drain,
/// crash, fall silent and are recycled, accounts are refused, and commits come late. Reader, writer and
/// children are as simple as possible, and report everything that must not happen.
@Suite struct `The master in random simulations` {
    @Test(arguments: 0..<40)
    func `each message is accepted once, and each child receives the orders that it needs`(
        seed: UInt64
    ) {
        var story = MasterStory(seed: seed)
        for _ in 0..<1_200 { story.turn() }
        story.finish()
        #expect(story.complaints == [])
        #expect(story.store.sent.count == story.store.messages)
        #expect(story.machine.ledger.unrecorded == 0)
        story.leave()
        #expect(story.complaints == [])
        #expect(story.machine.ending(at: story.moment.monotonic) == .orderly)
    }
}

private struct MasterStory {
    var machine: MasterMachine
    var random: SeededRandom
    var moment = MasterMachine.Timestamps(
        monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(secondsSince1970: 1_800_000_000))
    var store = MasterStoryStore()
    var complaints: [String] = []
    var children: [ChildID: StoryChild] = [:]
    /// Messages that a gateway accepted.
    var accepted: Set<Int64> = []
    var readerJobs: [StoreReader.Job] = []
    var writerJobs: [StoreWriter.RecordJob] = []
    var announcements: [Part] = []
    var jobs: Set<JobID> = []
    var known: Set<PartID> = []
    var isLeaving = false
    private var configuration = ServerConfiguration()
    private static let childOrder = ChildProcess.Order(executable: "/nowhere", arguments: [])

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        configuration.mta.child.maxWaitingMessages = 64
        configuration.mta.child.maxMsgPerChild = seed % 2 == 0 ? 1_000 : 100_000
        configuration.mta.master.maxSpareServers = 3
        machine = MasterMachine(
            settings: MasterSettings(configuration, childOrder: Self.childOrder), storePath: "/nowhere",
            processID: 1,
            at: moment,
            chance: { $0.lowerBound })
        for account in AccountID(1)...3 {
            let definition = AccountDefinition(
                name: "account \(account)", mark: AccountKey(rawValue: "account \(account)"),
                terms: AccountLimits(),
                order: AccountOrder(
                    account: account, connector: .stub, environment: .production,
                    credential: OpaqueCredential(bytes: []), gateway: GatewayOrder()))
            process(.threadEvent(.account(account, definition)))
        }
    }

    // MARK: The days

    mutating func turn() {
        pass(milliseconds: random.below(300))
        switch random.below(16) {
        case 0 where store.parts.count < 50: prepare()
        case 1: announce()
        case 2...5: read()
        case 6, 7: commit()
        case 8 where random.below(5) == 0: crash()
        case 9: second()
        case 10 where random.below(6) == 0: refuse()
        case 11: receive()
        case 12 where random.below(20) == 0: reload()
        default: answer(all: false)
        }
        process(.turn)
    }

    /// Ends all trouble, and then continues until all work is done.
    mutating func finish() {
        for _ in 0..<6_000 where store.sent.count < store.messages || machine.ledger.unrecorded > 0 {
            pass(milliseconds: 2_000)
            announce()
            for _ in 0..<readerJobs.count { read(isWell: true) }
            for id in children.keys.sorted() { beat(id) }
            answer(all: true)
            receive()
            while !writerJobs.isEmpty { commit() }
            second()
            process(.turn)
        }
    }

    /// Orders the master to end. Messages that children have may be finished.
    mutating func leave() {
        isLeaving = true
        process(.threadEvent(.shutDown))
        for _ in 0..<200 where machine.ending(at: moment.monotonic) == .notYet {
            pass(milliseconds: 100)
            answer(all: true)
            for (id, child) in children where child.isDraining && child.held.isEmpty { end(id) }
            receive()
            while !writerJobs.isEmpty { commit() }
            second()
            process(.turn)
        }
    }

    private mutating func pass(milliseconds: Int) {
        moment.monotonic = moment.monotonic.advanced(byMilliseconds: Int64(milliseconds))
        moment.wall = WallTime(
            secondsSince1970: 1_800_000_000 + moment.monotonic.milliseconds(
                since: MonotonicTime(nanoseconds: 0)) / 1_000)
    }

    // MARK: Obeying

    private mutating func process(_ event: MasterMachine.Event) {
        var actions = machine.handle(event, at: moment)
        while !actions.isEmpty {
            let action = actions.removeFirst()
            for event in obey(action) { actions += machine.handle(event, at: moment) }
        }
    }

    private mutating func obey(_ action: MasterMachine.Action) -> [MasterMachine.Event] {
        switch action {
        case .read(let job): readerJobs.append(job)
        case .write(.record(let job)): writerJobs.append(job)
        case .write(.ping): return [.threadEvent(.turned(.writer))]
        case .send(let id, let order): take(order, id)
        case .sendFrame(let id, let bytes): grant(bytes, to: id)
        case .spawn(let id):
            if isLeaving { complaints.append("a child is started by a master that ends") }
            if random.below(10) == 0 { return [.notSpawned(id, why: "no processes")] }
            children[id] = StoryChild()
            return [.spawned(id, processID: Int32(id.rawValue))]
        case .end(let id):
            guard let child = children.removeValue(forKey: id) else {
                complaints.append("\(id) is ended twice")
                return []
            }
            let isClean = child.isDraining && child.held.isEmpty
            return child.said.map { .frame(id, $0) }
                + [
                    .ended(
                        id,
                        ChildEnding(
                            isClean: isClean, isCrash: random.below(2) == 0 && !isClean, text: "ended"))
                ]
        case .listen(let id):
            let said = children[id]?.said ?? []
            children[id]?.said = []
            return said.map { .frame(id, $0) } + [.listened(id)]
        case .endAll: complaints.append("all children are killed")
        case .write, .log, .publish, .takeWakeUps, .leave, .withdrawn, .found, .lead, .sharing, .obeyed,
            .busy:
            break
        }
        return []
    }

    // MARK: The store's threads

    private mutating func prepare() {
        let count = random.below(120) + 1
        let first = Int64(store.messages) + 1
        store.messages += count
        let number = Int64(store.parts.count)
        let part = Part(
            id: PartID(rawValue: first), delivery: DeliveryID(rawValue: number % 10 + 1),
            app: AppID(rawValue: number % 3 + 1),
            messages: MessageID(rawValue: first)...MessageID(rawValue: first + Int64(count) - 1),
            firstOrdinal: first)
        store.parts.append(part)
        announcements.append(part)
    }

    private mutating func announce() {
        let parts = announcements.map { PreparedPart(part: $0, priority: priority(of: $0)) }
        announcements = []
        process(.threadEvent(.prepared(parts)))
    }

    private func priority(of part: Part) -> DeliveryPriority {
        DeliveryPriority.allCases[Int(part.delivery.rawValue) % 5]
    }

    private func found(_ part: Part) -> FoundPart {
        FoundPart(
            part: part, account: AccountID(rawValue: UInt32(part.app.rawValue)), priority: priority(of: part))
    }

    private mutating func read(isWell: Bool = false) {
        guard !readerJobs.isEmpty else { return }
        let isWell = isWell || random.below(10) > 0
        switch readerJobs.removeFirst() {
        case .read(let order): isWell ? fill(order) : process(.threadEvent(.unread(order.grant)))
        case .findParts(let last):
            guard isWell else { return process(.threadEvent(.partSearchFailed)) }
            let page = Array(open.filter { part in last.map { part.id > $0 } ?? true }.prefix(4))
            known.formUnion(page.map(\.id))
            process(.threadEvent(.parts(page.map(found), last: page.last?.id, hasMore: page.count == 4)))
        case .findPartsAgain(let search, let last):
            let page = open.filter { $0.app == search.app && $0.id >= search.first && $0.id <= last }
            known.formUnion(page.map(\.id))
            process(.threadEvent(.partsAgain(search, page.map(found), next: nil)))
        case .address(let parts):
            guard isWell else { return process(.threadEvent(.addressFailed)) }
            known.formUnion(parts.map(\.part.id))
            process(.threadEvent(.addressed(parts.map { found($0.part) })))
        case .closed(let part): known.remove(part)
        case .findRetries: process(.threadEvent(.retriesDue([:])))
        case .ping: process(.threadEvent(.turned(.reader)))
        case .giveUp, .forget: complaints.append("retries that do not exist are given up")
        case .released, .finished, .find, .reconfigure, .share, .stop: break
        }
    }

    private var open: [Part] { store.parts.filter { !store.pending($0.messages).isEmpty } }

    private mutating func fill(_ order: ReadOrder) {
        guard case .range(let id, let range) = order.source, known.contains(id),
            let part = store.parts.first(where: { $0.id == id })
        else { return process(.threadEvent(.filled(order, job: nil, frame: [], messages: 0))) }
        let job = JobID(part.delivery.rawValue * 10 + part.app.rawValue)
        if jobs.insert(job).inserted {
            let order = JobOrder(
                job: job, account: AccountID(part.app.rawValue), delivery: part.delivery,
                priority: priority(of: part),
                platform: .ios, bundleID: "com.example", messageIDFormat: .uuid, tracking: false,
                expiresAt: WallTime(secondsSince1970: 1_900_000_000), variables: [], contentJSON: [])
            let mark = AccountKey(rawValue: "account \(part.app)")
            process(.threadEvent(.job(JobDefinition(order: order, retry: RetryOverride(), mark: mark))))
        }
        let messages = store.pending(range)
        var builder = GrantFrameBuilder(
            grant: order.grant, job: job, expectedMessages: messages.count)
        for message in messages {
            builder.append(
                MessageID(rawValue: message), id: OpaqueID(high: 1, low: UInt64(message)), integerID: message,
                attempts: 0,
                token: [UInt8(ascii: "a")].span, parameters: Span())
        }
        process(
            .threadEvent(
                .filled(
                    order, job: job, frame: messages.isEmpty ? [] : builder.finish(), messages: messages.count
                )))
    }

    private mutating func commit() {
        guard !writerJobs.isEmpty else { return }
        let job = writerJobs.removeFirst()
        for batch in job.batches {
            for message in batch.accepted where !store.sent.insert(message.rawValue).inserted {
                complaints.append("message \(message) is recorded twice")
            }
        }
        process(.threadEvent(.committed(job.child, job.settlements)))
    }

    /// Changes the limits. Children with the old limits are replaced.
    private mutating func reload() {
        configuration.mta.child.maxWaitingMessages = random.below(2) == 0 ? 64 : 48
        configuration.mta.master.maxSpareServers = random.below(3) + 1
        let settings = MasterSettings(configuration, childOrder: Self.childOrder)
        guard let gateways = try? GatewaySettings(configuration) else {
            return complaints.append("settings without files cannot be read")
        }
        process(.threadEvent(.reconfigured(Reconfiguration(settings: settings, gateways: gateways))))
    }

    private mutating func second() { process(.second(MasterMachine.PeriodicFacts())) }

    // MARK: Children

    private mutating func take(_ order: LinkOrder, _ id: ChildID) {
        switch order {
        case .account(let order): children[id]?.accounts.insert(order.account)
        case .job(let order): children[id]?.jobs[order.job] = order
        case .retireJob(let job):
            children[id]?.jobs[job] = nil
        case .drain: children[id]?.isDraining = true
        default: break
        }
    }

    private mutating func grant(_ bytes: [UInt8], to id: ChildID) {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        guard let link = try? decoder.next(), let frame = try? GrantFrame(link) else {
            return complaints.append("a grant cannot be read")
        }
        guard let child = children[id] else { return complaints.append("a grant for \(id), which has ended") }
        guard let job = child.jobs[frame.job], child.accounts.contains(job.account) else {
            return complaints.append("\(id) was granted work that was not announced to it")
        }
        var offset = GrantFrame.firstEntry
        for _ in 0..<frame.count {
            let entry = frame.entry(at: offset)
            offset = entry.next
            let message = entry.message.rawValue
            if children.values.contains(where: { $0.held.contains { $0.message == message } }) {
                complaints.append("message \(message) is with two children")
            }
            children[id]?.held.append((frame.grant, message))
        }
        if (children[id]?.held.count ?? 0) > 64 { complaints.append("\(id) has more than its capacity") }
    }

    /// Children accept some messages and return a few unsent. It may take a long time until the loop reads
    /// this.
    private mutating func answer(all: Bool) {
        for id in children.keys.sorted() where all || random.below(3) == 0 {
            guard let child = children[id], !child.isDead, !child.held.isEmpty else { continue }
            var outcomes = OutcomesFrameBuilder()
            let count = all ? child.held.count : random.below(child.held.count) + 1
            for (grant, message) in child.held.prefix(count) {
                if !all, random.below(20) == 0 {
                    let verdict = Verdict(
                        scope: .account, schedule: .none, countsAttempt: false, failureType: .undefined,
                        failureReason: .undefined, quarantine: .no)
                    outcomes.append(
                        .neverSent(verdict, reason: "later"), message: MessageID(rawValue: message),
                        attempts: 0,
                        grant: grant)
                } else {
                    outcomes.accepted(MessageID(rawValue: message), grant: grant)
                    if !accepted.insert(message).inserted {
                        complaints.append("message \(message) is sent twice")
                    }
                }
            }
            children[id]?.held.removeFirst(count)
            say(outcomes.finish(), id)
        }
    }

    private mutating func beat(_ id: ChildID) {
        var writer = ByteWriter()
        LinkReport.heartbeat(Heartbeat(waiting: 0, inFlight: 0, openConnections: 1, residentKilobytes: 1_000))
            .encode(into: &writer)
        say(writer.bytes, id)
    }

    private mutating func refuse() {
        guard let id = children.keys.sorted().first(where: { !(children[$0]?.accounts.isEmpty ?? true) }),
            let account = children[id]?.accounts.sorted().first
        else { return }
        var writer = ByteWriter()
        LinkReport.accountNews(AccountNews(account: account, kind: .refused, text: "no")).encode(
            into: &writer)
        say(writer.bytes, id)
    }

    private mutating func say(_ bytes: [UInt8], _ id: ChildID) {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        while let frame = try? decoder.next() { children[id]?.said.append(frame) }
    }

    /// The loop reads the frames of the children.
    private mutating func receive() {
        for id in children.keys.sorted() {
            let said = children[id]?.said ?? []
            children[id]?.said = []
            for frame in said where machine.isConnected(id) { process(.frame(id, frame)) }
        }
    }

    private mutating func crash() {
        guard let id = children.keys.sorted().first(where: { _ in random.below(2) == 0 }) else { return }
        children[id]?.isDead = true
        end(id)
    }

    private mutating func end(_ id: ChildID) { process(.linkEnded(id, why: "the link ended")) }
}
