internal import CPushShims
internal import Glibc
internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushSystem
internal import PushWire

/// The master's loop: one thread over poll(2) with every child's link and the mailbox.
///
/// It obeys the pure machines (``PartLedger``, ``StaffingPolicy``, ``RetryPolicy``) and has no opinions of its own. It
/// never touches the store: the reader and the writer do, each on its thread, and answer through the mailbox.
///
/// **Promises.** A child's credit returns only after its outcomes are committed. A lost child is killed, its link read
/// to the end and all it said committed before its messages are granted again.
final class LinkLoop {
    let settings: MasterSettings
    let files: ServedFiles
    var lock: InstanceLock { files.lock }
    let mailbox: Mailbox<LoopEvent>
    let reader: Mailbox<StoreReader.Job>
    let writer: WriterInbox
    let master: MasterHandle
    let logger: Logger
    let startedAt = Clocks.monotonic()

    var ledger: PartLedger
    var staffing: StaffingPolicy
    let retries: RetryPolicy
    var children: [ChildID: Child] = [:]
    var lastChild: UInt32 = 0

    var accounts: [AccountID: AccountDefinition] = [:]
    /// The names of the apps that go through each, for the log.
    var appsOf: [AccountID: [AppID: String]] = [:]
    /// Storms that no operator has judged; nil until the writer has looked.
    var openStorms: Set<AccountMark>?
    var jobs = JobTable()
    /// What an operator is told of an account's late troubles.
    var troublesOf: [AccountID: RecentTroubles] = [:]
    var clock = ClockWatch()
    var stalls = StallWatch()
    /// Feedback services that are being read, and for which apps.
    var feedback: [AccountID: FeedbackReading] = [:]
    /// Deliveries that are held because their rows are damaged.
    private var damaged: Set<DeliveryID> = []
    /// Accounts that no app uses any more and that have messages out, or a feedback service that is being read.
    var retiredAccounts: Set<AccountID> = []

    /// The search for parts: where it stands, whether one is under way, whether more may be found; and whose parts that
    /// had been left out were looked for last, if the last search was for such.
    var lastPartFound: PartID?
    var isSearchingParts = false
    var mayHaveParts = true
    private var lastAppSearched: AppID?
    private var searchedLeftOut = false
    var isSearchingRetries = false
    var unreadGrants: [GrantID] = []
    private var partSearchFailed = false
    /// When parts that could not be addressed are looked for again.
    private var searchFromStart: MonotonicTime?
    private static let unaddressableRestSeconds: Int64 = 60
    /// Troubles and when they were logged: the same one is not worth a line a second.
    private var troubles: [String: MonotonicTime] = [:]

    /// Set by the order to shut down: until then children may finish what they have, and what they say be recorded.
    var drainDeadline: MonotonicTime?
    var endDeadline: MonotonicTime?
    /// The file that is no longer the one that was opened.
    var change: FileChange?
    var nextSecond = Clocks.monotonic()
    private var receiveBuffer = [UInt8](repeating: 0, count: 256 << 10)

    init(
        settings: MasterSettings, files: ServedFiles, master: MasterHandle, reader: Mailbox<StoreReader.Job>,
        writer: WriterInbox, logger: Logger
    ) {
        self.settings = settings
        self.files = files
        self.master = master
        mailbox = master.loop
        self.reader = reader
        self.writer = writer
        self.logger = logger
        // A tenth up or down keeps accounts that failed together from coming back together.
        ledger = PartLedger(requeuesLost: settings.requeuesLost) { delay in
            delay + Int64.random(in: -(delay / 10)...(delay / 10))
        }
        retries = RetryPolicy(calendar: settings.calendar)
        staffing = StaffingPolicy(settings.staffing)
    }

    /// Runs until the children have gone after an order to shut down.
    func run() -> End {
        master.board.publish(status())
        defer { master.board.noteEnd() }
        while !isOver {
            let ready = waitForSomething()
            for event in mailbox.take() { handle(event) }
            for (child, events) in ready { serve(child, events) }
            let now = Clocks.monotonic()
            if let moment = ledger.nextMoment, now >= moment { obey(ledger.handle(.tick, at: now)) }
            if now >= nextSecond {
                nextSecond = now.advanced(bySeconds: 1)
                everySecond(at: now)
            }
            staff(at: now)
        }
        return End(deadline: endDeadline ?? Clocks.monotonic(), change: change)
    }

    // MARK: Waiting

    /// A moment that is due already but finds no child with room is not worth a loop without rest.
    private static let shortestNapMilliseconds: Int64 = 5

    private func waitForSomething() -> [(ChildID, Int16)] {
        var items = [pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)]
        var order: [ChildID] = []
        for (id, child) in children where child.isConnected {
            let events = child.end.wantsToWrite ? POLLIN | POLLOUT : POLLIN
            items.append(pollfd(fd: child.process.link, events: Int16(events), revents: 0))
            order.append(id)
        }
        let now = Clocks.monotonic()
        var wake = nextSecond
        if let moment = ledger.nextMoment {
            wake = min(wake, max(moment, now.advanced(byMilliseconds: Self.shortestNapMilliseconds)))
        }
        let timeout = Int32(clamping: max(wake.milliseconds(since: now), 0) + 1)
        let count = unsafe poll(&items, nfds_t(items.count), timeout)
        guard count > 0 else { return [] }
        return order.enumerated().compactMap { index, id in
            let events = items[1 + index].revents
            return events != 0 ? (id, events) : nil
        }
    }

    private func serve(_ id: ChildID, _ events: Int16) {
        guard children[id]?.isConnected == true else { return }
        if Int32(events) & POLLOUT != 0 { children[id]?.end.flush() }
        guard Int32(events) & ~POLLOUT != 0 else { return }
        receive(from: id, toTheEnd: false)
    }

    func receive(from id: ChildID, toTheEnd: Bool) {
        guard let reading = children[id]?.end.receive(buffer: &receiveBuffer, toTheEnd: toTheEnd) else { return }
        switch reading {
        case .frames(let frames):
            // A frame that cannot be read ends the child; what follows it is not to be believed.
            for frame in frames where children[id]?.isConnected == true { take(frame, from: id) }
        case .ended(let frames, let why):
            for frame in frames { take(frame, from: id) }
            if !toTheEnd { lose(id, why: why) }
        }
    }

    // MARK: Time

    private func everySecond(at now: MonotonicTime) {
        checkFiles(at: now)
        for id in unreadGrants { obey(ledger.handle(.unread(id), at: now)) }
        unreadGrants = []
        if let moment = searchFromStart, now >= moment, !isSearchingParts {
            (searchFromStart, lastPartFound, mayHaveParts) = (nil, nil, true)
        }
        if partSearchFailed { (partSearchFailed, isSearchingParts, mayHaveParts) = (false, false, true) }
        watchClock(at: now)
        obey(ledger.handle(.tick, at: now))
        lookForStalls(at: now)
        searchParts()
        readFeedback()
        for account in retiredAccounts { forgetIfRetired(account) }
        if drainDeadline == nil, !isSearchingRetries {
            isSearchingRetries = true
            reader.send(.findRetries)
        }
        for (id, child) in children where child.isConnected {
            if isSilent(child, at: now) {
                // It may have spoken while this process was stopped or busy.
                receive(from: id, toTheEnd: false)
                if let child = children[id], child.isConnected, isSilent(child, at: now) {
                    lose(id, why: "it has been silent for \(ChildLink.silenceSeconds) s", isFault: true)
                }
            } else if now.milliseconds(since: child.lastProgress) > settings.progressSeconds * 1_000 {
                lose(id, why: "it has messages with gateways and no outcome for \(settings.progressSeconds) s", isFault: true)
            } else {
                relieve(id, child)
            }
        }
        // A child whose outcomes wait for the store is not the one that is stuck.
        for id in ledger.overdueChildren(at: now, afterSeconds: settings.grantSeconds)
        where children[id]?.pendingCommits == 0 {
            lose(id, why: "it keeps messages for longer than \(settings.grantSeconds) s", isFault: true)
        }
        if let drainDeadline, now >= drainDeadline {
            for id in children.keys where children[id]?.isConnected == true {
                lose(id, why: "it did not finish in time")
            }
        }
    }

    /// What is dated by a clock that was set is not to be believed at once. Asked every second, and before anything is
    /// judged by the wall clock.
    func watchClock(at now: MonotonicTime) {
        guard let jump = clock.observe(wall: Clocks.wall(), at: now) else { return }
        logger.warning(
            """
            the wall clock jumped by \(jump) s: tokens are renewed, \(jump < 0 ? "retries move back with it, " : "")\
            and no message expires for \(ClockWatch.graceSeconds) s; check the time service
            """)
        for id in children.keys where children[id]?.isConnected == true {
            children[id]?.end.send(.clockJumped(graceSeconds: UInt32(ClockWatch.graceSeconds)))
        }
        writer.send(.postponeExpiry(until: now.advanced(bySeconds: ClockWatch.graceSeconds)))
    }

    private func isSilent(_ child: Child, at now: MonotonicTime) -> Bool {
        now.milliseconds(since: child.lastHeard) > ChildLink.silenceSeconds * 1_000
    }

    // MARK: Events of the other threads

    private func handle(_ event: LoopEvent) {
        let now = Clocks.monotonic()
        switch event {
        case .committed(let child, let settlements):
            for settlement in settlements { settle(settlement, at: now) }
            if children[child] != nil {
                children[child]?.pendingCommits -= 1
                finishLossIfDone(child)
            }
        case .prepared:
            mayHaveParts = true
            searchParts()
        case .finished(let deliveries):
            for delivery in deliveries { finish(delivery) }
        case .storeTrouble(let why):
            stalls.storeTrouble = why
            complain("\(why); trying again every second", at: now)
        case .storeRecovered:
            stalls.storeTrouble = nil
            logger.notice("the store can be written again")
        case .numbersMended(let said):
            logger.warning(
                "the store's table numbering was damaged (\(said)) and was written anew from its parts; look at who writes there")
        case .damaged(let delivery, let why): hold(delivery, why)
        case .unreadable(let delivery, let why):
            if !damaged.contains(delivery) { writer.send(.hold(delivery, why: why)) }
        case .released(let deliveries):
            damaged.subtract(deliveries)
            searchFromStart = now
            logger.notice("going on with \(deliveries.map { "delivery \($0)" }.joined(separator: ", "))")
        case .endedWithLosses(let delivery, let lost):
            logger.critical(
                """
                delivery \(delivery) has ended with its validity, and \(lost) messages of it that cannot be read are \
                counted as cancelled; see pushmta delivery recount \(delivery)
                """)
        case .setAside(let why): logger.critical("\(why); it was left out, everything else goes on")
        case .readTrouble(let why):
            stalls.noteReadTrouble(why, at: now)
            complain("\(why); trying again every second", at: now)
        case .turned(let thread): turned(thread, at: now)
        case .account(let id, let definition):
            accounts[id] = definition
            let terms = terms(of: definition)
            if let why = terms.stoppedBecause { logger.error("\(name(of: id)) is stopped: \(why)") }
            obey(ledger.handle(.described(id, terms), at: now))
        case .appChanged(let app, let old, let account):
            appChanged(app, from: old, to: account, at: now)
        case .accountUnused(let account): retire(account)
        case .appJoined(let app, let name, let account): appsOf[account, default: [:]][app] = name
        case .appLeft(let app, let account, let isDeleted): left(app, account, isDeleted: isDeleted, at: now)
        case .storm(let mark, let answers): storm(mark, answers, at: now)
        case .storms(let open): storms(open, at: now)
        case .feedbackDue(let account, let apps):
            if feedback[account] == nil { feedback[account] = FeedbackReading(apps: apps) }
            readFeedback()
        case .feedbackApplied(let lines):
            for line in lines { logger.info("\(line)") }
        case .lostFailed(let messages): reader.send(.forget(messages))
        case .givenUp(let messages, let delivery):
            writer.send(.failMessages(messages, delivery))
        case .job(let job):
            jobs.define(job)
        case .parts(let found, let last, let hasMore):
            mayHaveParts = mayHaveParts || hasMore
            lastPartFound = last ?? lastPartFound
            for item in found { obey(ledger.handle(.found(item.part, item.account, priority: item.priority), at: now)) }
            isSearchingParts = false
            searchParts()
        case .partsAgain(let search, let found, let next):
            obey(ledger.handle(.foundAgain(search, found, next: next), at: now))
            isSearchingParts = false
            searchParts()
        case .partSearchFailed:
            partSearchFailed = true
        case .unread(let grant):
            unreadGrants.append(grant)
        case .retriesDue(let due):
            isSearchingRetries = false
            for (app, account) in due { obey(ledger.handle(.retriesDue(app, account), at: now)) }
        case .filled(let order, let job, let frame, let messages):
            filled(order, job: job, frame: frame, messages: messages, at: now)
        case .unaddressable(let part, let why):
            // Found again by the next search from the start.
            searchFromStart = searchFromStart ?? now.advanced(bySeconds: Self.unaddressableRestSeconds)
            complain("part \(part) waits: \(why)", at: now)
        case .shutDown:
            shutDown(at: now)
        case .nudge:
            master.nudges.take()
            writer.send(.look)
        case .statusWanted: master.board.publish(status())
        }
    }

    func complain(_ line: String, at now: MonotonicTime) {
        if let last = troubles[line], now < last.advanced(bySeconds: 60) { return }
        if troubles.count > 1_000 { troubles = [:] }
        troubles[line] = now
        logger.error("\(line.printable(atMost: 1_000))")
    }

    /// Looks for more parts, one search at a time: everybody's new ones, and by turns with them those that were left
    /// out of an account that has room again.
    func searchParts() {
        guard drainDeadline == nil, !isSearchingParts else { return }
        let leftOut = lastPartFound.flatMap { ledger.partsLeftOut(upTo: $0, after: lastAppSearched) }
        if let lastPartFound, let leftOut, !mayHaveParts || !searchedLeftOut {
            (lastAppSearched, searchedLeftOut) = (leftOut.app, true)
            reader.send(.findPartsAgain(leftOut, upTo: lastPartFound))
        } else if mayHaveParts {
            (mayHaveParts, searchedLeftOut) = (false, false)
            reader.send(.findParts(after: lastPartFound))
        } else {
            return
        }
        isSearchingParts = true
    }

    private func finish(_ delivery: DeliveryID) {
        logger.info("delivery \(delivery) is finished")
        drop(delivery)
    }

    private func hold(_ delivery: DeliveryID, _ why: String) {
        guard damaged.insert(delivery).inserted else { return }
        logger.critical(
            """
            delivery \(delivery) is damaged and held, everything else goes on: \(why); \
            see pushmta delivery recount \(delivery)
            """)
        drop(delivery)
    }

    /// Nothing more of it is to be granted; what is out may come back.
    private func drop(_ delivery: DeliveryID) {
        reader.send(.finished(delivery))
        obey(ledger.handle(.finished(delivery), at: Clocks.monotonic()))
        for job in jobs.end(delivery) { retire(job: job) }
    }

    /// No child will hear of it again.
    func retire(job number: UInt32) {
        for id in children.keys where children[id]?.isConnected == true {
            if children[id]?.knownJobs.remove(number) != nil { children[id]?.end.send(.retireJob(number)) }
        }
    }
}
