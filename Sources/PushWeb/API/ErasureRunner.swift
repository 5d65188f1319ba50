internal import Dispatch
package import PushOperations
internal import Synchronization

/// Erases one person at a time, on a thread of its own.
///
/// **Promises.** A request is answered within the patience, however long the erasure takes: with the result, or with the
/// progress so far while the erasure continues. The same request again gets the progress, and at last the result, which
/// is kept until a request has received it or another person is to be erased.
package final class ErasureRunner: Sendable {
    package enum Answer: Sendable {
        case done(ErasedSubscribers)
        case running(ErasedSubscribers)
    }
    /// - Parameter isNew: whether this request began the erasure.
    package typealias Then = @Sendable (_ answer: Result<Answer, any Error>, _ isNew: Bool) -> Void

    private struct Run {
        let who: SubscriberName
        var progress = ErasedSubscribers()
        var result: Result<ErasedSubscribers, any Error>?
        var waiting: [UInt64: @Sendable (Result<Answer, any Error>) -> Void] = [:]
    }
    private struct State {
        var run: Run?
        var lastRequest: UInt64 = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "erasure")
    private let timer = DispatchQueue(label: "erasure requests")
    private let patienceSeconds: Double

    /// - Parameter patienceSeconds: below the time-outs that HTTP clients and proxies usually have.
    package init(patienceSeconds: Double = 5) { self.patienceSeconds = patienceSeconds }

    /// - Parameter then: called once.
    package func erase(_ who: SubscriberName, in operations: Operations, then: @escaping Then) {
        let (request, isNew) = state.withLock { state -> (UInt64?, Bool) in
            let isMine = state.run?.who == who
            // A result that nobody came for makes room for another person.
            guard isMine || state.run == nil || state.run?.result != nil else { return (nil, false) }
            if !isMine { state.run = Run(who: who) }
            state.lastRequest += 1
            state.run?.waiting[state.lastRequest] = { then($0, !isMine) }
            return (state.lastRequest, !isMine)
        }
        guard let request else {
            let busy = "another person is being erased; try again when that is done"
            return then(.failure(OperationError(.unavailable, busy)), false)
        }
        if isNew { queue.async { self.run(who, operations) } }
        answerIfDone()
        timer.asyncAfter(deadline: .now() + patienceSeconds) { self.answer(request) }
    }

    private func run(_ who: SubscriberName, _ operations: Operations) {
        let watch = Watch<ErasedSubscribers>(report: { done in
            self.state.withLock { $0.run?.progress = done }
        })
        let result = Result<ErasedSubscribers, any Error> {
            try operations.carryOut(EraseSubscribers(who), watchedBy: watch)
        }
        state.withLock { $0.run?.result = result }
        answerIfDone()
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
