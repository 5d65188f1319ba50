internal import PushModel
internal import PushSystem

/// The jobs of one transaction, and how far it came with them.
struct WriteGroup {
    private let jobs: [WriteJob]
    private let began: MonotonicTime
    /// So many of the jobs were written, from the first.
    private(set) var count = 0
    /// To be called after the commit.
    private(set) var completions: [@Sendable () -> Void] = []
    private(set) var recorded: RecordResult?
    /// Which have answered.
    private(set) var accounts: Set<AccountKey> = []
    /// Which rest after these answers.
    private(set) var rested: [AccountKey] = []

    init(_ jobs: [WriteJob], began: MonotonicTime) {
        self.jobs = jobs
        self.began = began
    }

    var changesNothing: Bool {
        jobs.allSatisfy(\.changesNothing)
    }

    /// Without a transaction.
    mutating func skip() {
        completions = jobs.map { $0.recorded }
        count = jobs.count
        for case .rests(let account) in jobs.lazy.map(\.work) { rested.append(account) }
    }

    /// Within the transaction; what is left when the time is over goes with another one.
    mutating func write(_ service: WriteService, answering: Set<AccountKey>) throws(StoreError) {
        (count, completions, recorded, accounts, rested) = (0, [], nil, [], [])
        guard try record(service, answering: answering) else { return }
        for job in jobs.dropFirst(count) {
            guard case .body(let run) = job.work else { continue }
            completions.append(try run(service.store))
            count += 1
            if Clocks.monotonic().milliseconds(since: began) >= WriteQueue.maximumGroupMilliseconds { return }
        }
    }

    /// What several jobs say of one delivery is one batch: answers come nearly in the order of sending, and
    /// so one statement changes more neighbouring rows.
    /// - Returns: false where what follows is for another group: answers that come after a rest begin anew.
    private mutating func record(_ service: WriteService, answering: Set<AccountKey>) throws(StoreError)
        -> Bool
    {
        var batches: [DeliveryID: OutcomeBatch] = [:]
        let now = service.clock.wall()
        jobs: for job in jobs {
            switch job.work {
            case .outcomes(var batch?, let decided) where rested.isEmpty:
                batch.follow(clock: now.time, decided: decided)
                batches[batch.delivery, default: OutcomeBatch(delivery: batch.delivery)].append(batch)
            case .outcomes(nil, _): break
            case .rests(let account): rested.append(account)
            case .outcomes, .body: break jobs
            }
            completions.append(job.recorded)
            count += 1
        }
        guard !batches.isEmpty else { return rested.isEmpty || count == jobs.count }
        for batch in batches.values { accounts.formUnion(batch.answers.lazy.map(\.account)) }
        recorded = try service.store.outcomes.record(
            Array(batches.values), at: now, settling: count == 1, continuing: answering.contains,
            judge: service.judge)
        return rested.isEmpty
    }
}
