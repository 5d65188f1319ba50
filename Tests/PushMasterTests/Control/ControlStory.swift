import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import PushWire
import Synchronization
import TestSupport
import Testing

/// A master's loop over a real store, one step at a time. Work that the master's threads would do at
/// arbitrary moments is done at random. Every retry is due immediately, so that no time has to pass.
struct ControlStory {
    let fixture: MasterFixture
    let service: WriteService
    private let threads: [OtherThread]
    private let mailbox: Mailbox<StoreReader.Job>
    private var reader: StoreReader
    var machine: MasterMachine
    var random: SeededRandom
    private let begin = Clocks.moment()
    var moment: MasterMachine.Timestamps
    var complaints: [String] = []
    private let apps: [App]

    // Pending work.
    private var readerJobs: [StoreReader.Job] = []
    private var writerJobs: [StoreWriter.Job] = []
    private var turns = PreparationTurns()

    // Facts about deliveries: each delivery with the number of messages that it must have at the end.
    var deliveries: [(id: DeliveryID, messages: Int)] = []
    /// Deliveries whose messages must no longer be sent.
    var stopped: Set<DeliveryID> = []
    /// Messages that were recorded as sent, as the master ordered.
    var sent: Set<MessageID> = []
    var failed: [MessageID: DeliveryID] = [:]

    // Facts about children and the gateway: see ``ControlStory+Children``.
    var children: [ChildID: ControlledChild] = [:]
    var acceptedByGateway: Set<MessageID> = []

    private static let subscribers = 30
    private static let maxDeliveries = 6

    init(_ fixture: MasterFixture, seed: UInt64) throws {
        self.fixture = fixture
        random = SeededRandom(seed: seed)
        moment = .init(monotonic: MonotonicTime(nanoseconds: 0), wall: begin.time)
        apps = try [
            fixture.app("one", subscribers: Self.subscribers, identity: "one"),
            fixture.app("two", subscribers: Self.subscribers, identity: "two"),
        ]
        let loop = fixture.loop
        let service = WriteService(
            store: fixture.store, judge: { _ in .wait }, clock: WriteClock(wall: { [begin] in begin })
        ) { event in
            switch event {
            case .recorded(let result): if !result.finished.isEmpty { loop.send(.finished(result.finished)) }
            case .damaged(let delivery, let why): loop.send(.damaged(delivery, why: why))
            case .failure(let why), .setAside(let why): loop.send(.setAside(why))
            case .recovered: break
            }
        }
        self.service = service
        threads = [OtherThread { service.run() }, OtherThread { service.callBack() }]
        mailbox = try Mailbox()
        reader = try Self.reader(fixture, mailbox)
        machine = Self.machine(at: moment)
    }

    private static func reader(_ fixture: MasterFixture, _ mailbox: Mailbox<StoreReader.Job>) throws
        -> StoreReader
    {
        StoreReader(
            mailbox: mailbox, loop: fixture.loop, store: fixture.store,
            messages: try fixture.store.messageReader(),
            key: fixture.key, gateways: try GatewaySettings(ServerConfiguration()),
            feedbackPeriodSeconds: 21_600)
    }

    private static func machine(at moment: MasterMachine.Timestamps) -> MasterMachine {
        var configuration = ServerConfiguration()
        configuration.mta.child.maxWaitingMessages = 64
        configuration.mta.master.maxSpareServers = 2
        let order = ChildProcess.Order(executable: "/nowhere", arguments: [])
        return MasterMachine(
            settings: MasterSettings(configuration, childOrder: order), storePath: "/nowhere", processID: 1,
            at: moment, chance: { $0.lowerBound })
    }

    // MARK: The days

    mutating func turn() throws {
        pass(milliseconds: random.below(300))
        switch random.below(32) {
        case 0 where deliveries.count < Self.maxDeliveries: try submit()
        case 1...3: try prepare()
        case 4...8: read()
        case 9...13: try write()
        case 14, 15: second()
        case 16: try pause()
        case 17, 18: try resume()
        case 19 where random.below(4) == 0: try stop()
        case 20: try sendFailedAgain()
        case 21 where random.below(3) == 0: crash()
        case 22 where random.below(8) == 0: try killMaster()
        case 23, 24: receive()
        default: work()
        }
        process(.turn)
    }

    /// Ends all trouble and resumes all paused deliveries, and then continues until all work is done.
    mutating func finish() throws {
        while deliveries.isEmpty { try submit() }
        for _ in 0..<3_000 where complaints.isEmpty {
            pass(milliseconds: 1_500)
            for (id, _) in deliveries where try state(id) == .paused { try resume(id) }
            try prepare()
            for _ in 0..<readerJobs.count { read() }
            workWell()
            receive()
            for _ in 0..<writerJobs.count { try write() }
            second()
            process(.turn)
            let isQuiet = writerJobs.isEmpty && machine.ledger.unrecorded == 0
            if try isQuiet && deliveries.allSatisfy({ try state($0.id).isFinal }) { return }
        }
        complain("the story does not end")
    }

    func leave() {
        service.end()
        for thread in threads { #expect(thread.hasEnded()) }
    }

    mutating func complain(_ text: String) { if complaints.count < 10 { complaints.append(text) } }

    private mutating func pass(milliseconds: Int) {
        moment.monotonic = moment.monotonic.advanced(byMilliseconds: Int64(milliseconds))
        let elapsed = moment.monotonic.milliseconds(since: MonotonicTime(nanoseconds: 0))
        moment.wall = begin.time.advanced(bySeconds: elapsed / 1_000)
    }

    // MARK: What an operator does

    private mutating func submit() throws {
        let chosen = random.below(3) == 0 ? apps : [apps[random.below(2)]]
        var schedule = DeliverySchedule()
        schedule.priority = random.below(4) == 0 ? .high : .normal
        if random.below(4) == 0 { schedule.ratePerSecond = 20 + random.below(100) }
        let order = DeliveryOrder(
            label: "Sale", service: ServiceID(rawValue: 1), apps: chosen.map(\.id), target: .all,
            schedule: schedule, retry: RetryOverride(), tracking: true,
            contentJSON: Array(#"{"title":"Hello"}"#.utf8))
        let now = begin
        let id = try service.perform(.control, rows: 10) { store throws(StoreError) in
            try store.deliverySubmitter.submit(order, at: now)
        }
        deliveries.append((id, chosen.count * Self.subscribers))
        process(.threadEvent(.wakeUp))
    }

    private mutating func pause() throws {
        guard let id = anyDelivery() else { return }
        try service.perform(.control, rows: 2) { store throws(StoreError) in
            _ = try store.pause.pause(id)
        }
        process(.threadEvent(.pauseChanged(id)))
    }

    private mutating func resume() throws {
        if let id = anyDelivery() { try resume(id) }
    }

    private mutating func resume(_ id: DeliveryID) throws {
        let step = try service.perform(.control, rows: 2) { store throws(StoreError) in
            try store.pause.resume(id)
        }
        if step == .changed { process(.threadEvent(.pauseChanged(id))) }
    }

    /// Stops a delivery. The answer arrives as ``MasterMachine/Action/withdrawn(_:inFlight:)``.
    private mutating func stop() throws {
        guard let id = anyDelivery() else { return }
        let now = begin
        let step = try service.perform(.control, rows: 10) { store throws(StoreError) in
            try store.stop.stop(id, at: now)
        }
        switch step {
        case .stopped(isOver: true):
            stopped.insert(id)
            process(.threadEvent(.pauseChanged(id)))
        case .stopped, .unchanged(.stopping): process(.threadEvent(.withdraw(id)))
        case .unchanged, .unknown: break
        }
    }

    private mutating func sendFailedAgain() throws {
        guard let id = anyDelivery() else { return }
        let now = begin
        let retry = RetryOfFailed(
            delivery: id, permanentReasons: [], expiresAt: now.time.advanced(bySeconds: 10 * 86_400))
        var cursor = FailedMessages.Cursor()
        var retried = 0
        while true {
            let before = cursor
            let done = try service.perform(.control, rows: 1_000) {
                store throws(StoreError) -> (RetriedMessages?, FailedMessages.Cursor) in
                var cursor = before
                return (try store.failedMessages.retry(retry, &cursor, at: now), cursor)
            }
            cursor = done.1
            guard let step = done.0 else { break }
            retried += step.retried
        }
        if retried > 0 { failed = failed.filter { $0.value != id } }
        process(.threadEvent(.wakeUp))
    }

    private mutating func anyDelivery() -> DeliveryID? {
        deliveries.isEmpty ? nil : deliveries[random.below(deliveries.count)].id
    }

    func state(_ id: DeliveryID) throws -> DeliveryState {
        try #require(try fixture.store.pause.state(of: id))
    }

    // MARK: Obeying

    mutating func process(_ event: MasterMachine.Event) {
        var actions = machine.handle(event, at: moment)
        while !actions.isEmpty {
            for event in obey(actions.removeFirst()) { actions += machine.handle(event, at: moment) }
        }
    }

    private mutating func obey(_ action: MasterMachine.Action) -> [MasterMachine.Event] {
        switch action {
        case .read(let job): readerJobs.append(job)
        case .write(.ping): return [.threadEvent(.turned(.writer))]
        case .write(let job): writerJobs.append(job)
        case .withdrawn(let id, let inFlight):
            stopped.insert(id)
            let begun = children.values.reduce(0) { $0 + $1.begun(of: id) }
            if begun > inFlight {
                complain("\(begun) requests of \(id) are begun, and \(inFlight) were reported")
            }
        case .endAll: complain("all children are killed")
        case .send, .sendFrame, .spawn, .end, .listen: return obeyOfChild(action)
        case .log, .publish, .takeWakeUps, .leave, .lead, .found, .sharing, .obeyed, .busy: break
        }
        return []
    }

    /// Passes on the events that the store's threads have sent by now.
    private mutating func receiveFromThreads() {
        for event in fixture.loop.take() {
            switch event {
            case .damaged(_, let why), .unreadable(_, let why), .unaddressable(_, let why),
                .setAside(let why), .readFailure(let why), .storeFailure(let why):
                complain(why)
            default: break
            }
            process(.threadEvent(event))
        }
    }

    // MARK: The store's threads

    private mutating func read() {
        guard !readerJobs.isEmpty else { return }
        mailbox.send(readerJobs.removeFirst())
        mailbox.send(.stop)
        reader.run()
        receiveFromThreads()
    }

    private mutating func prepare() throws {
        let (turns, now) = (turns, begin)
        let done = try service.perform(.preparation, rows: WriteQueue.maximumRows) {
            store throws(StoreError) -> ([(delivery: DeliveryID, step: PreparationStep)], PreparationTurns) in
            var turns = turns
            return (try store.preparation.prepareNext(&turns, at: now), turns)
        }
        self.turns = done.1
        let parts = done.0.compactMap { found in
            found.step.part.map { PreparedPart(part: $0, priority: found.step.priority) }
        }
        if !parts.isEmpty { process(.threadEvent(.prepared(parts))) }
        let finished = done.0.filter(\.step.isFinished).map(\.delivery)
        if !finished.isEmpty { process(.threadEvent(.finished(finished))) }
    }

    private mutating func write() throws {
        guard !writerJobs.isEmpty else { return }
        let (loop, now) = (fixture.loop, begin)
        switch writerJobs.removeFirst() {
        case .record(let job): record(job)
        case .rests: service.afterOutcomes {}
        case .failRange(_, let delivery, let messages):
            let step = try service.perform(.outcomes, rows: 1_000) { store throws(StoreError) in
                try store.outcomes.failLost(messages, of: delivery, at: now)
            }
            if step.isFinished { loop.send(.finished([delivery])) }
        case .failMessages(let messages, let delivery):
            let step = try service.perform(.outcomes, rows: 1_000) { store throws(StoreError) in
                try store.outcomes.failLost(messages, of: delivery, at: now)
            }
            loop.send(.lostFailed(messages))
            if step.isFinished { loop.send(.finished([delivery])) }
        case .cancelStopped(let delivery):
            let step = try service.perform(.verdicts, rows: DeliveryStop.rowsPerStep) {
                store throws(StoreError) in
                try store.stop.cancelNext(of: delivery, at: now)
            }
            if step.isOver { loop.send(.finished([delivery])) }
            if !step.isOver, step.ended > 0 { writerJobs.append(.cancelStopped(delivery)) }
        case .lookAtPause(let delivery): look(at: delivery, try state(delivery))
        case .hold(let delivery, let why): complain("\(delivery) is held: \(why)")
        default: break
        }
        // Completions are called in order: everything that was completed before this has been reported to the
        // loop.
        try service.perform(.control, rows: 1) { _ throws(StoreError) in }
        receiveFromThreads()
    }

    /// Sends the same event as the writer's thread.
    private func look(at id: DeliveryID, _ state: DeliveryState) {
        switch state {
        case .paused: fixture.loop.send(.deliveryPaused(id))
        case .stopping: fixture.loop.send(.deliveryStopped(id))
        case .stopped: fixture.loop.send(.finished([id]))
        default: fixture.loop.send(.deliveryResumed(id))
        }
    }

    private mutating func record(_ job: StoreWriter.RecordJob) {
        var batches = job.batches
        for place in batches.indices {
            for index in batches[place].others.indices {
                let record = batches[place].others[index]
                switch record.change {
                case .retrying(_, let type, let reason, let word):
                    batches[place].others[index].change = .retrying(
                        due: begin.time.advanced(bySeconds: -1), type, reason, providerReason: word)
                case .sent: sent.insert(record.message)
                case .failed: failed[record.message] = batches[place].delivery
                case .cancelled, .excluded: complain("message \(record.message) is \(record.change)")
                }
            }
            sent.formUnion(batches[place].accepted)
        }
        let (loop, child, settlements) = (fixture.loop, job.child, job.settlements)
        service.record(batches, decided: begin.time) { failure in
            loop.send(failure == nil ? .committed(child, settlements) : .setAside("outcomes are not written"))
        }
    }

    private mutating func second() {
        beat()
        process(.second(MasterMachine.PeriodicFacts()))
    }

    // MARK: The master's end

    /// Uncommitted data is lost with the master, and so are its children.
    private mutating func killMaster() throws {
        for id in children.keys.sorted() { lose(id) }
        (readerJobs, writerJobs) = ([], [])
        _ = fixture.loop.take()
        reader = try Self.reader(fixture, mailbox)
        machine = Self.machine(at: moment)
        turns = PreparationTurns()
        // Callers that wait for a stop receive the answer that no master is sending. The next master finds
        // the stopped deliveries.
        for (id, _) in deliveries where try [.stopping, .stopped].contains(state(id)) { stopped.insert(id) }
        for id in try fixture.store.pause.paused().sorted() { process(.threadEvent(.deliveryPaused(id))) }
        for id in try fixture.store.stop.stopping().sorted() { process(.threadEvent(.deliveryStopped(id))) }
    }
}
