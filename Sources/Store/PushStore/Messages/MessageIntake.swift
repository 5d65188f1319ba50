internal import Dispatch
package import PushModel
internal import Synchronization

/// Takes messages from many callers and accepts them together: what arrives while a commit goes on is one unit
/// of the ``WriteService`` at the next.
///
/// **Promises.** A message's result is told once, after the commit, on the thread of the service's completions.
/// Whoever sends is told of the parts before the callers are (`told`), in the order of commits.
/// **Failures.** ``MessageRefusal``, for each message by itself: where a unit cannot be written, its messages are
/// tried one by one. More than ``mostWaiting`` are refused at once.
package final class MessageIntake: Sendable {
    /// Messages that may wait for a commit.
    package static let mostWaiting = 10_000
    /// What a unit may change, as its service reckons.
    private static let rowsPerUnit = 1_500

    private struct Entry: Sendable {
        let message: NewMessage
        let caller: Caller
        /// Its place among those of its caller.
        let place: Int
        /// Whether it is tried by itself, after its unit could not be written.
        var isAlone = false

        var alone: Entry {
            var entry = self
            entry.isAlone = true
            return entry
        }
    }

    private struct State {
        var waiting: [Entry] = []
        /// Whether a unit is ordered that has not taken its messages.
        var isOrdered = false
        var memory = MessageMemory()
    }

    private let state = Mutex(State())
    private let service: WriteService
    private let clock: @Sendable () -> WallMoment
    private let told: @Sendable (_ parts: [AcceptedPart], _ mendedNumbers: String?) -> Void
    private let mostWaiting: Int

    /// - Parameter told: called after each commit with what is to be sent; must not block.
    package init(
        service: WriteService, clock: @escaping @Sendable () -> WallMoment,
        mostWaiting: Int = MessageIntake.mostWaiting,
        told: @escaping @Sendable (_ parts: [AcceptedPart], _ mendedNumbers: String?) -> Void
    ) {
        self.service = service
        self.clock = clock
        self.mostWaiting = mostWaiting
        self.told = told
    }

    /// - Parameter completion: called once, with a result for each.
    package func submit(
        _ messages: [NewMessage], completion: @escaping @Sendable ([MessageResult]) -> Void
    ) {
        guard !messages.isEmpty else { return completion([]) }
        let caller = Caller(messages.count, completion)
        let entries = messages.enumerated().map { Entry(message: $1, caller: caller, place: $0) }
        let (isTaken, isFirst) = state.withLock { state in
            guard state.waiting.count + entries.count <= mostWaiting else { return (false, false) }
            state.waiting += entries
            defer { state.isOrdered = true }
            return (true, !state.isOrdered)
        }
        guard isTaken else { return completion(messages.map { _ in .failure(.busy) }) }
        if isFirst { order() }
    }

    /// For threads that may wait.
    package func accept(_ messages: [NewMessage]) -> [MessageResult] {
        let answer = Answer()
        submit(messages, completion: answer.give)
        return answer.wait()
    }

    /// For tasks, which must not block their thread.
    package func accept(_ messages: [NewMessage]) async -> [MessageResult] {
        await withCheckedContinuation { continuation in
            submit(messages) { continuation.resume(returning: $0) }
        }
    }

    // MARK: Units

    private func order(_ entries: [Entry]? = nil) {
        let unit = Unit(entries)
        service.submit(.control, rows: Self.rowsPerUnit) { store throws(StoreError) in
            let entries = unit.fix { self.take() }
            let memory = self.state.withLock(\.memory)
            return try store.messages.accept(
                entries.map(\.message), knowing: memory, at: self.clock())
        } completion: { result in
            self.ended(unit.fix { self.take() }, result)
        }
    }

    /// What one unit takes; where more waits, another one is ordered.
    private func take() -> [Entry] {
        let (taken, hasMore) = state.withLock { state in
            let taken = Array(state.waiting.prefix(MessageWriter.mostAtOnce))
            state.waiting.removeFirst(taken.count)
            state.isOrdered = !state.waiting.isEmpty
            return (taken, state.isOrdered)
        }
        if hasMore { order() }
        return taken
    }

    private func ended(_ entries: [Entry], _ result: Result<MessageBatch, WriteService.Failure>) {
        switch result {
        case .success(let batch):
            state.withLock { $0.memory.learn(batch.learned) }
            if !batch.parts.isEmpty || batch.mendedNumbers != nil { told(batch.parts, batch.mendedNumbers) }
            var left: [Entry] = []
            for (entry, result) in zip(entries, batch.results) {
                if let result { entry.caller.give(result, at: entry.place) } else { left.append(entry) }
            }
            if !left.isEmpty { order(left) }
        case .failure(let failure):
            let isOfOne =
                switch failure {
                case .setAside: true
                case .refused(let error): !error.isOfStore
                case .full, .ended, .unknown: false
                }
            // Perhaps it is the fault of one of them, or of a delivery that is held by now.
            if isOfOne, entries.count > 1 || entries.first?.isAlone == false {
                for entry in entries { order([entry.alone]) }
            } else {
                for entry in entries { entry.caller.give(.failure(MessageRefusal(failure)), at: entry.place) }
            }
        }
    }

    /// A unit may run twice, with the same messages.
    private final class Unit: Sendable {
        private let entries: Mutex<[Entry]?>
        init(_ entries: [Entry]?) { self.entries = Mutex(entries) }

        func fix(_ take: () -> [Entry]) -> [Entry] {
            if let fixed = entries.withLock(\.self) { return fixed }
            let taken = take()
            entries.withLock { $0 = taken }
            return taken
        }
    }

    /// Whoever waits for some results.
    private final class Caller: Sendable {
        private struct Waiting {
            var results: [MessageResult?]
            var left: Int
        }
        private let waiting: Mutex<Waiting>
        private let completion: @Sendable ([MessageResult]) -> Void

        init(_ count: Int, _ completion: @escaping @Sendable ([MessageResult]) -> Void) {
            waiting = Mutex(Waiting(results: Array(repeating: nil, count: count), left: count))
            self.completion = completion
        }

        func give(_ result: MessageResult, at place: Int) {
            let all = waiting.withLock { waiting -> [MessageResult]? in
                guard waiting.results[place] == nil else { return nil }
                waiting.results[place] = result
                waiting.left -= 1
                return waiting.left == 0 ? waiting.results.compactMap(\.self) : nil
            }
            if let all { completion(all) }
        }
    }

    private final class Answer: Sendable {
        private let results = Mutex<[MessageResult]>([])
        private let done = DispatchSemaphore(value: 0)

        @Sendable func give(_ results: [MessageResult]) {
            self.results.withLock { $0 = results }
            done.signal()
        }

        func wait() -> [MessageResult] {
            done.wait()
            return results.withLock(\.self)
        }
    }
}

extension MessageRefusal {
    init(_ failure: WriteService.Failure) {
        switch failure {
        case .refused(let error), .setAside(let error): self = .failed(error)
        case .full: self = .busy
        case .ended: self = .ended
        case .unknown: self = .unknown
        }
    }
}
