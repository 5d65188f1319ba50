internal import CPushShims
internal import Glibc
internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushSystem
internal import PushWire

/// The master's loop: one thread that uses poll(2) on every child's link and the mailbox.
///
/// It executes the pure ``MasterMachine`` and makes no decisions itself: it receives events, passes them to
/// the machine, and carries out the resulting actions in order. It never accesses the store. Only the reader
/// and the writer access the store, each on its own thread. They answer through the mailbox.
final class LinkLoop {
    private struct Link {
        let process: ChildProcess
        var end: ChildLinkEnd
    }

    private let settings: MasterSettings
    private let files: ServedFiles
    private let master: MasterHandle
    private let reader: Mailbox<StoreReader.Job>
    private let writer: WriterInbox
    private let watcher: (any ServiceWatcher)?
    private let role: HostRole
    private let logger: Logger
    private var machine: MasterMachine
    private var links: [ChildID: Link] = [:]
    /// The pending actions, in order. Actions that result from an action are carried out after all actions
    /// that were decided earlier.
    private var actions = FIFOQueue<MasterMachine.Action>()
    private var nextSecond = Clocks.monotonic()
    private var receiveBuffer = [UInt8](repeating: 0, count: 256 << 10)

    init(
        settings: MasterSettings, files: ServedFiles, master: MasterHandle, reader: Mailbox<StoreReader.Job>,
        writer: WriterInbox, watcher: (any ServiceWatcher)?, role: HostRole,
        lease: MonotonicTime? = nil, logger: Logger
    ) {
        self.role = role
        self.settings = settings
        self.files = files
        self.master = master
        self.reader = reader
        self.writer = writer
        self.watcher = watcher
        self.logger = logger
        machine = MasterMachine(
            settings: settings, storePath: files.store.path, processID: getpid(), at: Self.moment(),
            lease: lease,
            chance: { Int64.random(in: $0) })
    }

    /// Runs until all children have ended after an order to shut down.
    func run() -> MasterMachine.End {
        master.board.noteTurn()
        master.board.publish(machine.status())
        master.withdrawals.noteStart()
        master.searches.noteStart()
        watcher?.serving()
        defer {
            master.board.noteEnd()
            master.withdrawals.noteEnd()
            master.searches.noteEnd()
        }
        while !isOver {
            let ready = waitForSomething()
            for event in master.loop.take() { handle(.threadEvent(event)) }
            for (child, events) in ready { serve(child, events) }
            let now = Clocks.monotonic()
            if now >= nextSecond {
                nextSecond = now.advanced(bySeconds: 1)
                handle(.second(facts))
                master.board.noteTurn()
                watcher?.alive()
            }
            handle(.turn)
        }
        return MasterMachine.End(
            deadline: machine.endDeadline ?? Clocks.monotonic(), change: machine.change,
            restarts: machine.restarts)
    }

    private var isOver: Bool {
        switch machine.ending(at: Clocks.monotonic()) {
        case .notYet: return false
        case .orderly: return true
        case .withoutLastOutcomes:
            let unrecorded = machine.ledger.unrecorded
            logger.critical(
                """
                exiting with up to \(unrecorded) unrecorded outcomes: those messages are sent again after \
                the next start; check the store's disk or server
                """)
            return true
        }
    }

    private var facts: MasterMachine.PeriodicFacts {
        var facts = MasterMachine.PeriodicFacts()
        facts.change = files.change()
        facts.storeNames = files.store.nameCount
        facts.keyFailure = files.keyFailure()
        facts.residentKilobytes = ResidentMemory.kilobytes()
        return facts
    }

    private static func moment() -> MasterMachine.Timestamps {
        MasterMachine.Timestamps(monotonic: Clocks.monotonic(), wall: Clocks.wall())
    }

    // MARK: Waiting

    /// The minimum wait. It prevents the loop from running without a pause if a moment is already due but no
    /// child has credit.
    private static let minSleepMilliseconds: Int64 = 5

    private func waitForSomething() -> [(ChildID, Int16)] {
        var items = [pollfd(fd: master.loop.descriptor, events: Int16(POLLIN), revents: 0)]
        var order: [ChildID] = []
        for (id, link) in links {
            let events = link.end.wantsToWrite ? POLLIN | POLLOUT : POLLIN
            items.append(pollfd(fd: link.process.link, events: Int16(events), revents: 0))
            order.append(id)
        }
        let now = Clocks.monotonic()
        var wake = nextSecond
        if let moment = machine.nextMoment {
            wake = min(wake, max(moment, now.advanced(byMilliseconds: Self.minSleepMilliseconds)))
        }
        let timeout = Int32(clamping: max(wake.milliseconds(since: now), 0) + 1)
        let count = unsafe poll(&items, nfds_t(items.count), timeout)
        guard count > 0 else { return [] }
        return order.enumerated().compactMap { index, id in
            let events = items[1 + index].revents
            return events != 0 ? (id, events) : nil
        }
    }

    // MARK: Receiving

    private func serve(_ id: ChildID, _ events: Int16) {
        if Int32(events) & POLLOUT != 0 { links[id]?.end.flush() }
        if Int32(events) & ~POLLOUT != 0 { receive(from: id, toTheEnd: false) }
    }

    private func receive(from id: ChildID, toTheEnd: Bool) {
        guard let reading = links[id]?.end.receive(buffer: &receiveBuffer, toTheEnd: toTheEnd) else { return }
        switch reading {
        case .frames(let frames):
            // A frame that cannot be decoded ends the child. The frames after it are ignored, because they
            // are not trustworthy.
            for frame in frames where machine.isConnected(id) { handle(.frame(id, frame)) }
        case .ended(let frames, let why):
            for frame in frames { handle(.frame(id, frame)) }
            if !toTheEnd { handle(.linkEnded(id, why: why)) }
        }
    }

    // MARK: Actions

    private var isPerforming = false

    private func handle(_ event: MasterMachine.Event) {
        for action in machine.handle(event, at: Self.moment()) { actions.append(action) }
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while let action = actions.popFirst() { obey(action) }
    }

    private func obey(_ action: MasterMachine.Action) {
        switch action {
        case .read(let job): reader.send(job)
        case .write(let job): writer.send(job)
        case .send(let child, let order): links[child]?.end.send(order)
        case .sendFrame(let child, let frame): links[child]?.end.send(frame)
        case .spawn(let child): spawn(child)
        case .end(let child): end(child)
        case .listen(let child):
            receive(from: child, toTheEnd: false)
            handle(.listened(child))
        case .endAll:
            for id in links.keys {
                _ = links[id]?.process.killAndReap()
                links[id]?.end.close()
            }
            links = [:]
        case .log(let level, let line, let fields):
            logger.log(level: level, "\(line)", metadata: fields)
        case .publish(var status):
            status.figures?.writes = writer.service.figures
            status.leaseAgeSeconds = role.renewed.map {
                Double(max(Clocks.boot().milliseconds(since: $0), 0)) / 1_000
            }
            master.board.publish(status)
        case .found(let message, let isHeld): master.searches.tell(message, inFlight: isHeld ? 1 : 0)
        case .withdrawn(let delivery, let inFlight): master.withdrawals.tell(delivery, inFlight: inFlight)
        case .lead: lead()
        case .sharing(let hosts): role.note(shares: hosts)
        case .obeyed(let moment): role.note(obeyed: moment)
        case .busy(let unrecorded, let rate): role.note(unrecorded: unrecorded, answersPerSecond: rate)
        case .takeWakeUps: master.wakeUps.take()
        case .leave(let restarts): restarts ? watcher?.restarting() : watcher?.stopping()
        }
    }

    private func lead() {
        do { try watcher?.leading() } catch { logger.error("\(MasterService.partFailure(error))") }
    }

    private func spawn(_ id: ChildID) {
        do {
            let process = try ChildProcess.spawn(settings.childOrder, lock: files.lock)
            links[id] = Link(process: process, end: ChildLinkEnd(descriptor: process.link))
            handle(.spawned(id, processID: process.processID))
        } catch {
            handle(.notSpawned(id, why: "\(error)"))
        }
    }

    private func end(_ id: ChildID) {
        guard let status = links[id]?.process.killAndReap() else { return }
        receive(from: id, toTheEnd: true)
        links[id]?.end.close()
        links[id] = nil
        handle(.ended(id, ChildEnding(isClean: status.isClean, isCrash: status.isCrash, text: "\(status)")))
    }
}
