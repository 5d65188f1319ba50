package import Logging
package import PushModel
package import PushSchedule
package import PushStore
package import PushWire

/// What the master decides: which child lives, who is granted what, what becomes of answers, what an operator
/// is told.
///
/// Pure: no clock, chance, file, socket or thread. Events in, actions out, in the order in which they are to
/// be done; the ``LinkLoop`` obeys. It brings the smaller machines together: ``PartLedger``,
/// ``StaffingPolicy``, ``RetryPolicy``, ``StallRule``, ``PartSearch``.
///
/// **Promises.** A child's credit returns only after its outcomes are committed. A lost child is ended, its
/// link read to the end and all it said committed before its messages are granted again. A child hears of
/// account and job before the first grant that needs them.
/// **Failures.** None: an event about a child, grant or account that is not there changes nothing.
package struct MasterMachine {
    /// The two clocks at an event.
    package struct Moment: Sendable {
        package var monotonic: MonotonicTime
        package var wall: WallTime

        package init(monotonic: MonotonicTime, wall: WallTime) {
            self.monotonic = monotonic
            self.wall = wall
        }
    }

    /// What is looked at once a second.
    package struct Surroundings: Sendable {
        /// Which of the served files was replaced or removed.
        package var change: FileChange?
        /// How many names the store's file has.
        package var storeNames = 1
        /// What is wrong with the file of the instance's key; nil: nothing.
        package var keyTrouble: String?
        /// What this process has in RAM.
        package var residentKilobytes: UInt32 = 0

        package init() {}
    }

    package enum Event: Sendable {
        /// Something that another thread says.
        case told(LoopEvent)
        /// A child said this.
        case frame(ChildID, LinkFrame)
        /// A child's link ended, or brought what makes no sense.
        case linkEnded(ChildID, why: String)
        /// What ``Action/spawn(_:)`` came to.
        case spawned(ChildID, processID: Int32)
        case notSpawned(ChildID, why: String)
        /// Answers ``Action/end(_:)``: all that the child had said was told before.
        case ended(ChildID, ChildEnding)
        /// Answers ``Action/listen(_:)``: the same.
        case listened(ChildID)
        /// A second went by.
        case second(Surroundings)
        /// ``nextMoment`` has come, or something else happened: time to see who lacks what.
        case turn
    }

    package enum Action: Sendable {
        case read(StoreReader.Job)
        case write(StoreWriter.Job)
        case send(ChildID, LinkOrder)
        /// A grant, as the reader framed it.
        case sendFrame(ChildID, [UInt8])
        /// Start a child; answer with `spawned` or `notSpawned`.
        case spawn(ChildID)
        /// Kill the child, reap it, tell what its link still has; answer with `ended`.
        case end(ChildID)
        /// It may have spoken while this process was stopped or busy: tell what it said; answer with
        /// `listened`.
        case listen(ChildID)
        /// Kill all children; what they say is not to be told.
        case endAll
        case log(Logger.Level, String, Logger.Metadata)
        case publish(MasterStatus)
        /// No child begins a request of this delivery any more: whoever stopped it is told how many have begun
        /// and are not answered.
        case withdrawn(DeliveryID, inFlight: Int)
        /// Whether a child may have this message.
        case found(MessageID, isHeld: Bool)
        /// This host leads: what one host does for all begins.
        case lead
        /// Quotas and rates are divided by so many from now on.
        case sharing(Int)
        /// Pauses and stops up to this moment of the store's clock are obeyed.
        case obeyed(Int64)
        /// What other hosts' operators see of this one.
        case busy(unrecorded: Int, answersPerSecond: Int)
        /// The next nudge is a new one.
        case takeNudges
        /// Nothing new is taken from now on: whoever watches is told.
        case leave(restarts: Bool)
    }

    var settings: MasterSettings
    let storePath: String
    let processID: Int32
    let startedAt: MonotonicTime
    /// A number of a range, by chance.
    let chance: @Sendable (ClosedRange<Int64>) -> Int64

    /// Of the event that is being handled.
    var moment: Moment
    var now: MonotonicTime { moment.monotonic }
    private var actions: [Action] = []

    package internal(set) var ledger: PartLedger
    var staffing: StaffingPolicy
    var retries: RetryPolicy
    var children: [ChildID: Child] = [:]
    var lastChild: UInt32 = 0

    var accounts: [AccountID: AccountDefinition] = [:]
    /// The names of the apps that go through each, for the log.
    var appsOf: [AccountID: [AppID: String]] = [:]
    /// The part of its account that each app is judged by now.
    var presentMarks: [AppID: AccountKey] = [:]
    /// Storms about which no operator has decided; until the writer has looked, those that the reader saw.
    var openStorms: Set<AccountKey> = []
    var knowsStorms = false
    var jobs = JobTable()
    /// The answers by which accounts are judged.
    var spans = AnswerSpans()
    /// What an operator is told of an account's recent troubles.
    var troublesOf: [AccountID: RecentTroubles] = [:]
    /// What each account's answers come to at present.
    var traffic: [AccountID: AccountTraffic] = [:]
    /// Where there is a delivery log.
    var attemptNotes = AttemptNotes()
    var clock = ClockWatch()
    var stalls = StallWatch()
    var counters = MasterCounters()
    /// Feedback services that are being read, and for which apps.
    var feedback: [AccountID: FeedbackReading] = [:]
    /// Deliveries that are held because their rows are damaged.
    var damaged: Set<DeliveryID> = []
    /// Deliveries that are stopped and have not ended.
    var stopping: [DeliveryID: Withdrawal] = [:]
    /// Accounts that no app uses any more and that have messages out, or a feedback service that is being
    /// read.
    var retiredAccounts: Set<AccountID> = []

    var search = PartSearch()
    var isSearchingRetries = false
    var unreadGrants: [GrantID] = []
    /// Troubles and when they were logged: the same one is not worth a line a second.
    private var troubles: [String: MonotonicTime] = [:]

    /// Why messages cannot be addressed, and when that was seen last.
    var unaddressable: [String: MonotonicTime] = [:]

    /// Set by the order to shut down: until then children may finish what they have, and what they say be
    /// recorded.
    var drainDeadline: MonotonicTime?
    var endDeadline: MonotonicTime?
    /// Until then children may begin requests, by ``Clocks/boot()``; nil: this host shares its store with
    /// nobody.
    var lease: MonotonicTime?
    /// Hosts that share the store, this one included.
    var liveHosts = 1
    /// Of the store's server, where that is too much; nil: the two agree.
    var clockAheadSeconds: Int64?
    /// Other hosts that have not renewed their leases for a while.
    var lateHosts: [LateHost] = []
    /// Since all open parts were looked for.
    var secondsSinceSearch = 0
    /// Since it was known which hosts have what.
    var secondsSinceHeld = 0
    /// When all stops that are known are obeyed, those up to this moment of the store's clock are.
    var obeyingUpTo: Int64?
    var resumeOrders = ObeyedOrders()
    /// Another master is to take its place.
    package internal(set) var restarts = false
    /// The file that is no longer the one that was opened.
    var change: FileChange?
    /// What is wrong with the file of the instance's key, and since when; nil: nothing.
    var keyTrouble: (why: String, since: MonotonicTime)?

    package init(
        settings: MasterSettings, storePath: String, processID: Int32, at moment: Moment,
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
        // A tenth up or down keeps accounts that failed together from coming back together.
        ledger = PartLedger(requeuesLost: settings.requeuesLost) { delay in
            delay + chance(-(delay / 10)...(delay / 10))
        }
        retries = RetryPolicy(calendar: settings.calendar, fast: settings.fastRetries)
        staffing = StaffingPolicy(settings.staffing)
    }

    package mutating func handle(_ event: Event, at moment: Moment) -> [Action] {
        self.moment = moment
        switch event {
        case .told(let event): take(event)
        case .frame(let child, let frame): take(frame, from: child)
        case .linkEnded(let child, let why): lose(child, why: why)
        case .spawned(let child, let processID): spawned(child, processID)
        case .notSpawned(_, let why):
            counters.childEnded(nil)
            noteEnd(wasUseful: false, why)
        case .ended(let child, let ending): ended(child, ending)
        case .listened(let child): loseIfSilent(child)
        case .second(let surroundings): everySecond(surroundings)
        case .turn:
            if let moment = ledger.nextMoment, now >= moment { obey(ledger.handle(.tick, at: now)) }
            staff()
        }
        defer { actions.removeAll() }
        return actions
    }

    /// When an account that waits wants to be looked at.
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

    /// What a line of the log is about: a field of it, for whoever searches.
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

    /// A trouble that may last, said once a minute.
    mutating func complain(_ line: String) {
        if let last = troubles[line], now < last.advanced(bySeconds: 60) { return }
        if troubles.count > 1_000 { troubles = [:] }
        troubles[line] = now
        log(.error, line.printable(atMost: 1_000))
    }
}

/// How a child's process ended.
package struct ChildEnding: Sendable {
    /// By itself and in order.
    package var isClean: Bool
    /// By a fault of its own.
    package var isCrash: Bool
    package var text: String

    package init(isClean: Bool, isCrash: Bool, text: String) {
        self.isClean = isClean
        self.isCrash = isCrash
        self.text = text
    }
}
