internal import PushModel
internal import PushSystem

/// The jobs of one transaction, and how many of them it has written.
struct WriteGroup {
    private let jobs: [WriteJob]
    private let began: MonotonicTime
    /// The number of jobs that were written, counted from the first.
    private(set) var count = 0
    /// The calls to make after the commit.
    private(set) var completions: [@Sendable () -> Void] = []
    private(set) var recorded: RecordResult?

    init(_ jobs: [WriteJob], began: MonotonicTime) {
        self.jobs = jobs
        self.began = began
    }

    var changesNothing: Bool {
        jobs.allSatisfy(\.changesNothing)
    }

    /// Completes the jobs without a transaction.
    mutating func skip() {
        completions = jobs.map { $0.recorded }
        count = jobs.count
    }

    /// Writes jobs within the transaction. Jobs that are left when the time limit is reached are written in
    /// another transaction.
    mutating func write(_ service: WriteService) throws(StoreError) {
        (count, completions, recorded) = (0, [], nil)
        try record(service)
        while count < jobs.count {
            switch jobs[count].work {
            case .body(let run):
                completions.append(try run(service.store))
                count += 1
            case .hit: try writeHits(service.store)
            case .registration: try writeRegistrations(service.store)
            // Outcomes were written before all other jobs.
            case .outcomes, .turn: count += 1
            }
            if Clocks.monotonic().milliseconds(since: began) >= WriteQueue.maximumGroupMilliseconds { return }
        }
    }

    /// The maximum number of jobs that are written together. Writing them takes a few milliseconds; then the
    /// elapsed time is checked again.
    private static let mostTogether = 250

    /// Writes this hit and those that follow it.
    private mutating func writeHits(_ store: Store) throws(StoreError) {
        var hits: [HitRecord] = []
        var told: [@Sendable (HitEnd) -> Void] = []
        for job in jobs[count...].prefix(Self.mostTogether) {
            guard case .hit(let hit, let tell) = job.work else { break }
            hits.append(hit)
            told.append(tell)
        }
        let ends = try store.hits.record(hits)
        for (end, tell) in zip(ends, told) { completions.append { tell(end) } }
        count += hits.count
    }

    private mutating func writeRegistrations(_ store: Store) throws(StoreError) {
        var registrations: [RegistrationRecord] = []
        var told: [@Sendable (RegistrationEnd) -> Void] = []
        for job in jobs[count...].prefix(Self.mostTogether) {
            guard case .registration(let registration, let tell) = job.work else { break }
            registrations.append(registration)
            told.append(tell)
        }
        let ends = try store.registrations.register(registrations)
        for (end, tell) in zip(ends, told) { completions.append { tell(end) } }
        count += registrations.count
    }

    /// Combines several jobs about one delivery into one batch. Answers arrive in nearly the order in which
    /// messages were sent, so one statement changes more neighbouring rows.
    private mutating func record(_ service: WriteService) throws(StoreError) {
        var batches: [DeliveryID: OutcomeBatch] = [:]
        let now = service.clock.wall()
        jobs: for job in jobs {
            switch job.work {
            case .outcomes(var batch?, let decided):
                batch.follow(clock: now.time, decided: decided)
                batches[batch.delivery, default: OutcomeBatch(delivery: batch.delivery)].append(batch)
            case .outcomes(nil, _), .turn: break
            case .hit, .registration, .body: break jobs
            }
            completions.append(job.recorded)
            count += 1
        }
        guard !batches.isEmpty else { return }
        recorded = try service.store.outcomes.record(
            Array(batches.values), at: now, settling: count == 1, judge: service.judge)
    }
}
