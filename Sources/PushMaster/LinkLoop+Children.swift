internal import Glibc
internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushSystem
internal import PushWire

/// Birth, drain and loss of children.
extension LinkLoop {
    /// What the loop knows of one child.
    struct Child {
        let process: ChildProcess
        var end: ChildLinkEnd
        let bornAt: MonotonicTime
        var lastHeard: MonotonicTime
        /// When it last told an outcome, or had nothing with a gateway.
        var lastProgress: MonotonicTime
        var state: State = .working
        var saidHello = false
        /// It reported at least one outcome.
        var wasUseful = false
        /// A beat said that it had messages with a gateway: it works, though the first outcome may be long in coming.
        var hasSent = false
        var endedByFault = false
        /// It ended by itself, which it does only when it has answered all that it had read.
        var hasLeft = false
        /// Messages granted in its life.
        var granted = 0
        /// Record jobs of its outcomes that are not on disk yet.
        var pendingCommits = 0
        var knownAccounts: Set<AccountID> = []
        var knownJobs: Set<UInt32> = []
        var heartbeat = Heartbeat(waiting: 0, inFlight: 0, openConnections: 0, residentKilobytes: 0)

        enum State: String, Sendable {
            case working, draining
            /// Dead and reaped; what it said is being committed.
            case lost
        }
        var isConnected: Bool { state != .lost }
        /// Only a child that failed at its start or at its first part says something about the installation, and one
        /// that was sending only where its end was its own doing.
        var saysNothingOfItsInstallation: Bool {
            wasUseful || saidHello && granted == 0 || hasSent && !endedByFault
        }
    }

    func staff(at now: MonotonicTime) {
        guard drainDeadline == nil else { return }
        let staff = StaffingPolicy.Staff(
            working: children.values.count { $0.state == .working }, 
            lacksRoom: ledger.lacksRoom(at: now) || (children.isEmpty && !feedback.isEmpty))
        for _ in 0..<staffing.births(for: staff, at: now) { bear(at: now) }
    }

    private func bear(at now: MonotonicTime) {
        lastChild += 1
        let id = ChildID(rawValue: lastChild)
        do {
            let process = try ChildProcess.spawn(settings.childOrder, lock: lock)
            var child = Child(
                process: process, end: ChildLinkEnd(descriptor: process.link), bornAt: now, lastHeard: now,
                lastProgress: now)
            child.end.send(
                .welcome(
                    WelcomeOrder(
                        generation: id.rawValue, room: UInt32(settings.room),
                        maximumAgeSeconds: UInt32(settings.maximumAgeSeconds),
                        idleSeconds: UInt32(settings.idleSeconds))))
            let grace = clock.graceSeconds(at: now)
            if grace > 0 { child.end.send(.clockJumped(graceSeconds: UInt32(grace))) }
            children[id] = child
            logger.info("\(id) started as process \(process.processID)")
            obey(ledger.handle(.joined(id, room: settings.room), at: now))
        } catch {
            noteDeath(wasUseful: false, "\(error)")
        }
    }

    private func noteDeath(wasUseful: Bool, _ why: String) {
        stalls.childTrouble = wasUseful ? "" : why
        if staffing.died(wasUseful: wasUseful) {
            logger.critical(
                """
                a child ended before it was of any use (\(why)): something is wrong with the installation; \
                starting the next ones slowly
                """
            )
        }
    }

    /// A child that has served its time makes place for a fresh one.
    func relieve(_ id: ChildID, _ child: Child) {
        guard child.state == .working else { return }
        if child.granted >= settings.messagesPerChild {
            logger.info("\(id) has had its \(settings.messagesPerChild) messages and is relieved")
            drain(id)
        } else if Int(child.heartbeat.residentKilobytes) > settings.workingSetMegabytes << 10 {
            logger.warning(
                "\(id) uses \(child.heartbeat.residentKilobytes >> 10) MB, over maxWorkingSetMb, and is relieved")
            drain(id)
        }
    }

    /// The child gets nothing more, gives back what it has not submitted, and ends after the last answer.
    func drain(_ id: ChildID) {
        guard children[id]?.state == .working else { return }
        children[id]?.state = .draining
        obey(ledger.handle(.draining(id), at: Clocks.monotonic()))
        children[id]?.end.send(.drain)
    }

    /// The end of a child, whoever wished it: kill, read the link to the end, commit, and only then requeue.
    /// - Parameter isFault: it is lost for what it did, or did not do.
    func lose(_ id: ChildID, why: String, isFault: Bool = false) {
        guard let child = children[id], child.isConnected else { return }
        children[id]?.state = .lost
        obey(ledger.handle(.draining(id), at: Clocks.monotonic()))
        let status = child.process.killAndReap()
        children[id]?.endedByFault = isFault || status.isCrash
        children[id]?.hasLeft = status.isClean
        receive(from: id, toTheEnd: true)
        children[id]?.end.close()

        let outstanding = ledger.outstanding(of: id)
        let ended = "\(id) (process \(child.process.processID)) ended: \(why), \(status)"
        if status.isClean {
            logger.info("\(ended)")
        } else {
            logger.warning("\(ended); \(outstanding) messages of it are not recorded yet")
        }
        noteDeath(wasUseful: status.isClean || children[id]?.saysNothingOfItsInstallation == true, "\(why), \(status)")
        finishLossIfDone(id)
    }

    func finishLossIfDone(_ id: ChildID) {
        guard let child = children[id], child.state == .lost, child.pendingCommits == 0 else { return }
        let requeued = ledger.outstanding(of: id)
        if requeued > 0, child.hasLeft {
            logger.info("\(id): \(requeued) messages that were on their way to it go to another")
        } else if requeued > 0 {
            let fate = settings.requeuesLost ? "wait to be sent again" : "fail as unreachable (retryLostMessages is false)"
            logger.warning("\(id): \(requeued) messages without an outcome \(fate)")
        }
        children[id] = nil
        for account in feedback.keys where feedback[account]?.child == id {
            // A reading that a child did not survive is not repeated before its time.
            if child.endedByFault {
                feedbackEnded(account, "its child did not survive it")
            } else if retiredAccounts.contains(account) {
                feedbackEnded(account, "its child ended, and the account has a successor")
            } else {
                feedback[account]?.child = nil
            }
        }
        let end: PartLedger.Event = child.hasLeft ? .left(id) : .lost(id, byFault: child.endedByFault)
        obey(ledger.handle(end, at: Clocks.monotonic()))
    }
}
