internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWire

/// Events from the other threads.
extension MasterMachine {
    private static let unaddressableRestSeconds: Int64 = 60

    mutating func take(_ event: LoopEvent) {
        switch event {
        case .committed, .prepared, .finished, .lostFailed, .feedbackApplied, .removed, .restored,
            .storeFailure, .storeRecovered,
            .damaged, .deliveryPaused, .deliveryResumed, .deliveryStopped,
            .endedWithLosses, .released, .partsDue, .polled, .setAside, .engineFault, .numbersRepaired,
            .storm,
            .storms,
            .turned:
            takeOfWriter(event)
        case .account, .appChanged, .appJoined, .appLeft, .accountUnused, .feedbackDue: takeOfAccounts(event)
        case .job, .jobUnused, .parts, .addressed, .addressFailed, .partsAgain, .partSearchFailed,
            .retriesDue, .found, .givenUp,
            .filled, .withoutAllowance,
            .unread, .readFailure, .unreadable, .unaddressable:
            takeOfReader(event)
        case .shutDown: shutDown(withinSeconds: nil)
        case .shutDownWithin(let seconds): shutDown(withinSeconds: seconds)
        case .reconfigured(let new): reconfigure(new)
        case .wakeUp:
            act(.takeWakeUps)
            lookForParts(fromStart: false)
            write(.look)
        case .pauseChanged(let delivery): write(.lookAtPause(delivery))
        case .accountResumed(let mark, let order): resumeAccount(mark, order)
        case .accountsResumed(let orders): for order in orders { resumeAccounts(by: order) }
        case .withdraw(let delivery): withdraw(delivery, isAwaited: true)
        // The reader answers after it has carried out all earlier orders.
        case .find(let message):
            ledger.mayHold(message) ? act(.found(message, isHeld: true)) : read(.find(message))
        case .leaseRenewed(let end):
            lease = end
            leaseRenewed()
            for child in children.keys { send(.lease(until: end), to: child) }
        case .leads: lead()
        case .hosts(let live, let moment, let ahead, let late):
            clockAheadSeconds = ahead
            lateHosts = late
            share(live, asOf: moment)
        case .lookedAround(let moment): lookedAround(asOf: moment)
        case .leaseLost: checkFiles(FileChange(role: .claim, path: storePath, kind: .taken), storeNames: 1)
        case .held(let parts): learn(parts)
        case .drained(let why): drain(why)
        case .disks(let disks): checkDisks(disks)
        case .statusWanted: act(.publish(status()))
        }
    }

    private mutating func takeOfWriter(_ event: LoopEvent) {
        switch event {
        case .committed(let child, let settlements, let latency):
            if let latency { counters.recorded(latency) }
            committed(settlements, of: child)
        case .prepared(let parts): prepared(parts)
        case .finished(let deliveries):
            for delivery in deliveries {
                let end =
                    stopping[delivery] == nil ? "finished" : "stopped: its waiting messages are cancelled"
                log(.info, "delivery \(delivery) is \(end)", about: .delivery(delivery))
                drop(delivery)
            }
        case .storeFailure(let why):
            stalls.storeFailure = why
            complain("\(why); trying again every second")
        case .storeRecovered:
            stalls.storeFailure = nil
            log(.notice, "the store is writable again")
        case .damaged(let delivery, let why): hold(delivery, why)
        case .deliveryPaused(let delivery): pause(delivery)
        case .deliveryResumed(let delivery): resume(delivery)
        case .deliveryStopped(let delivery): withdraw(delivery)
        case .released(let deliveries):
            damaged.subtract(deliveries)
            search.scheduleRestart(at: now)
            let named = deliveries.prefix(10).map { "delivery \($0)" }.joined(separator: ", ")
            let others = deliveries.count > 10 ? " and \(deliveries.count - 10) others" : ""
            log(.notice, "continuing with \(named)\(others)")
        case .partsDue: lookForParts(fromStart: true)
        case .polled(let hasChanged):
            polled()
            lookForParts(fromStart: hasChanged)
        case .endedWithLosses(let delivery, let lost):
            log(
                .critical,
                """
                delivery \(delivery) has ended because its validity is over, and \(lost) of its messages \
                that cannot be read are counted as cancelled; run pushmta delivery recount \(delivery)
                """, about: .delivery(delivery))
        case .engineFault(let fault): report(fault)
        case .setAside(let why): log(.critical, Self.skippedLine(why))
        case .numbersRepaired(let said): log(.warning, Self.renumberedLine(said))
        case .storm(let mark, let answers): storm(mark, answers)
        case .storms(let open): storms(open)
        case .feedbackApplied(let lines): for line in lines { log(.info, line) }
        case .removed(let line): log(.info, line)
        case .restored(let count):
            if count > restored { log(.warning, Self.restoredLine(count)) }
            restored = count
        case .lostFailed(let messages): read(.forget(messages))
        case .turned(let thread): turned(thread)
        default: break
        }
    }

    private static func skippedLine(_ why: String) -> String {
        """
        \(why); this record was skipped, everything else continues; please report this line and the log \
        before it
        """
    }

    private static func renumberedLine(_ damage: String) -> String {
        """
        the store's table of message numbers was damaged (\(damage)) and was rebuilt from the parts; \
        check which processes write to the store
        """
    }

    /// - Parameter count: The number of deliveries on hold.
    private static func restoredLine(_ count: Int) -> String {
        """
        the store was restored from a backup, and deliveries that had not ended by the time of the \
        backup are held (\(count)): messages sent since then would be sent again; see pushmta status and \
        pushmta delivery release
        """
    }

    private mutating func takeOfAccounts(_ event: LoopEvent) {
        switch event {
        case .account(let id, let definition): opened(id, definition)
        case .appChanged(let app, let old, let account): appChanged(app, from: old, to: account)
        case .accountUnused(let account): retire(account)
        case .appJoined(let app, let name, let mark, let account):
            appsOf[account, default: [:]][app] = name
            presentMarks[app] = mark
            applyStorms(of: account)
        case .appLeft(let app, let account, let isDeleted): left(app, account, isDeleted: isDeleted)
        case .feedbackDue(let account, let apps):
            if feedback[account] == nil { feedback[account] = FeedbackReading(apps: apps) }
            readFeedback()
        default: break
        }
    }

    private mutating func takeOfReader(_ event: LoopEvent) {
        switch event {
        case .job(let job): define(job)
        case .jobUnused(let job): if jobs.end(job) { retire(job: job) }
        case .parts(let found, let last, let hasMore):
            add(found)
            search.found(found.map(\.part), last: last, hasMore: hasMore)
            searchParts()
        case .addressed(let found):
            add(found)
        case .addressFailed: search.scheduleRestart(at: now.advanced(bySeconds: 1))
        case .partsAgain(let left, let found, let next):
            obey(ledger.handle(.foundAgain(left, found, next: next), at: now))
            search.foundAgain()
            searchParts()
        case .partSearchFailed: search.failed()
        case .retriesDue(let due):
            isSearchingRetries = false
            for (app, account) in due { obey(ledger.handle(.retriesDue(app, account), at: now)) }
        case .found(let message, let isHeld): act(.found(message, isHeld: isHeld))
        case .givenUp(let messages, let delivery): write(.failMessages(messages, delivery))
        case .filled(let order, let job, let frame, let messages, let limited):
            filled(order, job: job, frame: frame, messages: messages, limited: limited)
        case .withoutAllowance(let grant): obey(ledger.handle(.unread(grant), at: now))
        case .unread(let grant): unreadGrants.append(grant)
        case .readFailure(let why):
            stalls.noteReadFailure(why, at: now)
            complain("\(why); trying again every second")
        case .unreadable(let delivery, let why):
            if !damaged.contains(delivery) { write(.hold(delivery, why: why)) }
        case .unaddressable(let part, let why):
            // The part is found again by the next search from the start, which is scheduled here.
            search.scheduleRestart(at: now.advanced(bySeconds: Self.unaddressableRestSeconds))
            if unaddressable.count > 100 { unaddressable = [:] }
            unaddressable[why] = now
            complain("part \(part) waits: \(why)")
        default: break
        }
    }

    private mutating func committed(_ settlements: [Settlement], of child: ChildID) {
        for settlement in settlements {
            if let account = jobs.job(of: settlement.grant)?.order.account {
                traffic[account]?.committed(settlement.outcomes)
            }
        }
        let settled = settlements.map {
            PartLedger.Event.settled($0.grant, outcomes: $0.outcomes, requeued: $0.requeued)
        }
        obey(ledger.handle(settled, at: now))
        guard children[child] != nil else { return }
        children[child]?.pendingCommits -= 1
        finishLossIfDone(child)
    }

    /// Handles prepared parts. Parts that follow all known parts are addressed directly. The search finds the
    /// other parts.
    private mutating func prepared(_ parts: [PreparedPart]) {
        let direct = parts.filter { search.prepared($0.part) }
        if !direct.isEmpty { read(.address(direct)) }
        searchParts()
    }

    private mutating func add(_ found: [FoundPart]) {
        // The delivery may have been found to be damaged during the search.
        let events = found.filter { !damaged.contains($0.part.delivery) }.map {
            PartLedger.Event.found($0.part, $0.account, priority: $0.priority, committed: $0.committed)
        }
        obey(ledger.handle(events, at: now))
    }

    /// Searches for parts that another process wrote, or whose messages may be due because of another
    /// process.
    /// - Parameter fromStart: If `false`, the search covers only parts after all known parts. If there are no
    ///   such parts, the search takes only one step in an index.
    mutating func lookForParts(fromStart: Bool) {
        if fromStart {
            search.scheduleRestart(at: now)
            search.tick(at: now)
        } else {
            search.resume()
        }
        searchParts()
    }

    mutating func searchParts() {
        guard drainDeadline == nil, !search.isUnderWay else { return }
        let leftOut = search.reached.flatMap { ledger.partsLeftOut(upTo: $0, after: search.lastApp) }
        guard let step = search.next(leftOut: leftOut) else { return }
        switch step {
        case .new(let last): read(.findParts(after: last))
        case .leftOut(let left, let last): read(.findPartsAgain(left, upTo: last))
        }
    }

    private mutating func hold(_ delivery: DeliveryID, _ why: String) {
        guard damaged.insert(delivery).inserted else { return }
        log(
            .critical,
            """
            delivery \(delivery) is damaged and held, everything else continues: \(why); run pushmta \
            delivery recount \(delivery)
            """, about: .delivery(delivery))
        drop(delivery)
    }

    /// Stops granting messages of the delivery. Granted messages may still come back.
    private mutating func drop(_ delivery: DeliveryID) {
        read(.finished(delivery))
        obey(ledger.handle(.finished(delivery), at: now))
        endStop(of: delivery)
        for job in jobs.end(delivery) { retire(job: job) }
    }

    /// Removes the job from all children. No child receives further orders about it.
    mutating func retire(job number: JobID) {
        // An array of the keys is used because iterating over the dictionary's own keys would copy the
        // dictionary for each retired job.
        for id in Array(children.keys) where isConnected(id) {
            if children[id]?.knownJobs.remove(number) != nil { send(.retireJob(number), to: id) }
        }
    }
}
