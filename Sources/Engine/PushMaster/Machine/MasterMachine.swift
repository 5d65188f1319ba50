package import Logging
package import PushModel
package import PushSchedule
package import PushStore
package import PushWire

/// The decisions of the master: which children live, which accounts are granted messages, what follows from
/// answers, and what is reported to the operator.
///
/// Pure: no clock, randomness, file, socket or thread. It turns events into actions, in the order in which
/// the ``LinkLoop`` must carry them out. It combines the smaller machines ``PartLedger``,
/// ``ChildCountPolicy``, ``RetryPolicy``, ``StallRule`` and ``PartSearch``.
///
/// **Promises.** A child's credit returns only after its outcomes are committed. A lost child is killed, its
/// link is read completely, and all its reports are committed before its messages are granted again. A child
/// is introduced to an account and a job before the first grant that needs them. **Failures.** None: an event
/// about a child, grant or account that does not exist changes nothing.
package struct MasterMachine {
    /// The values of the two clocks at an event.
    package struct Timestamps: Sendable {
        package var monotonic: MonotonicTime
        package var wall: WallTime

        package init(monotonic: MonotonicTime, wall: WallTime) {
            self.monotonic = monotonic
            self.wall = wall
        }
    }

    /// The facts that are checked once a second.
    package struct PeriodicFacts: Sendable {
        /// The served file that was replaced or removed.
        package var change: FileChange?
        /// The number of names (hard links) of the store's file.
        package var storeNames = 1
        /// The trouble with the instance's key file; `nil` if there is none.
        package var keyFailure: String?
        /// The resident memory of this process.
        package var residentKilobytes: UInt32 = 0

        package init() {}
    }

    package enum Event: Sendable {
        /// An event from another thread.
        case threadEvent(LoopEvent)
        /// A frame from a child.
        case frame(ChildID, LinkFrame)
        /// A child's link ended, or its data could not be decoded.
        case linkEnded(ChildID, why: String)
        /// The result of ``Action/spawn(_:)``.
        case spawned(ChildID, processID: Int32)
        case notSpawned(ChildID, why: String)
        /// The answer to ``Action/end(_:)``. All reports from the child precede it.
        case ended(ChildID, ChildEnding)
        /// The answer to ``Action/listen(_:)``. All reports that the child has sent so far precede it.
        case listened(ChildID)
        /// A second has passed.
        case second(PeriodicFacts)
        /// ``nextMoment`` has been reached, or another event was handled. The machine checks what children
        /// and accounts need.
        case turn
    }

    package enum Action: Sendable {
        case read(StoreReader.Job)
        case write(StoreWriter.Job)
        case send(ChildID, LinkOrder)
        /// A grant, as a frame from the reader.
        case sendFrame(ChildID, [UInt8])
        /// Start a child. The answer is `spawned` or `notSpawned`.
        case spawn(ChildID)
        /// Kill the child, reap it, and report the remaining contents of its link. The answer is `ended`.
        case end(ChildID)
        /// Report what the child has sent, because reports may have arrived while this process was stopped or
        /// busy. The answer is `listened`.
        case listen(ChildID)
        /// Kill all children, without reading the remaining contents of their links.
        case endAll
        case log(Logger.Level, String, Logger.Metadata)
        case publish(MasterStatus)
        /// No child begins another request for this delivery. The caller that stopped the delivery receives
        /// the number of requests that have begun and have not been answered.
        case withdrawn(DeliveryID, inFlight: Int)
        /// The answer to a search for a message: whether a child may have it.
        case found(MessageID, isHeld: Bool)
        /// This host leads. It begins the work that one host does for all hosts.
        case lead
        /// The number of hosts by which quotas and rates are divided from now on.
        case sharing(Int)
        /// Pauses and stops up to this moment of the store's clock have been carried out.
        case obeyed(Int64)
        /// The figures about this host that operators see on other hosts.
        case busy(unrecorded: Int, answersPerSecond: Int)
        /// Take the pending wake-ups. A wake-up after this causes another look.
        case takeWakeUps
        /// No new work is accepted from now on. Notify the watcher.
        case leave(restarts: Bool)
    }

    var settings: MasterSettings
    let storePath: String
    let processID: Int32
    let startedAt: MonotonicTime
    /// Returns a random number in a range.
    let chance: @Sendable (ClosedRange<Int64>) -> Int64

    /// The moment of the event that is being handled.
    var moment: Timestamps
    var now: MonotonicTime { moment.monotonic }
    private var actions: [Action] = []

    package internal(set) var ledger: PartLedger
    var staffing: ChildCountPolicy
    var retries: RetryPolicy
    var children: [ChildID: Child] = [:]
    var lastChild: UInt32 = 0

    var accounts: [AccountID: AccountDefinition] = [:]
    /// The names of the apps that use each account, for the log.
    var appsOf: [AccountID: [AppID: String]] = [:]
    /// For each app, the part of its account under which its answers are currently counted.
    var presentMarks: [AppID: AccountKey] = [:]
    /// Storms about which no operator has decided. Until the writer has reported them, these are the storms
    /// that the reader found.
    var openStorms: Set<AccountKey> = []
    var knowsStorms = false
    var jobs = JobTable()
    /// The answers by which accounts are judged.
    var spans = AnswerSpans()
    /// The recent errors of each account, for the operator.
    var failuresOf: [AccountID: RecentErrors] = [:]
    /// The current rate of each account's answers.
    var traffic: [AccountID: AccountTraffic] = [:]
    /// The current rate of the answers to each delivery that is being sent.
    var sending: [DeliveryID: RecentRate] = [:]
    /// Used only if there is a delivery log.
    var attemptNotes = AttemptNotes()
    var clock = ClockWatch()
    var stalls = StallWatch()
    var counters = MasterCounters()
    /// Feedback services that must be read or that children are reading.
    var feedback: [AccountID: FeedbackReading] = [:]
    /// Deliveries that are on hold because their rows are damaged.
    var damaged: Set<DeliveryID> = []
    /// The number of deliveries that are on hold because a backup was restored.
    var restored = 0
    /// Deliveries that are stopped and have not ended.
    var stopping: [DeliveryID: Withdrawal] = [:]
    /// Accounts that no app uses any longer and that still have granted messages, or a feedback service that
    /// is being read.
    var retiredAccounts: Set<AccountID> = []

    var search = PartSearch()
    var isSearchingRetries = false
    var unreadGrants: [GrantID] = []
    /// The failures that were logged and when each was last logged, so that the same failure is not logged
    /// every second.
    private var loggedFailures: [String: MonotonicTime] = [:]

    /// The reasons why messages cannot be addressed, and when each was last found.
    var unaddressable: [String: MonotonicTime] = [:]

    /// The deadline that the order to shut down sets. Until then, children may finish their messages, and
    /// their reports are recorded.
    var drainDeadline: MonotonicTime?
    var endDeadline: MonotonicTime?
    /// The moment, measured by ``Clocks/boot()``, until which children may begin requests; `nil` if this host
    /// does not share its store.
    var lease: MonotonicTime?
    /// The number of hosts that share the store, including this one.
    var liveHosts = 1
    /// By how many seconds this host's clock is ahead of the clock of the store's server, if the difference
    /// is too large; `nil` if the clocks agree.
    var clockAheadSeconds: Int64?
    /// Other hosts that have not renewed their leases for a while.
    var lateHosts: [LateHost] = []
    /// The seconds since the last search for all open parts.
    var secondsSinceSearch = 0
    /// The seconds since this host last received information about which hosts have which parts.
    var secondsSinceHeld = 0
    /// A moment of the store's clock. Once all known stops have been carried out, all stops up to this moment
    /// have been carried out.
    var obeyingUpTo: Int64?
    var resumeOrders = ProcessedOrders()
    /// Whether another master is to replace this one.
    package internal(set) var restarts = false
    /// The served file that was replaced or removed; `nil` if there is none.
    var change: FileChange?
    /// The trouble with the instance's key file, and when the trouble began; `nil` if there is none.
    var keyFailure: (why: String, since: MonotonicTime)?

    /// File systems with little free space, keyed by folder, and when the space became low.
    var lowDisks: [String: (space: DiskSpace, since: MonotonicTime)] = [:]

    package init(
        settings: MasterSettings, storePath: String, processID: Int32, at moment: Timestamps,
        lease: MonotonicTime? = nil,
        chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64
    ) {
        self.settings = settings
        self.storePath = storePath
        self.processID = processID
        self.moment = moment
        self.chance = chance
        self.lease = lease
        startedAt = moment.monotonic
        // A variation of ten per cent prevents accounts that failed together from being tried again together.
        ledger = PartLedger(requeuesLost: settings.requeuesLost) { delay in
            delay + chance(-(delay / 10)...(delay / 10))
        }
        retries = RetryPolicy(calendar: settings.calendar, fast: settings.fastRetries)
        staffing = ChildCountPolicy(settings.staffing)
    }

    package mutating func handle(_ event: Event, at moment: Timestamps) -> [Action] {
        self.moment = moment
        switch event {
        case .threadEvent(let event): take(event)
        case .frame(let child, let frame): take(frame, from: child)
        case .linkEnded(let child, let why): lose(child, why: why)
        case .spawned(let child, let processID): spawned(child, processID)
        case .notSpawned(_, let why):
            counters.childEnded(nil)
            noteEnd(wasUseful: false, why)
        case .ended(let child, let ending): ended(child, ending)
        case .listened(let child): loseIfSilent(child)
        case .second(let facts): everySecond(facts)
        case .turn:
            if let moment = ledger.nextMoment, now >= moment { obey(ledger.handle(.tick, at: now)) }
            staff()
        }
        defer { actions.removeAll() }
        return actions
    }

    /// When a waiting account must be examined next.
    var nextMoment: MonotonicTime? { ledger.nextMoment }

    package func isConnected(_ child: ChildID) -> Bool { children[child]?.isConnected == true }

    // MARK: What is to be done

    mutating func act(_ action: Action) { actions.append(action) }
    mutating func read(_ job: StoreReader.Job) { act(.read(job)) }
    mutating func write(_ job: StoreWriter.Job) { act(.write(job)) }
    mutating func log(_ level: Logger.Level, _ line: String, about subjects: LogSubject...) {
        let fields = subjects.map { field(of: $0) }
        act(.log(level, line, Logger.Metadata(fields) { first, _ in first }))
    }

    /// The subject of a log line. It is written as a field of the line, so that it can be searched for.
    enum LogSubject {
        case account(AccountID)
        case child(ChildID)
        case delivery(DeliveryID)
    }

    private func field(of subject: LogSubject) -> (String, Logger.MetadataValue) {
        switch subject {
        case .account(let id): ("account", "\(accounts[id]?.name ?? "\(id)")")
        case .child(let id): ("child", "\(id.rawValue)")
        case .delivery(let id): ("delivery", "\(id)")
        }
    }

    mutating func send(_ order: LinkOrder, to child: ChildID) {
        if isConnected(child) { act(.send(child, order)) }
    }

    /// Logs a failure that may last. The same line is logged at most once a minute.
    mutating func complain(_ line: String) {
        if let last = loggedFailures[line], now < last.advanced(bySeconds: 60) { return }
        if loggedFailures.count > 1_000 { loggedFailures = [:] }
        loggedFailures[line] = now
        log(.error, line.printable(atMost: 1_000))
    }
}

/// How a child's process ended.
package struct ChildEnding: Sendable {
    /// Whether the process ended by itself and in an orderly way.
    package var isClean: Bool
    /// Whether the process ended by its own fault.
    package var isCrash: Bool
    package var text: String

    package init(isClean: Bool, isCrash: Bool, text: String) {
        self.isClean = isClean
        self.isCrash = isCrash
        self.text = text
    }
}
