internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushWire

/// Start, drain and loss of children.
extension MasterMachine {
    /// What is known of one child.
    struct Child: Sendable {
        let processID: Int32
        var lastHeard: MonotonicTime
        /// When it last told an outcome, or had nothing with a gateway.
        var lastProgress: MonotonicTime
        var state: State = .working
        var saidHello = false
        /// It reported at least one outcome.
        var wasUseful = false
        /// A beat said that it had messages with a gateway: it works, though the first outcome may be long in
        /// coming.
        var hasSent = false
        /// Why it is being ended, and whether for what it did, or did not do.
        var loss = (why: "", isFault: false)
        var endedByFault = false
        /// It ended by itself, which it does only when it has answered all that it had read.
        var hasLeft = false
        /// Messages granted in its life.
        var granted = 0
        /// Record jobs of its outcomes that are not on disk yet.
        var pendingCommits = 0
        var knownAccounts: Set<AccountID> = []
        var knownJobs: Set<JobID> = []
        var heartbeat = Heartbeat(waiting: 0, inFlight: 0, openConnections: 0, residentKilobytes: 0)

        enum State: String, Sendable {
            case working, draining
            /// To be ended, or dead and reaped: what it said is being heard to the end.
            case ending
            /// What it said is being committed.
            case lost

            /// As an operator reads it.
            var name: String { self == .ending ? Self.lost.rawValue : rawValue }
        }
        var isConnected: Bool { state == .working || state == .draining }
        /// Its end is no sign of a broken installation: it reported an outcome, or was never granted
        /// anything, or was sending and did not end by its own fault.
        var clearsInstallation: Bool {
            wasUseful || saidHello && granted == 0 || hasSent && !endedByFault
        }

        init(processID: Int32, at now: MonotonicTime) {
            self.processID = processID
            lastHeard = now
            lastProgress = now
        }
    }

    mutating func staff() {
        guard drainDeadline == nil else { return }
        let staff = StaffingPolicy.Staff(
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

    mutating func noteEnd(wasUseful: Bool, _ why: String) {
        stalls.childTrouble = wasUseful ? "" : why
        guard staffing.died(wasUseful: wasUseful) else { return }
        log(
            .critical,
            """
            a child ended before it was of any use (\(why)): something is wrong with the installation; \
            starting the next ones slowly
            """)
    }

    /// A child that has served its time makes place for a fresh one.
    mutating func recycle(_ id: ChildID, _ child: Child) {
        guard child.state == .working else { return }
        if child.granted >= settings.messagesPerChild {
            log(
                .info, "\(id) has had its \(settings.messagesPerChild) messages and is recycled",
                about: .child(id))
            drain(id)
        } else if Int(child.heartbeat.residentKilobytes) > settings.maxResidentKilobytes(child.heartbeat) {
            let megabytes = child.heartbeat.residentKilobytes >> 10
            log(
                .warning, "\(id) uses \(megabytes) MB, over maxWorkingSetMb, and is recycled",
                about: .child(id))
            drain(id)
        }
    }

    /// The child gets nothing more, gives back what it has not submitted, and ends after the last answer.
    mutating func drain(_ id: ChildID) {
        guard children[id]?.state == .working else { return }
        children[id]?.state = .draining
        obey(ledger.handle(.draining(id), at: now))
        send(.drain, to: id)
    }

    /// The end of a child, whoever wished it: kill, read the link to the end, commit, and only then requeue.
    /// - Parameter isFault: it is lost for what it did, or did not do.
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
                .info, "\(id): \(requeued) messages that were on their way to it go to another",
                about: .child(id))
        } else if requeued > 0 {
            let fate =
                settings.requeuesLost
                ? "wait to be sent again" : "fail as unreachable (retryLostMessages is false)"
            log(.warning, "\(id): \(requeued) messages without an outcome \(fate)", about: .child(id))
        }
        children[id] = nil
        endReadings(of: id, byFault: child.endedByFault)
        let end: PartLedger.Event = child.hasLeft ? .left(id) : .lost(id, byFault: child.endedByFault)
        obey(ledger.handle(end, at: now))
    }
}
