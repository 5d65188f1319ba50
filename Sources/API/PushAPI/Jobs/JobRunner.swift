internal import Dispatch
internal import Glibc
internal import PushModel
internal import PushStore
internal import PushWire
internal import Synchronization

/// Performs the jobs that callers of the API have submitted to this process.
///
/// **Promises.** A job is in the store before the caller receives its id. Jobs for the same operation run one
/// after the other, in the order in which they arrived; jobs for different operations run at the same time.
/// If the process that runs a job dies and the job can be repeated, another process that uses the store takes
/// over the job; if the job cannot be repeated, it has failed.
package final class JobRunner: Sendable {
    static let path = "/jobs"
    /// The maximum number of jobs that a process has at a time.
    private static let maxJobs = 1_000
    /// The interval at which a job's progress is written.
    fileprivate static let writingInterval = Duration.seconds(1)
    /// The interval at which the jobs of this process are marked as alive.
    private static let touchInterval = Duration.seconds(10)
    /// The duration of silence after which a job's process counts as dead.
    private static let silenceMilliseconds: Int64 = 60_000
    /// The maximum number of attempts, one per second, to write the end of a job while the store cannot be
    /// written.
    private static let endAttempts = 600

    private struct State {
        /// The jobs of this process, each with a flag that states whether the job is to be cancelled.
        var own: [Int64: Bool] = [:]
        var lanes: [String: DispatchQueue] = [:]
        var touched = ContinuousClock.now - .seconds(3_600)
    }
    private let state = Mutex(State())
    private let upkeep = DispatchQueue(label: "jobs")

    package init() {}

    static func absence(_ id: Int64) -> OperationError {
        .absent("there is no job \(id); jobs are kept for \(JobWriter.keptDays) days after their end")
    }

    /// Accepts a job. The job's audit line is written together with its row.
    package func start<Use: Job>(_ job: Use, in operations: Operations) throws -> JobView {
        try job.check(in: operations)
        let id = try begin(job, request: job.json?.text, in: operations)
        run(job, id, operations)
        guard let row = try operations.store.jobs.find(id) else { throw Self.absence(id) }
        return JobView(row)
    }

    /// - Parameter request: The request, in JSON; `nil` if the job cannot be repeated.
    func begin<Use: UseCase & Audited>(
        _ job: Use, request: String?, in operations: Operations
    ) throws -> Int64 {
        guard state.withLock({ $0.own.count < Self.maxJobs }) else {
            throw OperationError(
                .unavailable,
                "\(Self.maxJobs) jobs are already waiting or running; try again after some of them have ended"
            )
        }
        let id = try operations.noting(job).store.jobWriter.begin(
            Use.name, request: request, caller: operations.caller,
            service: try operations.service(addressedBy: job), at: operations.clock.moment())
        state.withLock { $0.own[id] = false }
        return id
    }

    /// Performs a job whose input is part of its request.
    /// - Parameter total: The size of the input, in bytes; `nil` if it is unknown.
    /// - Returns: The job after its end.
    package func perform<Use: Upload>(
        _ upload: Use, type: String, total: Int?, in operations: Operations,
        read: @escaping (_ limit: Int) async throws -> [UInt8]
    ) async throws -> JobView {
        try upload.check(in: operations)
        let id = try begin(upload, request: nil, in: operations)
        do { try await run(upload, id, type: type, total: total, operations, read: read) } catch {
            throw OperationError(error).adding("for the completed steps, see \(see: ShowJob(id))")
        }
        guard let row = try operations.store.jobs.find(id) else { throw Self.absence(id) }
        return JobView(row)
    }

    /// Accepts a job whose whole input is in memory, and performs it without waiting for it.
    package func start<Use: Upload>(
        _ upload: Use, type: String, body: [UInt8], in operations: Operations
    ) throws -> JobView {
        try upload.check(in: operations)
        let id = try begin(upload, request: nil, in: operations)
        Task { [self] in
            var rest = body[...]
            // The job's row states the error.
            try? await run(upload, id, type: type, total: body.count, operations) { limit in
                let piece = rest.prefix(limit)
                rest = rest.dropFirst(limit)
                return Array(piece)
            }
        }
        guard let row = try operations.store.jobs.find(id) else { throw Self.absence(id) }
        return JobView(row)
    }

    private func run<Use: Upload>(
        _ upload: Use, _ id: Int64, type: String, total: Int?, _ operations: Operations,
        read: @escaping (_ limit: Int) async throws -> [UInt8]
    ) async throws {
        let run = JobRun<Use.Answer>(id, runner: self, operations)
        var bytes = 0
        let watch = Watch<Use.Answer>(
            report: { run.report(JobProgress($0, done: bytes, of: total)) },
            isCancelled: run.watch.isCancelled)
        do {
            let answer = try await upload.perform(in: operations, type: type, watchedBy: watch) { limit in
                let piece = try await read(limit)
                bytes += piece.count
                return piece
            }
            run.end(.success(answer))
        } catch {
            run.end(.failure(error))
            throw error
        }
    }

    func cancel(_ id: Int64) {
        state.withLock { state in if state.own[id] != nil { state.own[id] = true } }
    }

    func isCancelled(_ id: Int64) -> Bool { state.withLock { $0.own[id] ?? false } }

    private func run<Use: Job>(_ job: Use, _ id: Int64, _ operations: Operations) {
        let lane = state.withLock { state in
            state.own[id] = state.own[id] ?? false
            let lane = state.lanes[Use.name] ?? DispatchQueue(label: Use.name)
            state.lanes[Use.name] = lane
            return lane
        }
        lane.async { [self] in
            let run = JobRun<Use.Answer>(id, runner: self, operations)
            run.end(
                Result {
                    try run.watch.proceed()
                    return try job.perform(in: operations, watchedBy: run.watch)
                })
        }
    }

    // MARK: Upkeep

    /// Marks the jobs of this process as alive, and takes over jobs of processes that have died. The caller
    /// must call this about every second. Does not wait.
    package func maintain(_ operations: @escaping @Sendable () -> Operations) {
        let isDue = state.withLock { state in
            guard ContinuousClock.now - state.touched >= Self.touchInterval else { return false }
            state.touched = .now
            return true
        }
        guard isDue else { return }
        upkeep.async { [self] in
            let operations = operations()
            guard operations.engine.refusal == nil else { return }
            // The next call tries again.
            try? touch(operations)
            try? adopt(operations)
        }
    }

    private func touch(_ operations: Operations) throws {
        let own = state.withLock { $0.own.keys.sorted() }
        if own.isEmpty { return }
        for id in try operations.store.jobWriter.touch(own, at: operations.clock.moment()) { cancel(id) }
    }

    private func adopt(_ operations: Operations) throws {
        let now = operations.clock.moment()
        let silent = WallMoment(
            millisecondsSince1970: now.millisecondsSince1970 - Self.silenceMilliseconds)
        for job in try operations.store.jobs.silent(since: silent, limit: 100) {
            guard state.withLock({ $0.own[job.id] == nil }),
                try operations.store.jobWriter.adopt(job, at: now)
            else { continue }
            let operations = operations.with(caller: job.caller)
            guard !job.isCancelled,
                let request = job.request.flatMap({ try? JSONParser.parse(Array($0.utf8)) }),
                let type = UseCases.jobs.first(where: { ($0 as? any Job.Type)?.name == job.operation })
                    as? any Job.Type,
                resume(type, request, job.id, operations)
            else {
                try operations.store.jobWriter.end(
                    job.id, as: job.isCancelled ? .cancelled : .failed, progress: nil, result: nil,
                    errors:
                        """
                        the process that ran the job ended before the job was complete; completed steps \
                        are not undone
                        """,
                    at: now)
                continue
            }
        }
    }

    private func resume<Use: Job>(
        _ type: Use.Type, _ request: JSONValue, _ id: Int64, _ operations: Operations
    ) -> Bool {
        var faults = Faults()
        guard let job = Use.read(request, at: "", &faults) else { return false }
        run(job, id, operations)
        return true
    }

    // MARK: Rows

    fileprivate func update(
        _ id: Int64, _ progress: String, _ result: String?, _ operations: Operations
    ) {
        // A store that cannot be written now may be writable a second later.
        let isCancelled = try? operations.store.jobWriter.update(
            id, progress: progress, result: result, at: operations.clock.moment())
        if isCancelled == true { cancel(id) }
    }

    fileprivate func end(
        _ id: Int64, as state: JobState, progress: String?, result: String?, _ error: OperationError?,
        _ operations: Operations
    ) {
        defer { self.state.withLock { $0.own[id] = nil } }
        for _ in 0..<Self.endAttempts {
            do {
                return try operations.store.jobWriter.end(
                    id, as: state, progress: progress, result: result,
                    errors: error?.lines.joined(separator: "\n"), at: operations.clock.moment())
            } catch {
                // If the store remains unavailable, another process takes over the job.
                usleep(1_000_000)
            }
        }
    }
}

/// A running job.
final class JobRun<Answer: Described & Codable>: Sendable {
    private struct Last {
        var progress: JobProgress<Answer>?
        var written = ContinuousClock.now
    }
    private let id: Int64
    private let runner: JobRunner
    private let operations: Operations
    private let started: WallMoment
    private let last = Mutex(Last())

    init(_ id: Int64, runner: JobRunner, _ operations: Operations) {
        (self.id, self.runner, self.operations) = (id, runner, operations)
        started = operations.clock.moment()
    }

    var watch: Watch<JobProgress<Answer>> {
        Watch(report: { self.report($0) }, isCancelled: { self.runner.isCancelled(self.id) })
    }

    func report(_ progress: JobProgress<Answer>) {
        let isDue = last.withLock { last in
            last.progress = progress
            guard ContinuousClock.now - last.written >= JobRunner.writingInterval else { return false }
            last.written = .now
            return true
        }
        if isDue { runner.update(id, text(of: progress), progress.result.json?.text, operations) }
    }

    func end(_ result: Result<Answer, any Error>) {
        let last = last.withLock(\.progress)
        let progress = last.map { text(of: $0) }
        switch result {
        case .success(let answer):
            runner.end(id, as: .done, progress: progress, result: answer.json?.text, nil, operations)
        case .failure(let error):
            let error = OperationError(error)
            runner.end(
                id, as: error.kind == .cancelled ? .cancelled : .failed, progress: progress,
                result: last?.result.json?.text, error, operations)
        }
    }

    private func text(of progress: JobProgress<Answer>) -> String {
        StoredProgress(
            done: progress.done, total: progress.total, startedMilliseconds: started.millisecondsSince1970
        ).text
    }
}
