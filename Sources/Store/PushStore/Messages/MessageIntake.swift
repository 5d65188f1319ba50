internal import Dispatch
package import PushModel
internal import Synchronization

/// Accepts messages from many callers together. Messages that arrive during a commit form one unit of the
/// ``WriteService`` for the next commit.
///
/// **Promises.** A message's result is reported once, after the commit, on the thread that runs the service's
/// completions. Before the callers receive results, `told` notifies the component that sends of the parts, in
/// the order of commits.
/// **Failures.** ``MessageRefusal``, for each message separately: if a unit cannot be written, its messages
/// are tried one by one. A submission that would exceed ``maxWaiting`` is refused immediately.
package final class MessageIntake: Sendable {
    /// The maximum number of messages that may wait for a commit.
    package static let maxWaiting = 10_000
    /// The estimated number of rows that a unit changes, as reported to the write service.
    private static let rowsPerUnit = 1_500

    private struct Entry: Sendable {
        let message: NewMessage
        let caller: Caller
        /// The position among the messages of the caller.
        let place: Int
        /// Whether the message is tried alone, because the unit that contained it could not be written.
        var isAlone = false

        var alone: Entry {
            var entry = self
            entry.isAlone = true
            return entry
        }
    }

    private struct State {
        var waiting: [Entry] = []
        /// Whether a unit has been ordered that has not yet taken its messages.
        var isOrdered = false
        var memory = MessageMemory()
    }

    private let state = Mutex(State())
    private let service: WriteService
    private let clock: @Sendable () -> WallMoment
    private let told: @Sendable (_ parts: [AcceptedPart], _ repairedNumbers: String?) -> Void
    private let maxWaiting: Int

    /// - Parameter told: Called after each commit with the parts to send; must not block.
    package init(
        service: WriteService, clock: @escaping @Sendable () -> WallMoment,
        maxWaiting: Int = MessageIntake.maxWaiting,
        told: @escaping @Sendable (_ parts: [AcceptedPart], _ repairedNumbers: String?) -> Void
    ) {
        self.service = service
        self.clock = clock
        self.maxWaiting = maxWaiting
        self.told = told
    }

    /// - Parameter completion: Called once, with one result for each message.
    package func submit(
        _ messages: [NewMessage], completion: @escaping @Sendable ([MessageResult]) -> Void
    ) {
        guard !messages.isEmpty else { return completion([]) }
        let caller = Caller(messages.count, completion)
        let entries = messages.enumerated().map { Entry(message: $1, caller: caller, place: $0) }
        let (isTaken, isFirst) = state.withLock { state in
            guard state.waiting.count + entries.count <= maxWaiting else { return (false, false) }
            state.waiting += entries
            defer { state.isOrdered = true }
            return (true, !state.isOrdered)
        }
        guard isTaken else { return completion(messages.map { _ in .failure(.busy) }) }
        if isFirst { order() }
    }

    /// Accepts messages on a thread that may wait.
    package func accept(_ messages: [NewMessage]) -> [MessageResult] {
        let answer = Answer()
        submit(messages, completion: answer.give)
        return answer.wait()
    }

    /// Accepts messages in a task, which must not block its thread.
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

    /// Takes the messages of one unit. If more messages wait, orders another unit.
    private func take() -> [Entry] {
        let (taken, hasMore) = state.withLock { state in
            let taken = Array(state.waiting.prefix(MessageWriter.maxAtOnce))
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
            if !batch.parts.isEmpty || batch.repairedNumbers != nil {
                told(batch.parts, batch.repairedNumbers)
            }
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
            // The cause may be one of the messages, or a delivery that was put on hold in the meantime.
            if isOfOne, entries.count > 1 || entries.first?.isAlone == false {
                for entry in entries { order([entry.alone]) }
            } else {
                for entry in entries { entry.caller.give(.failure(MessageRefusal(failure)), at: entry.place) }
            }
        }
    }

    /// The messages of a unit. A unit may run twice, with the same messages.
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

    /// A caller that waits for some results.
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
