internal import Logging
package import PushModel
package import PushSchedule
package import PushStore

/// The master's writing thread: the one place in the engine that changes messages.
///
/// **Promises.** Outcomes come before everything else, preparation after everything else; a job whose transaction
/// failed stays first in line until it succeeds, so that no answer of a gateway is forgotten while the process lives.
/// However much a feedback service says, everything else goes on in between. Only after the wall clock was set back, due
/// times come before outcomes.
/// **Failures.** Reported to the loop as ``LoopEvent/storeTrouble(_:)``, tried again every second.
package struct StoreWriter {
    package enum Job: Sendable {
        case record(RecordJob)
        case closePart(PartID)
        /// The gateway knows the device of this message by another token.
        case rename(MessageID, String)
        /// Messages that a lost child had and that are not to be sent again.
        case failRange(PartID, DeliveryID, ClosedRange<MessageID>)
        case failMessages([MessageID], DeliveryID)
        /// The account has nothing more to send for now: what its answers say is all there is.
        case rests(AccountMark)
        /// What a feedback service said of these apps' devices.
        case feedback([AppID], [RetiredToken])
        /// It said nothing more; whether that was all it had.
        case feedbackEnded([AppID], isWhole: Bool)
        /// The wall clock jumped: end no validity before then.
        case postponeExpiry(until: MonotonicTime)
        /// Somebody changed the store: look for work now.
        case look
        /// Answer ``LoopEvent/turned(_:)``.
        case ping
        /// When the order to stop comes, or has come: no try after this moment.
        case lastTry(by: MonotonicTime)
        /// Finish what is queued, then end.
        case stop
        /// End at once and write nothing more: the store's files are not those that were opened.
        case abandon
    }

    /// Outcomes of one child that are to be committed before its credit returns.
    package struct RecordJob: Sendable {
        package var child: ChildID
        package var batches: [OutcomeBatch]
        package var settlements: [Settlement]
        /// What retries' due times were reckoned from.
        package private(set) var decided: WallTime
        package init(
            child: ChildID, batches: [OutcomeBatch], settlements: [Settlement], decided: WallTime = Clocks.wall()
        ) {
            self.child = child
            self.batches = batches
            self.settlements = settlements
            self.decided = decided
        }

        /// A clock that was set back meanwhile takes the due times with it.
        mutating func follow(clock now: WallTime) {
            guard decided > now else { return }
            for index in batches.indices { batches[index].moveDueTimes(bySeconds: now.seconds(since: decided)) }
            decided = now
        }
    }

    let mailbox: Mailbox<Job>
    let loop: Mailbox<LoopEvent>
    let store: Store
    let pollSeconds: Int64
    private var records: [RecordJob] = []
    private var closedParts: [PartID] = []
    private var renames: [(message: MessageID, token: String)] = []
    private var losses: [Loss] = []
    private var court: TokenCourt
    private var feedback: [FeedbackNote] = []
    /// What changes nothing is told as a sum: a service may name any number of devices that nobody has.
    private var unchanged: [AppID: FeedbackSums] = [:]
    private var expiryPause: MonotonicTime?
    /// Until nothing is left of interrupted deletions.
    private var catalogue: CatalogueWriter?
    private let wall: @Sendable () -> WallMoment
    /// Its own: the loop's says so a second too late for who ends validities by the wall clock.
    private var clock = ClockWatch()
    /// Due times that are to follow the clock.
    private var shift: RetryShift?
    private var turns = PreparationTurns()
    private var isStopping = false
    private var isAbandoned = false
    /// Where no moment is named: how long after the order to stop a store that fails is asked, and feedback applied.
    private let lastTriesSeconds: Int64
    private var lastTry: MonotonicTime?
    private var isInTrouble = false
    private var lastRecord: MonotonicTime?
    /// When to look for deliveries to prepare and messages to expire; nil: not before somebody says so.
    private var nextLook: MonotonicTime

    /// What of one lost child is to be failed.
    private enum Loss {
        case range(DeliveryID, ClosedRange<MessageID>)
        case messages(DeliveryID, [MessageID])
    }

    private enum FeedbackNote {
        case retired(AppID, [RetiredToken])
        case ended(AppID, isWhole: Bool)
    }

    /// - Parameters:
    ///   - catalogue: deletes what interrupted deletions have left; nil: nobody does.
    ///   - wall: the clock that validities are judged by.
    package init(
        mailbox: Mailbox<Job>, loop: Mailbox<LoopEvent>, store: Store, pollSeconds: Int64, storms: StormRule,
        quarantine: QuarantineRules, catalogue: CatalogueWriter? = nil, lastTriesSeconds: Int64 = 30,
        wall: @escaping @Sendable () -> WallMoment = Clocks.moment
    ) {
        court = TokenCourt(store: store, loop: loop, storms: storms, quarantine: quarantine)
        self.mailbox = mailbox
        self.loop = loop
        self.store = store
        self.pollSeconds = max(pollSeconds, 1)
        self.catalogue = catalogue
        self.lastTriesSeconds = lastTriesSeconds
        self.wall = wall
        let now = Clocks.monotonic()
        nextLook = now
        let time = wall().time
        _ = clock.observe(wall: time, at: now)
        shift = RetryShift(now: time)
    }

    /// Runs until told to stop.
    package mutating func run() {
        work()
        let left = feedback.reduce(0) { if case .retired(_, let retired) = $1 { $0 + retired.count } else { $0 } }
        guard left > 0 else { return }
        loop.send(.feedbackApplied(["feedback for \(left) devices is lost: there was no time for it before the end"]))
    }

    private mutating func work() {
        while true {
            sort(mailbox.take())
            if isAbandoned { return }
            do {
                if try step() { continue }
                noteRecovery()
                if isStopping { return }
                sort(mailbox.wait(atMostMilliseconds: millisecondsUntilLook()))
            } catch {
                report(error)
                if isStopping, records.isEmpty && feedback.isEmpty || isPastLastTry { return }
                let left = lastTry.map { max($0.milliseconds(since: Clocks.monotonic()), 0) + 1 } ?? 1_000
                sort(mailbox.wait(atMostMilliseconds: Int32(min(left, 1_000))))
            }
        }
    }

    private var isPastLastTry: Bool { lastTry.map { Clocks.monotonic() >= $0 } ?? false }

    private mutating func sort(_ jobs: [Job]) {
        for job in jobs {
            switch job {
            case .record(var record):
                record.batches = record.batches.flatMap(\.inRecordableParts)
                record.follow(clock: wall().time)
                records.append(record)
            case .closePart(let part): closedParts.append(part)
            case .rename(let message, let token): renames.append((message, token))
            case .failRange(_, let delivery, let range): losses.append(.range(delivery, range))
            case .failMessages(let messages, let delivery): losses.append(.messages(delivery, messages))
            case .rests(let account): court.rests(account)
            case .feedback(let apps, let retired):
                for app in apps {
                    for start in stride(from: 0, to: retired.count, by: FeedbackWriter.tuplesPerCall) {
                        let end = min(start + FeedbackWriter.tuplesPerCall, retired.count)
                        feedback.append(.retired(app, Array(retired[start..<end])))
                    }
                }
            case .feedbackEnded(let apps, let isWhole): feedback += apps.map { .ended($0, isWhole: isWhole) }
            case .postponeExpiry(let moment): postponeExpiry(until: moment)
            case .look:
                nextLook = Clocks.monotonic()
                court.lookAgain()
            case .ping: loop.send(.turned(.writer))
            case .lastTry(let moment): lastTry = moment
            case .stop:
                isStopping = true
                lastTry = lastTry ?? Clocks.monotonic().advanced(bySeconds: lastTriesSeconds)
            case .abandon: isAbandoned = true
            }
        }
    }

    /// One transaction's worth of work, the most urgent; false when there is none.
    private mutating func step() throws(StoreError) -> Bool {
        let moment = wall()
        if !isFollowingStep { watchClock(moment) }
        if isFollowingStep {
            // Before anything is recorded by the new clock: afterwards nobody could tell which clock dated a row.
            try moveDueTimes()
            return true
        }
        if !records.isEmpty {
            try recordSome(at: moment)
            // Preparation and expiry go on between outcomes, or a busy delivery would starve the next.
            if !isStopping, Clocks.monotonic() >= nextLook { _ = try look() }
            return true
        }
        if let loss = losses.first {
            try fail(loss)
            losses.removeFirst()
            return true
        }
        if let part = closedParts.first {
            try store.outcomes.closePart(part)
            closedParts.removeFirst()
            return true
        }
        if let (message, token) = renames.first {
            try store.tokens.rename(subscriberOf: message, to: token, at: Clocks.moment())
            renames.removeFirst()
            return true
        }
        // Its service told it once and has forgotten it: the order to stop waits for it, but not for any number.
        if let note = feedback.first, !isStopping || !isPastLastTry {
            do { try apply(note) } catch {
                // An app that was deleted meanwhile has no devices to disable; anything else is tried again.
                guard case .unknown = error.cause else { throw error }
            }
            feedback.removeFirst()
            _ = try court.sit()
            if !isStopping, Clocks.monotonic() >= nextLook { _ = try look() }
            return true
        }
        if try court.sit() { return true }
        if isStopping { return false }
        if Clocks.monotonic() >= nextLook, try look() { return true }
        guard try catalogue?.purgePageOfRemovedApps() == true else {
            catalogue = nil
            return false
        }
        return true
    }

    /// A job whose batches do not fit in one transaction is on disk with the last of them, and only then said to be.
    private mutating func recordSome(at moment: WallMoment) throws(StoreError) {
        var share = RecordShare()
        share.fill(from: records)
        let court = court
        let result = try store.outcomes.record(
            Array(share.batches.values), at: moment, continuing: court.isBusy, judge: court.judge)
        for job in records.prefix(share.wholeJobs) { loop.send(.committed(job.child, job.settlements)) }
        records.removeFirst(share.wholeJobs)
        if share.begunBatches > 0 { records[0].batches.removeFirst(share.begunBatches) }
        self.court.heard(from: share.batches.values.lazy.flatMap(\.answers).map(\.account))
        self.court.hear(result.judgements)
        lastRecord = Clocks.monotonic()
        if !result.finished.isEmpty { loop.send(.finished(result.finished)) }
    }

    /// Expiry first: what is over must not be prepared. True while there may be more to do at once.
    private mutating func look() throws(StoreError) -> Bool {
        let moment = wall()
        watchClock(moment)
        if expiryPause.map({ Clocks.monotonic() >= $0 }) ?? true {
            expiryPause = nil
            let step = try store.outcomes.expire(at: moment)
            if !step.finished.isEmpty { loop.send(.finished(step.finished)) }
            if step.hasMore { return true }
        }
        if try prepareOne() { return true }
        if try court.review() { return true }
        if shift != nil {
            try moveDueTimes()
            return true
        }
        let now = wall()
        // While there is work, new work is likely; an idle master asks seldom.
        let isBusy = lastRecord.map { Clocks.monotonic() < $0.advanced(bySeconds: 2) } ?? false
        var wait = isBusy ? 1 : pollSeconds
        if let next = try store.work.nextMoment(after: now) {
            wait = min(wait, max(next.seconds(since: now.time), 1))
        }
        nextLook = Clocks.monotonic().advanced(bySeconds: wait)
        if let expiryPause { nextLook = min(nextLook, expiryPause) }
        return false
    }

    /// What a look or a record goes by is compared with the other clock first: one that was set a moment ago ends
    /// nothing, and due times follow it when it was set back.
    private mutating func watchClock(_ moment: WallMoment) {
        let now = Clocks.monotonic()
        let since = clock.trueSince
        guard let jump = clock.observe(wall: moment.time, at: now) else { return }
        postponeExpiry(until: now.advanced(bySeconds: ClockWatch.graceSeconds))
        guard jump < 0, let since else { return }
        shift = RetryShift(stepSeconds: -jump, recordedSince: since, now: moment.time)
        for index in records.indices { records[index].follow(clock: moment.time) }
    }

    private var isFollowingStep: Bool { shift.map { $0.stepSeconds > 0 } ?? false }

    private mutating func moveDueTimes() throws(StoreError) {
        guard var moved = shift else { return }
        // Nobody saw the step: what is recorded meanwhile is not from the future.
        if !isFollowingStep { moved.now = wall().time }
        shift = try store.outcomes.move(&moved) ? moved : nil
    }

    private mutating func postponeExpiry(until moment: MonotonicTime) {
        let end = max(expiryPause ?? moment, moment)
        expiryPause = end
        nextLook = min(nextLook, end)
    }

    private func fail(_ loss: Loss) throws(StoreError) {
        let (delivery, step): (DeliveryID, LostStep)
        switch loss {
        case .range(let of, let range):
            (delivery, step) = (of, try store.outcomes.failLost(range, of: of, at: Clocks.moment()))
        case .messages(let of, let messages):
            (delivery, step) = (of, try store.outcomes.failLost(messages, of: of, at: Clocks.moment()))
            loop.send(.lostFailed(messages))
        }
        if step.isFinished { loop.send(.finished([delivery])) }
    }

    private mutating func apply(_ note: FeedbackNote) throws(StoreError) {
        switch note {
        case .ended(let app, let isWhole):
            if isWhole { try store.feedback.notePoll(of: app, at: Clocks.moment()) }
            guard let sums = unchanged.removeValue(forKey: app) else { return }
            loop.send(.feedbackApplied(["feedback for app \(app): \(sums)"]))
        case .retired(let app, let retired):
            let step = try store.feedback.apply(
                retired.map { ($0.token, $0.since) }, to: app, at: Clocks.moment())
            let told = step.findings.filter { $0.result == .disabled || $0.result == .registeredAgain }
            if told.count < step.findings.count { unchanged[app, default: FeedbackSums()].count(step.findings) }
            if !told.isEmpty { loop.send(.feedbackApplied(told.map { "feedback for app \(app): \($0)" })) }
        }
    }

    private mutating func prepareOne() throws(StoreError) -> Bool {
        let now = wall()
        guard let delivery = try store.work.nextToPrepare(at: now, &turns) else { return false }
        let step = try store.preparation.prepareChunk(of: delivery, at: now)
        if step.part != nil { loop.send(.prepared) }
        if step.isFinished { loop.send(.finished([delivery])) }
        return true
    }

    private func millisecondsUntilLook() -> Int32 {
        Int32(clamping: max(nextLook.milliseconds(since: Clocks.monotonic()), 0) + 1)
    }

    private mutating func report(_ error: StoreError) {
        if !isInTrouble { loop.send(.storeTrouble(error.description)) }
        isInTrouble = true
    }

    private mutating func noteRecovery() {
        if isInTrouble { loop.send(.storeRecovered) }
        isInTrouble = false
    }
}

/// Devices that a feedback service named and nothing was done about.
private struct FeedbackSums: CustomStringConvertible {
    private var unknown = 0
    private var excludedAlready = 0

    mutating func count(_ findings: [FeedbackFinding]) {
        for finding in findings {
            switch finding.result {
            case .unknownToken: unknown += 1
            case .excludedAlready: excludedAlready += 1
            case .disabled, .registeredAgain: break
            }
        }
    }

    var description: String {
        "passed over \(unknown) that no subscriber has, and \(excludedAlready) that were excluded already"
    }
}
