internal import Dispatch
internal import Synchronization

/// Erases one person at a time, on a thread of its own.
///
/// **Promises.** A request is answered within the patience, however long the erasure takes: with the result, or with the
/// progress so far while the erasure continues. The same request again gets the progress, and at last the result, which
/// is kept for a minute, or until a request has received it or another person is to be erased. No request is answered
/// with a success if the person has devices that were registered before it: a kept result does not count then, and an
/// erasure that another request joined searches again.
package final class ErasureRunner: Sendable {
    package enum Answer: Sendable {
        case done(ErasedSubscribers)
        case running(ErasedSubscribers)
    }
    package typealias Then = @Sendable (Result<Answer, any Error>) -> Void

    private struct Run {
        let who: SubscriberName
        var progress = ErasedSubscribers()
        var result: Result<ErasedSubscribers, any Error>?
        /// When the result came.
        var ended: ContinuousClock.Instant?
        var waiting: [UInt64: Then] = [:]
    }
    private struct State {
        var run: Run?
        var lastRequest: UInt64 = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "erasure")
    private let timer = DispatchQueue(label: "erasure requests")
    private let patienceSeconds: Double
    private let keptTime: Duration

    /// - Parameters:
    ///   - patienceSeconds: below the time-outs that HTTP clients and proxies usually have.
    ///   - keptTime: how long a result waits for a client that repeats its request.
    package init(patienceSeconds: Double = 5, keptTime: Duration = .seconds(60)) {
        self.patienceSeconds = patienceSeconds
        self.keptTime = keptTime
    }

    /// Whether an erasure is under way.
    package var isRunning: Bool { state.withLock { $0.run != nil && $0.run?.result == nil } }

    /// May wait for the store.
    /// - Parameter then: called once.
    package func erase(_ who: SubscriberName, in operations: Operations, then: @escaping Then) {
        dropOldResult(of: who, in: operations)
        let (request, isNew) = state.withLock { state -> (UInt64?, Bool) in
            let isMine = state.run?.who == who
            // A result that nobody came for makes room for another person.
            guard isMine || state.run == nil || state.run?.result != nil else { return (nil, false) }
            if !isMine { state.run = Run(who: who) }
            state.lastRequest += 1
            state.run?.waiting[state.lastRequest] = then
            return (state.lastRequest, !isMine)
        }
        guard let request else {
            let busy = "another person is being erased; try again when that is done"
            return then(.failure(OperationError(.unavailable, busy)))
        }
        if isNew { queue.async { self.run(who, operations) } }
        answerIfDone()
        timer.asyncAfter(deadline: .now() + patienceSeconds) { self.answer(request) }
    }

    /// Forgets a kept result that is no answer to a request that comes now.
    private func dropOldResult(of who: SubscriberName, in operations: Operations) {
        let kept = state.withLock { $0.run?.who == who ? $0.run : nil }
        guard let ended = kept?.ended, let result = kept?.result else { return }
        let isOld = ContinuousClock.now - ended >= keptTime
        guard isOld || ((try? result.get()) != nil && Self.hasDevices(who, in: operations)) else { return }
        state.withLock { state in
            if state.run?.ended == ended { state.run = nil }
        }
    }

    /// Where that cannot be told, the erasure will report why.
    private static func hasDevices(_ who: SubscriberName, in operations: Operations) -> Bool {
        (try? !operations.carryOut(ShowSubscribers(who)).items.isEmpty) ?? true
    }

    private func run(_ who: SubscriberName, _ operations: Operations) {
        var sum = ErasedSubscribers()
        var searches = true
        while true {
            let seen = state.withLock(\.lastRequest)
            let result: Result<ErasedSubscribers, any Error> =
                searches ? Result { try erased(who, operations, after: &sum) } : .success(sum)
            let isOver = state.withLock { state in
                if case .success = result, state.lastRequest != seen { return false }
                state.run?.result = result
                state.run?.ended = .now
                return true
            }
            if isOver { return answerIfDone() }
            // Other requests have joined. What was registered before them, the search may have passed already.
            searches = Self.hasDevices(who, in: operations)
        }
    }

    /// - Parameter sum: what earlier searches have erased.
    private func erased(
        _ who: SubscriberName, _ operations: Operations, after sum: inout ErasedSubscribers
    ) throws -> ErasedSubscribers {
        let before = sum
        let watch = Watch<ErasedSubscribers>(report: { done in
            self.state.withLock { $0.run?.progress = before.adding(done) }
        })
        do {
            sum = before.adding(try operations.carryOut(EraseSubscribers(who), watchedBy: watch))
        } catch {
            guard error.kind == .noMatch, before != ErasedSubscribers() else { throw error }
        }
        return sum
    }

    /// All requests that wait for the result.
    private func answerIfDone() {
        let answers = state.withLock { state -> [@Sendable () -> Void] in
            guard let run = state.run, let result = run.result, !run.waiting.isEmpty else { return [] }
            state.run = nil
            return run.waiting.values.map { then in { then(result.map(Answer.done)) } }
        }
        for answer in answers { answer() }
    }

    /// The patience of this request has ended.
    private func answer(_ request: UInt64) {
        let (then, progress) = state.withLock { state in
            (state.run?.waiting.removeValue(forKey: request), state.run?.progress ?? ErasedSubscribers())
        }
        then?(.success(.running(progress)))
    }
}

extension ErasedSubscribers {
    fileprivate func adding(_ more: Self) -> Self {
        var sum = self
        sum.removed += more.removed
        sum.remembered += more.remembered
        sum.listed += more.listed
        sum.unreadableParts = max(sum.unreadableParts, more.unreadableParts)
        return sum
    }
}
