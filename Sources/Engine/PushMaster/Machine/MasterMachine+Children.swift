internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushWire

/// Starting, draining and ending children.
extension MasterMachine {
    /// The state of one child.
    struct Child: Sendable {
        let processID: Int32
        var lastReceived: MonotonicTime
        /// When the child last reported an outcome or had no messages with a gateway.
        var lastProgress: MonotonicTime
        var state: State = .working
        var saidHello = false
        /// Whether the child has reported at least one outcome.
        var wasUseful = false
        /// Whether a heartbeat from the child has reported messages that are with a gateway. If so, the child
        /// works, even if its first outcome takes a long time.
        var hasSent = false
        /// The reason why the master ends the child, and whether the child itself is at fault.
        var loss = (why: "", isFault: false)
        var endedByFault = false
        /// Whether the child ended by itself. A child does so only after answering everything that it has
        /// read.
        var hasLeft = false
        /// The number of messages granted to the child during its life.
        var granted = 0
        /// The number of record jobs that contain the child's outcomes and are not on disk yet.
        var pendingCommits = 0
        var knownAccounts: Set<AccountID> = []
        var knownJobs: Set<JobID> = []
        var heartbeat = Heartbeat(waiting: 0, inFlight: 0, openConnections: 0, residentKilobytes: 0)

        enum State: String, Sendable {
            case working, draining
            /// The child is about to be killed, or is dead and reaped. The master is reading its remaining
            /// reports.
            case ending
            /// The child has ended, and the writer is committing its reports.
            case lost

            /// The name of the state for the operator.
            var name: String { self == .ending ? Self.lost.rawValue : rawValue }
        }
        var isConnected: Bool { state == .working || state == .draining }
        /// Whether the child's end does not indicate a broken installation, because the child reported an
        /// outcome, or sent its hello and was granted nothing, or was sending and did not end by its own
        /// fault.
        var clearsInstallation: Bool {
            wasUseful || saidHello && granted == 0 || hasSent && !endedByFault
        }

        init(processID: Int32, at now: MonotonicTime) {
            self.processID = processID
            lastReceived = now
            lastProgress = now
        }
    }

    mutating func staff() {
        guard drainDeadline == nil else { return }
        let staff = ChildCountPolicy.ChildStats(
            working: children.values.count { $0.state == .working },
            lacksCredit: ledger.lacksCredit(at: now) || (children.isEmpty && !feedback.isEmpty))
        for _ in 0..<staffing.spawns(for: staff, at: now) {
            lastChild += 1
            act(.spawn(ChildID(rawValue: lastChild)))
        }
    }

    mutating func spawned(_ id: ChildID, _ processID: Int32) {
        children[id] = Child(processID: processID, at: now)
        counters.childStarted()
        send(
            .welcome(
                WelcomeOrder(
                    generation: id.rawValue, capacity: UInt32(settings.capacity),
                    maximumAgeSeconds: UInt32(settings.maximumAgeSeconds),
                    idleSeconds: UInt32(settings.idleSeconds), lease: lease)),
            to: id)
        let grace = clock.graceSeconds(at: now)
        if grace > 0 { send(.clockJumped(graceSeconds: UInt32(grace)), to: id) }
        log(.info, "\(id) started as process \(processID)", about: .child(id))
        obey(ledger.handle(.joined(id, capacity: settings.capacity), at: now))
    }

    /// The advice for the operator if children end before they do any work.
    static let throttlingAdvice =
        "check the installation and the limits on memory and processes; new children are started less often"

    mutating func noteEnd(wasUseful: Bool, _ why: String) {
        stalls.childFailure = wasUseful ? "" : why
        guard staffing.died(wasUseful: wasUseful) else { return }
        log(
            .critical,
            "a child ended before it did any work (\(why)); \(Self.throttlingAdvice)")
    }

    /// Drains a child that has reached a limit, so that a new one can replace it.
    mutating func recycle(_ id: ChildID, _ child: Child) {
        guard child.state == .working else { return }
        if child.granted >= settings.messagesPerChild {
            log(
                .info,
                "\(id) has reached its limit of \(settings.messagesPerChild) messages and is being replaced",
                about: .child(id))
            drain(id)
        } else if Int(child.heartbeat.residentKilobytes) > settings.maxResidentKilobytes(child.heartbeat) {
            let megabytes = child.heartbeat.residentKilobytes >> 10
            log(
                .warning,
                """
                \(id) uses \(megabytes) MB, more than mta/child/@maxWorkingSetMb, and is being replaced; \
                raise the setting if this repeats
                """,
                about: .child(id))
            drain(id)
        }
    }

    /// Drains the child: the child receives no further grants, gives back the messages that it has not
    /// submitted, and ends after its last answer.
    mutating func drain(_ id: ChildID) {
        guard children[id]?.state == .working else { return }
        children[id]?.state = .draining
        obey(ledger.handle(.draining(id), at: now))
        send(.drain, to: id)
    }

    /// Ends a child, for whatever reason: the master kills the child, reads its link to the end, commits its
    /// reports, and only then requeues its messages.
    /// - Parameter isFault: Whether the child itself is at fault.
    mutating func lose(_ id: ChildID, why: String, isFault: Bool = false) {
        guard isConnected(id) else { return }
        children[id]?.state = .ending
        children[id]?.loss = (why, isFault)
        obey(ledger.handle(.draining(id), at: now))
        act(.end(id))
    }

    mutating func ended(_ id: ChildID, _ ending: ChildEnding) {
        guard let child = children[id], child.state == .ending else { return }
        children[id]?.state = .lost
        counters.childEnded(ending)
        children[id]?.endedByFault = child.loss.isFault || ending.isCrash
        children[id]?.hasLeft = ending.isClean
        let why = child.loss.why
        let line = "\(id) (process \(child.processID)) ended: \(why), \(ending.text)"
        if ending.isClean {
            log(.info, line, about: .child(id))
        } else {
            log(
                .warning, "\(line); \(ledger.outstanding(of: id)) of its messages are not recorded yet",
                about: .child(id))
        }
        let wasUseful = ending.isClean || children[id]?.clearsInstallation == true
        noteEnd(wasUseful: wasUseful, "\(why), \(ending.text)")
        endWithdrawals(by: id)
        finishLossIfDone(id)
    }

    mutating func finishLossIfDone(_ id: ChildID) {
        guard let child = children[id], child.state == .lost, child.pendingCommits == 0 else { return }
        let requeued = ledger.outstanding(of: id)
        if requeued > 0, child.hasLeft {
            log(
                .info, "\(id): \(requeued) messages in transit to it go to another child",
                about: .child(id))
        } else if requeued > 0 {
            let fate =
                settings.requeuesLost
                ? "are waiting to be sent again" : "fail as unreachable (retryLostMessages is false)"
            log(.warning, "\(id): \(requeued) messages without an outcome \(fate)", about: .child(id))
        }
        children[id] = nil
        endReadings(of: id, byFault: child.endedByFault)
        let end: PartLedger.Event = child.hasLeft ? .left(id) : .lost(id, byFault: child.endedByFault)
        obey(ledger.handle(end, at: now))
    }
}
