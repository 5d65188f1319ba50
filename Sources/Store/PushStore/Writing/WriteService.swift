internal import Dispatch
package import PushModel
internal import PushSystem
internal import Synchronization

/// The only way in which a process writes to the store. All callers in the process submit units and receive
/// completions.
///
/// **Promises.** A unit's completion is called once, either after the unit's commit or when it is certain
/// that there will be no commit. If the service ends before the result can be determined, the completion
/// receives ``Failure/unknown``. The completion is never called on the writer's thread. A unit may run twice,
/// so it must touch only the database. Units share commits; ``WriteQueue`` decides which ones, and in what
/// order. A unit that cannot be written affects only its own delivery, which is put on hold until an operator
/// has examined it (``DeliveryRepair``).
/// **Failures.** ``Failure``. An error of the store that does not concern a single unit is an ``Event``, and
/// writing is retried each second.
package final class WriteService: Sendable {
    package enum Failure: Error, Equatable {
        /// A mistake of the caller.
        case refused(StoreError)
        /// The unit cannot be written, now or later. This is also reported as an event.
        case setAside(StoreError)
        /// Too many units of this class are waiting, or the oldest has waited too long. Nothing was done.
        case full
        /// The service ended before it ran the unit.
        case ended
        /// The store did not report whether the unit was committed before the service ended. The unit must
        /// not be written again.
        case unknown

        /// Whether the unit may be unwritten and this service will not write it.
        var isUnfinished: Bool { self == .ended || self == .unknown }
    }

    package enum Event: Sendable {
        /// Everything waits. Writing is retried each second.
        case failure(String)
        case recovered
        /// This delivery is on hold from now on, because one of its units could not be written.
        case damaged(DeliveryID, why: String)
        /// A unit that belongs to no delivery could not be written.
        case setAside(why: String)
        /// Outcomes were recorded. Contains the deliveries that these outcomes ended, and the accounts that
        /// were judged.
        case recorded(RecordResult)
    }

    enum Order: Sendable {
        case job(WriteJob)
        case ping(@Sendable () -> Void)
        /// Begin no work that the next run can do, and do not wait longer than this for a store in trouble.
        case hurry(until: MonotonicTime)
        case end
    }

    private struct Inbox {
        var orders: [Order] = []
        var hasEnded = false
    }

    private let inbox = Mutex(Inbox())
    private let wake = DispatchSemaphore(value: 0)
    /// Completions and events, in order.
    private let completions = CompletionQueue()
    private let noted = Mutex(WriteFigures())
    let store: Store
    let engine: any WriteEngine
    let judge: @Sendable (AccountTrust) -> TrustJudgement
    let clock: WriteClock
    let batching: WriteQueue.BatchingPolicy
    private let events: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - engine: `nil` for the store's own, under the name `master`.
    ///   - capacity: The maximum number of a child's messages whose outcomes are not yet committed; `nil` if
    ///     there are no children.
    ///   - judge: Decides whether the verdicts about tokens in answers are believed. Called within the
    ///     transaction that records them.
    ///   - events: Called in the order of completions.
    package init(
        store: Store, engine: (any WriteEngine)? = nil, capacity: Int? = nil,
        judge: @escaping @Sendable (AccountTrust) -> TrustJudgement,
        clock: WriteClock, events: @escaping @Sendable (Event) -> Void
    ) {
        self.store = store
        self.engine = engine ?? store.writeEngine(name: "master")
        batching = capacity.map { store.batching.within(capacity: $0) } ?? store.batching
        self.judge = judge
        self.clock = clock
        self.events = events
    }

    /// Writes until ``end()``, on the caller's thread, which becomes the writer's thread.
    package func run() {
        var loop = WriteLoop(self)
        loop.run()
        completions.close()
    }

    /// Calls completions and events on the caller's thread, which must not be the writer's, until ``run()``
    /// has ended and all completions and events have been called.
    package func callBack() { completions.run() }

    // MARK: Units

    /// Records outcomes, with one unit for each delivery.
    /// - Parameters:
    ///   - decided: The time from which due times were calculated.
    ///   - completion: Called when all units have ended. Receives ``Failure/ended`` or ``Failure/unknown`` if
    ///     one of the units was not written or may not have been written. Units that were set aside are
    ///     reported as events.
    package func record(
        _ batches: [OutcomeBatch], decided: WallTime, completion: @escaping @Sendable (Failure?) -> Void
    ) {
        let parts = batches.flatMap(\.inRecordableParts)
        guard parts.count > 1 else {
            return send(
                .job(
                    WriteJob(outcomes: parts.first, decided: decided) {
                        completion($0.flatMap { $0.isUnfinished ? $0 : nil })
                    }))
        }
        let countdown = Countdown(parts.count, completion: completion)
        for part in parts { send(.job(WriteJob(outcomes: part, decided: decided, end: countdown.one))) }
    }

    /// - Parameters:
    ///   - rows: The maximum number of rows that the unit changes.
    ///   - body: Reads and writes through the store's readers and writers, whose errors it must rethrow.
    @_semantics("optimize.sil.specialize.generic.never")
    package func submit<Value: Sendable>(
        _ kind: WriteClass, rows: Int, _ body: @escaping @Sendable (Store) throws(StoreError) -> Value,
        completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        send(
            .job(
                WriteJob(
                    kind: kind, rows: rows,
                    run: { store throws(StoreError) in
                        let value = try body(store)
                        return { completion(.success(value)) }
                    }, fail: { completion(.failure($0)) })))
    }

    /// Runs a unit and waits for it, for threads that may block.
    @_semantics("optimize.sil.specialize.generic.never")
    package func perform<Value: Sendable>(
        _ kind: WriteClass, rows: Int, _ body: @escaping @Sendable (Store) throws(StoreError) -> Value
    ) throws(Failure) -> Value {
        let answer = Answer<Value>()
        submit(kind, rows: rows, body, completion: answer.give)
        return try answer.wait().get()
    }

    /// Runs a unit for tasks, which must not block their thread.
    @_semantics("optimize.sil.specialize.generic.never")
    package func perform<Value: Sendable>(
        _ kind: WriteClass, rows: Int, _ body: @escaping @Sendable (Store) throws(StoreError) -> Value
    ) async throws(Failure) -> Value {
        typealias Continuation = CheckedContinuation<Result<Value, Failure>, Never>
        let result = await withCheckedContinuation { (continuation: Continuation) in
            submit(kind, rows: rows, body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    // MARK: Orders

    /// - Parameter completion: Called when all outcomes that were submitted before are recorded.
    package func afterOutcomes(_ completion: @escaping @Sendable () -> Void) {
        send(.job(WriteJob(turn: { if $0 == nil { completion() } })))
    }

    /// Calls back from the writer's thread when the thread next processes orders, which shows that it is not
    /// stuck in a call. The callback must not block.
    package func ping(_ answer: @escaping @Sendable () -> Void) { send(.ping(answer)) }

    /// Drops preparation and bulk work, which the next run resumes. Everything else is still written. While
    /// the store is in trouble, it is written only until the deadline.
    package func hurry(until deadline: MonotonicTime) { send(.hurry(until: deadline)) }

    /// Ends ``run()`` when everything is written, or when the deadline of ``hurry(until:)`` has passed.
    package func end() { send(.end) }

    func send(_ order: Order) {
        let (hasEnded, wasEmpty) = inbox.withLock { inbox in
            guard !inbox.hasEnded else { return (true, false) }
            inbox.orders.append(order)
            return (false, inbox.orders.count == 1)
        }
        // Called on the caller's thread, because the threads that make callbacks have also ended.
        if hasEnded, case .job(let job) = order { job.fail(.ended) }
        if wasEmpty { wake.signal() }
    }

    // MARK: Figures

    /// The latest figures from the writer's thread, including orders that it has not seen yet. Does not wait.
    package var figures: WriteFigures {
        var figures = noted.withLock(\.self)
        for case .job(let job) in inbox.withLock(\.orders) {
            if figures.classes.indices.contains(job.kind.rawValue) {
                figures.classes[job.kind.rawValue].waiting += 1
            }
        }
        return figures
    }

    /// Called only by the writer's thread.
    func note(_ change: (inout WriteFigures) -> Void) {
        var figures = noted.withLock(\.self)
        change(&figures)
        noted.withLock { [figures] in $0 = figures }
    }

    // MARK: For the writer's thread

    func takeOrders() -> [Order] {
        inbox.withLock { inbox in
            defer { inbox.orders = [] }
            return inbox.orders
        }
    }

    /// Sleeps until there are orders, or until the time `moment`.
    func wait(until moment: MonotonicTime?) {
        guard let moment else { return wake.wait() }
        let nanoseconds = moment.nanoseconds - Clocks.monotonic().nanoseconds
        if nanoseconds > 0 { _ = wake.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) }
    }

    /// - Returns: The orders that arrived at the last moment.
    func close() -> [Order] {
        inbox.withLock { inbox in
            inbox.hasEnded = true
            defer { inbox.orders = [] }
            return inbox.orders
        }
    }

    func complete(_ bodies: [@Sendable () -> Void]) {
        completions.add(bodies)
    }

    func emit(_ event: Event) {
        let events = events
        completions.add([{ events(event) }])
    }
}

/// The result for which a blocked thread waits.
private final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, WriteService.Failure>?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    @Sendable func give(_ result: Result<Value, WriteService.Failure>) {
        value.withLock { $0 = result }
        semaphore.signal()
    }

    func wait() -> Result<Value, WriteService.Failure> {
        semaphore.wait()
        return value.withLock { $0 } ?? .failure(.ended)
    }
}

/// Calls its completion when the last of several units has ended.
private final class Countdown: Sendable {
    private let left: Mutex<(count: Int, failure: WriteService.Failure?)>
    private let completion: @Sendable (WriteService.Failure?) -> Void

    init(_ count: Int, completion: @escaping @Sendable (WriteService.Failure?) -> Void) {
        left = Mutex((count, nil))
        self.completion = completion
    }

    @Sendable func one(_ failure: WriteService.Failure?) {
        let (count, unfinished) = left.withLock { left in
            left.count -= 1
            if let failure, failure.isUnfinished { left.failure = failure }
            return left
        }
        if count == 0 { completion(unfinished) }
    }
}
