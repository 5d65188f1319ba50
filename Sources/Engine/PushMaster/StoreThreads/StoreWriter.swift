internal import PushModel
internal import PushSchedule
package import PushStore
internal import PushSystem

/// Runs on a separate thread and finds what must be written, except outcomes: expired messages, deliveries to
/// prepare, and the verdicts about tokens from answers and feedback services. Each step is a unit of the
/// ``WriteService``, which determines the order. ``WriterInbox`` sends outcomes to the service directly,
/// without this thread. Preparation is ordered ahead (``PreparationAhead``), so this thread does not wait for
/// chunks.
///
/// **Promises.** However much a feedback service reports, the thread continues its other work between the
/// steps. **Failures.** The service reports writes that fail. Reads that fail are reported to the loop as
/// ``LoopEvent/storeFailure(_:)``, and tried again every second.
package struct StoreWriter {
    private let inbox: WriterInbox
    private var mailbox: Mailbox<Job> { inbox.mailbox }
    private var service: WriteService { inbox.service }
    let loop: Mailbox<LoopEvent>
    let store: Store
    private var pollSeconds: Int64
    private var verdicts: TokenVerdictProcessor
    private var feedback: [FeedbackNote] = []
    /// Devices that require no change are reported as totals, because a service may name any number of
    /// unknown devices.
    private var unchanged: [AppID: FeedbackSums] = [:]
    private var expiryPause: MonotonicTime?
    /// The writer that completes interrupted deletions; `nil` once nothing is left to delete.
    private var catalogue: CatalogueWriter?
    private var retention: RetentionWorker?
    /// When to look for deliveries that would never end because some of their rows are missing.
    private var nextLookForDamage: MonotonicTime
    private static let secondsBetweenLooksForDamage: Int64 = 60
    /// Deliveries that were reported to the loop as on hold.
    private var held: Set<DeliveryID> = []
    /// The number of deliveries in `held` that are on hold because a backup was restored.
    private var restored = 0
    private var pauses = PausedDeliveries()
    /// The moment of a pending request to check all paused and stopped deliveries; `nil` if there is none.
    private var lookAround: Int64?
    /// Stopped deliveries with waiting messages. The deliveries take turns, one step at a time.
    private var cancelling = FIFOQueue<DeliveryID>()
    private var preparation: PreparationAhead
    private var wall: @Sendable () -> WallMoment { inbox.wall }
    private var isStopping = false
    private var isAbandoned = false
    private var isFailing = false
    /// When to look for deliveries to prepare and messages to expire.
    private var nextLook: MonotonicTime
    /// When a look last found nothing more to do.
    private var lastLook: MonotonicTime?
    private static let minMillisecondsBetweenLooks: Int64 = 100

    private enum FeedbackNote {
        case retired(AppID, [RetiredToken])
        case ended(AppID, isWhole: Bool)
    }

    /// - Parameters:
    ///   - inbox: The inbox for the same store and loop.
    ///   - catalogue: The writer that deletes what interrupted deletions have left behind; `nil` if nothing
    ///     is to be deleted.
    ///   - retention: How long ended data is kept; `nil` if nothing is removed.
    package init(
        inbox: WriterInbox, pollSeconds: Int64, catalogue: CatalogueWriter? = nil,
        retention: RetentionRules? = nil
    ) {
        self.inbox = inbox
        loop = inbox.loop
        store = inbox.store
        verdicts = TokenVerdictProcessor(
            service: inbox.service, store: store, loop: loop, rules: inbox.rules)
        self.pollSeconds = max(pollSeconds, 1)
        self.catalogue = catalogue
        self.retention = retention.map { RetentionWorker(inbox, $0) }
        preparation = PreparationAhead(inbox)
        nextLook = Clocks.monotonic()
        nextLookForDamage = nextLook
    }

    /// Runs until the thread is ordered to stop. Then it orders the write service to end after its queued
    /// work.
    package mutating func run() {
        work()
        service.end()
        if isAbandoned { return }
        let left = feedback.reduce(0) {
            if case .retired(_, let retired) = $1 { $0 + retired.count } else { $0 }
        }
        if left > 0 {
            let line = "feedback for \(left) devices was lost: there was no time to record it before the end"
            loop.send(.feedbackApplied([line]))
        }
    }

    private mutating func work() {
        while true {
            sort(mailbox.take())
            if isAbandoned { return }
            do {
                let hasCancelled = try cancelNext()
                if try step() || hasCancelled { continue }
                noteRecovery()
                if isStopping { return }
                sort(mailbox.wait(atMostMilliseconds: millisecondsUntilLook()))
            } catch WriteService.Failure.setAside(let error) where error.delivery != nil {
                // The delivery that caused the error is now on hold. The next look finds other deliveries.
            } catch is WriteService.Failure {
                if isStopping, inbox.isPastLastTry { return }
                rest()
            } catch {
                report("\(error)")
                if isStopping, feedback.isEmpty || inbox.isPastLastTry { return }
                rest()
            }
        }
    }

    /// Waits until a job arrives or it is time to try again.
    private mutating func rest() {
        let left = max(inbox.lastTry?.milliseconds(since: Clocks.monotonic()) ?? 1_000, 0) + 1
        sort(mailbox.wait(atMostMilliseconds: Int32(min(left, 1_000))))
    }

    private mutating func sort(_ jobs: [Job]) {
        for job in jobs {
            switch job {
            case .rests(let account): verdicts.rests(account)
            case .judged(let judgements): verdicts.note(judgements)
            case .feedback(let apps, let retired):
                for app in apps {
                    for start in stride(from: 0, to: retired.count, by: FeedbackWriter.tuplesPerCall) {
                        let end = min(start + FeedbackWriter.tuplesPerCall, retired.count)
                        feedback.append(.retired(app, Array(retired[start..<end])))
                    }
                }
            case .feedbackEnded(let apps, let isWhole): feedback += apps.map { .ended($0, isWhole: isWhole) }
            case .postponeExpiry(let moment): postponeExpiry(until: moment)
            case .reconfigure(let settings):
                pollSeconds = max(settings.pollSeconds, 1)
                retention?.rules = settings.retention
            case .look: scheduleLook()
            case .lookAround(let moment): lookAround = max(lookAround ?? moment, moment)
            case .lookAtPause(let delivery): pauses.changed.append(delivery)
            case .cancelStopped(let delivery):
                if !cancelling.all.contains(delivery) { cancelling.append(delivery) }
            case .held(let delivery):
                held.insert(delivery)
                scheduleLook()
            case .prepared(let end, let unit):
                preparation.ended(end, of: unit)
                // The prepared parts may have to wait until a time that no look has considered yet.
                if case .more = end { nextLook = min(nextLook, Clocks.monotonic().advanced(bySeconds: 1)) }
            case .stop: isStopping = true
            case .abandon: isAbandoned = true
            case .record, .count, .rename, .hold, .failRange, .failMessages, .lastTry, .ping:
                inbox.send(job)
            }
        }
    }

    /// Does one transaction's worth of the most urgent work. Returns `false` if there is nothing to do.
    private mutating func step() throws -> Bool {
        // A feedback service reports a device once and then forgets it. The order to stop therefore waits for
        // feedback, but not without limit.
        if !isStopping {
            if leads { preparation.order() }
            try pauses.look(in: store, tell: loop)
            try lookAroundIfAsked()
        }
        if let note = feedback.first, !isStopping || !inbox.isPastLastTry {
            do { try apply(note) } catch WriteService.Failure.refused {
                // An app that was deleted meanwhile has no devices to disable.
            } catch WriteService.Failure.setAside {
                // The write service has already reported the error.
            }
            feedback.removeFirst()
            _ = try verdicts.apply()
            if !isStopping, Clocks.monotonic() >= nextLook { _ = try look() }
            return true
        }
        if try verdicts.apply() {
            // There may be millions of verdicts, and the look for other processes' work must not wait for
            // them.
            if !isStopping, Clocks.monotonic() >= nextLook { _ = try look() }
            return true
        }
        if isStopping { return false }
        if Clocks.monotonic() >= nextLook, try look() { return true }
        guard leads else { return false }
        guard let catalogue else { return try keepRetention() }
        let hasMore = try service.perform(.bulk, rows: WriteQueue.maximumRows) { _ throws(StoreError) in
            try catalogue.purgePageOfRemovedApps()
        }
        if !hasMore { self.catalogue = nil }
        return true
    }

    /// Whether this host does the work that one host does for all hosts.
    private var leads: Bool { inbox.role.leads }

    private mutating func lookAroundIfAsked() throws {
        guard let moment = lookAround else { return }
        try pauses.lookAtAll(in: store, tell: loop)
        lookAround = nil
        loop.send(.lookedAround(asOf: moment))
    }

    /// Does the checks of a host that does not lead.
    /// - Returns: Whether there is something to do immediately.
    private mutating func pollAsFollower() throws -> Bool {
        try lookForHeld()
        try pauses.poll(store, tell: loop)
        let hasMore = try verdicts.follow()
        let end = Clocks.monotonic()
        (lastLook, nextLook) = (end, end.advanced(bySeconds: 1))
        return hasMore
    }

    /// Ends the next few parts of a delivery that was stopped. A delivery that cannot be written is put on
    /// hold, and ``PausedDeliveries/lookAtAll(in:tell:)`` finds it again after its release.
    private mutating func cancelNext() throws -> Bool {
        guard !isStopping, let delivery = cancelling.popFirst() else { return false }
        let moment = wall()
        let step = try service.perform(.verdicts, rows: DeliveryStop.rowsPerStep) {
            store throws(StoreError) in
            try store.stop.cancelNext(of: delivery, at: moment)
        }
        if step.isOver { loop.send(.finished([delivery])) }
        if !step.isOver, step.ended > 0 { cancelling.append(delivery) }
        return true
    }

    /// Removes old data, but not while the clock may be wrong: removed data cannot be restored.
    private mutating func keepRetention() throws -> Bool {
        guard let retention, Clocks.monotonic() >= retention.nextStep else { return false }
        watchClock(wall())
        guard expiryPause == nil else { return false }
        return try self.retention?.step() ?? false
    }

    /// Looks for new submissions immediately, but schedules the look for other work for some time after the
    /// last look, because a client that submits one delivery after another announces each of them.
    private mutating func scheduleLook() {
        let now = Clocks.monotonic()
        let next = lastLook?.advanced(byMilliseconds: Self.minMillisecondsBetweenLooks) ?? now
        nextLook = min(nextLook, max(next, now))
        if now < next, leads { preparation.look() }
    }

    /// Looks for work. Expiry comes first, because expired messages must not be prepared. Returns `true`
    /// while there may be more to do immediately.
    private mutating func look() throws -> Bool {
        guard leads else { return try pollAsFollower() }
        let moment = wall()
        watchClock(moment)
        try lookForDamage(moment)
        try lookForHeld()
        try pauses.poll(store, tell: loop)
        if expiryPause.map({ Clocks.monotonic() >= $0 }) ?? true {
            expiryPause = nil
            if try store.work.hasExpired(at: moment) {
                let step = try service.perform(.verdicts, rows: WriteQueue.maximumRows) {
                    store throws(StoreError) in
                    try store.outcomes.expire(at: moment)
                }
                if !step.finished.isEmpty { loop.send(.finished(step.finished)) }
                for (delivery, lost) in step.lost { loop.send(.endedWithLosses(delivery, lost: lost)) }
                if step.hasMore { return true }
            }
        }
        if try closeOpenDeliveries(moment) { return true }
        if try releaseHeld(moment) { return true }
        preparation.look()
        if try verdicts.review() { return true }
        let now = wall()
        // While there is work, new work is likely. An idle master polls rarely.
        let isBusy = inbox.lastRecord.map { Clocks.monotonic() < $0.advanced(bySeconds: 2) } ?? false
        // This host finds the submissions of other hosts by polling.
        var wait = isBusy || inbox.role.others > 0 ? 1 : pollSeconds
        if let next = try store.work.nextMoment(after: now) {
            wait = min(wait, max(next.seconds(since: now.time), 1))
        }
        let end = Clocks.monotonic()
        lastLook = end
        nextLook = end.advanced(bySeconds: wait)
        if let expiryPause { nextLook = min(nextLook, expiryPause) }
        return false
    }

    /// Closes the deliveries for single messages from previous days. These deliveries may end, because
    /// messages from a new day join another delivery.
    private mutating func closeOpenDeliveries(_ moment: WallMoment) throws -> Bool {
        guard try store.messages.hasToClose(at: moment) else { return false }
        let finished = try service.perform(.verdicts, rows: WriteQueue.maximumRows) {
            store throws(StoreError) in
            try store.messages.closeEnded(at: moment)
        }
        if !finished.isEmpty { loop.send(.finished(finished)) }
        return true
    }

    /// Releases waves that are due, and messages whose own time has come.
    private func releaseHeld(_ moment: WallMoment) throws -> Bool {
        guard try store.held.areDue(at: moment) else { return false }
        _ = try service.perform(.preparation, rows: HeldParts.partsPerStep) { store throws(StoreError) in
            try store.held.release(at: moment)
        }
        loop.send(.partsDue)
        return true
    }

    private mutating func lookForDamage(_ moment: WallMoment) throws {
        guard Clocks.monotonic() >= nextLookForDamage else { return }
        var last: StrandedDelivery?
        while case let stranded = try store.repair.stranded(after: last), let end = stranded.last {
            let rows = DeliveryRepair.strandedPerStep
            let finished = try service.perform(.verdicts, rows: rows) { store throws(StoreError) in
                try store.repair.settle(stranded, at: moment)
            }
            if !finished.isEmpty { loop.send(.finished(finished)) }
            last = end
        }
        try pauses.lookAtAll(in: store, tell: loop)
        nextLookForDamage = Clocks.monotonic().advanced(bySeconds: Self.secondsBetweenLooksForDamage)
    }

    /// Checks which deliveries are on hold. A repaired delivery is no longer in the list.
    private mutating func lookForHeld() throws(StoreError) {
        let present = try store.repair.held()
        for damaged in present where held.insert(damaged.delivery).inserted && !damaged.isRestored {
            loop.send(.damaged(damaged.delivery, why: damaged.why))
        }
        // Restored deliveries are only counted, not reported individually: none of their messages were
        // granted, and there may be thousands of such deliveries.
        let nowRestored = present.count(where: \.isRestored)
        if nowRestored != restored {
            restored = nowRestored
            loop.send(.restored(restored))
        }
        let released = held.subtracting(present.map(\.delivery))
        guard !released.isEmpty else { return }
        held.subtract(released)
        loop.send(.released(Array(released)))
    }

    /// Compares the moment of a look with the monotonic clock before the look, because a wall clock that has
    /// just been set must not expire any message.
    private mutating func watchClock(_ moment: WallMoment) {
        guard inbox.clock.hasJumped(at: moment) else { return }
        postponeExpiry(until: Clocks.monotonic().advanced(bySeconds: ClockWatch.graceSeconds))
    }

    private mutating func postponeExpiry(until moment: MonotonicTime) {
        let end = max(expiryPause ?? moment, moment)
        expiryPause = end
        nextLook = min(nextLook, end)
    }

    private mutating func apply(_ note: FeedbackNote) throws {
        switch note {
        case .ended(let app, let isWhole):
            if isWhole {
                try service.perform(.verdicts, rows: 1) { store throws(StoreError) in
                    try store.feedback.notePoll(of: app, at: Clocks.moment())
                }
            }
            guard let sums = unchanged.removeValue(forKey: app) else { return }
            loop.send(.feedbackApplied(["feedback for app \(app): \(sums)"]))
        case .retired(let app, let retired):
            let step = try service.perform(.verdicts, rows: 2 * retired.count) { store throws(StoreError) in
                try store.feedback.apply(retired.map { ($0.token, $0.since) }, to: app, at: Clocks.moment())
            }
            let told = step.findings.filter { $0.result == .disabled || $0.result == .registeredAgain }
            if told.count < step.findings.count {
                unchanged[app, default: FeedbackSums()].count(step.findings)
            }
            if !told.isEmpty { loop.send(.feedbackApplied(told.map { "feedback for app \(app): \($0)" })) }
        }
    }

    private func millisecondsUntilLook() -> Int32 {
        guard leads else {
            return Int32(clamping: max(nextLook.milliseconds(since: Clocks.monotonic()), 0) + 1)
        }
        let next = expiryPause == nil ? min(nextLook, retention?.nextStep ?? nextLook) : nextLook
        return Int32(clamping: max(next.milliseconds(since: Clocks.monotonic()), 0) + 1)
    }

    private mutating func report(_ failure: String) {
        if !isFailing { loop.send(.storeFailure(failure)) }
        isFailing = true
    }

    private mutating func noteRecovery() {
        if isFailing { loop.send(.storeRecovered) }
        isFailing = false
    }
}
