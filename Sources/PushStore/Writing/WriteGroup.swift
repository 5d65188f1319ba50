internal import PushModel

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
    private(set) var accounts: Set<AccountMark> = []

    init(_ jobs: [WriteJob], began: MonotonicTime) {
        self.jobs = jobs
        self.began = began
    }

    var changesNothing: Bool {
        jobs.allSatisfy { if case .outcomes(nil, _) = $0.work { true } else { false } }
    }

    /// Without a transaction.
    mutating func skip() {
        completions = jobs.map { $0.recorded }
        count = jobs.count
    }

    /// Within the transaction; what is left when the time is over goes with another one.
    mutating func write(_ service: WriteService, answering: Set<AccountMark>) throws(StoreError) {
        (count, completions, recorded, accounts) = (0, [], nil, [])
        try record(service, answering: answering)
        for job in jobs.dropFirst(count) {
            guard case .body(let run) = job.work else { continue }
            completions.append(try run(service.store))
            count += 1
            if MonotonicTime.now.milliseconds(since: began) >= WriteQueue.maximumGroupMilliseconds { return }
        }
    }

    /// What several jobs say of one delivery is one batch: answers come nearly in the order of sending, and so one
    /// statement changes more neighbouring rows.
    private mutating func record(_ service: WriteService, answering: Set<AccountMark>) throws(StoreError) {
        var batches: [DeliveryID: OutcomeBatch] = [:]
        let now = service.clock.wall()
        for job in jobs {
            guard case .outcomes(let batch, let decided) = job.work else { break }
            completions.append(job.recorded)
            count += 1
            guard var batch else { continue }
            batch.follow(clock: now.time, decided: decided)
            batches[batch.delivery, default: OutcomeBatch(delivery: batch.delivery)].append(batch)
        }
        guard !batches.isEmpty else { return }
        for batch in batches.values { accounts.formUnion(batch.answers.lazy.map(\.account)) }
        recorded = try service.store.outcomes.record(
            Array(batches.values), at: now, continuing: answering.contains, judge: service.judge)
    }
}
