internal import Logging
package import PushModel
package import PushSchedule
package import PushStore

/// The master's writing thread: the one place in the engine that changes messages.
///
/// **Promises.** Outcomes come before everything else, preparation after everything else; a job whose transaction
/// failed stays first in line until it succeeds, so that no answer of a gateway is forgotten while the process lives.
/// **Failures.** Reported to the loop as ``LoopEvent/storeTrouble(_:)``, tried again every second.
package struct StoreWriter {
    package enum Job: Sendable {
        case record(RecordJob)
        case closePart(PartID)
        /// The gateway knows the device of this message by another token.
        case rename(MessageID, String)
        /// Somebody changed the store: look for work now.
        case look
        /// Finish what is queued, then end.
        case stop
    }

    /// Outcomes of one child that are to be committed before its credit returns.
    package struct RecordJob: Sendable {
        package var child: ChildID
        package var batches: [OutcomeBatch]
        package var settlements: [Settlement]
        package init(child: ChildID, batches: [OutcomeBatch], settlements: [Settlement]) {
            self.child = child
            self.batches = batches
            self.settlements = settlements
        }
    }

    let mailbox: Mailbox<Job>
    let loop: Mailbox<LoopEvent>
    let store: Store
    let pollSeconds: Int64
    private var records: [RecordJob] = []
    private var closedParts: [PartID] = []
    private var renames: [(message: MessageID, token: String)] = []
    private var isStopping = false
    /// How long a store that fails is asked again after the order to stop.
    private static let lastTriesSeconds: Int64 = 30
    private var lastTry = Clocks.monotonic()
    private var isInTrouble = false
    private var lastRecord: MonotonicTime?
    /// When to look for deliveries to prepare and messages to expire; nil: not before somebody says so.
    private var nextLook: MonotonicTime

    package init(mailbox: Mailbox<Job>, loop: Mailbox<LoopEvent>, store: Store, pollSeconds: Int64) {
        self.mailbox = mailbox
        self.loop = loop
        self.store = store
        self.pollSeconds = max(pollSeconds, 1)
        nextLook = Clocks.monotonic()
    }

    /// Runs until told to stop.
    package mutating func run() {
        while true {
            sort(mailbox.take())
            do {
                if try step() { continue }
                noteRecovery()
                if isStopping { return }
                sort(mailbox.wait(atMostMilliseconds: millisecondsUntilLook()))
            } catch {
                report(error)
                if isStopping, records.isEmpty || Clocks.monotonic() > lastTry { return }
                sort(mailbox.wait(atMostMilliseconds: 1_000))
            }
        }
    }

    private mutating func sort(_ jobs: [Job]) {
        for job in jobs {
            switch job {
            case .record(let record): records.append(record)
            case .closePart(let part): closedParts.append(part)
            case .rename(let message, let token): renames.append((message, token))
            case .look: nextLook = Clocks.monotonic()
            case .stop:
                isStopping = true
                lastTry = Clocks.monotonic().advanced(bySeconds: Self.lastTriesSeconds)
            }
        }
    }

    /// One transaction's worth of work, the most urgent; false when there is none.
    private mutating func step() throws(StoreError) -> Bool {
        if !records.isEmpty {
            try recordSome()
            // Preparation and expiry go on between outcomes, or a busy delivery would starve the next.
            if !isStopping, Clocks.monotonic() >= nextLook { _ = try look() }
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
        if isStopping { return false }
        return Clocks.monotonic() >= nextLook ? try look() : false
    }

    /// A job whose batches do not fit in one transaction is on disk with the last of them, and only then said to be.
    private mutating func recordSome() throws(StoreError) {
        var share = RecordShare()
        share.fill(from: records)
        let result = try store.outcomes.record(Array(share.batches.values), at: Clocks.moment())
        for job in records.prefix(share.wholeJobs) { loop.send(.committed(job.child, job.settlements)) }
        records.removeFirst(share.wholeJobs)
        if share.begunBatches > 0 { records[0].batches.removeFirst(share.begunBatches) }
        lastRecord = Clocks.monotonic()
        if !result.finished.isEmpty { loop.send(.finished(result.finished)) }
    }

    /// Expiry first: what is over must not be prepared. True while there may be more to do at once.
    private mutating func look() throws(StoreError) -> Bool {
        let step = try store.outcomes.expire(at: Clocks.moment())
        if !step.finished.isEmpty { loop.send(.finished(step.finished)) }
        if step.hasMore { return true }
        if try prepareOne() { return true }
        let now = Clocks.moment()
        // While there is work, new work is likely; an idle master asks seldom.
        let isBusy = lastRecord.map { Clocks.monotonic() < $0.advanced(bySeconds: 2) } ?? false
        var wait = isBusy ? 1 : pollSeconds
        if let next = try store.work.nextMoment(after: now) {
            wait = min(wait, max(next.seconds(since: now.time), 1))
        }
        nextLook = Clocks.monotonic().advanced(bySeconds: wait)
        return false
    }

    private mutating func prepareOne() throws(StoreError) -> Bool {
        let now = Clocks.moment()
        guard let delivery = try store.work.nextToPrepare(at: now) else { return false }
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

/// What of the waiting jobs one transaction records.
private struct RecordShare {
    /// What several jobs say of one delivery is one batch.
    var batches: [DeliveryID: OutcomeBatch] = [:]
    var wholeJobs = 0
    /// Of the job after them.
    var begunBatches = 0
    private var rows = 0

    mutating func fill(from jobs: [StoreWriter.RecordJob]) {
        for job in jobs {
            for batch in job.batches {
                guard add(batch) else { return }
                begunBatches += 1
            }
            wholeJobs += 1
            begunBatches = 0
        }
    }

    /// - Returns: false where the batch does not fit any more.
    private mutating func add(_ batch: OutcomeBatch) -> Bool {
        let isFirst = batches[batch.delivery] == nil
        let more = isFirst ? OutcomeWriter.rows(of: batch) : batch.count
        guard rows == 0 || rows + more <= OutcomeWriter.maximumRows else { return false }
        rows += more
        batches[batch.delivery, default: OutcomeBatch(delivery: batch.delivery)].append(batch)
        return true
    }
}

extension OutcomeBatch {
    fileprivate mutating func append(_ other: OutcomeBatch) {
        accepted.append(contentsOf: other.accepted)
        others.append(contentsOf: other.others)
    }
}
