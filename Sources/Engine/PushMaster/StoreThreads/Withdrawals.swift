internal import Dispatch
internal import PushSystem
internal import Synchronization

package enum WithdrawalAnswer: Equatable, Sendable {
    /// The number of requests that have begun and have not been answered.
    case done(inFlight: Int)
    /// There is no loop, so nothing is sent.
    case nobodySends
    /// The loop did not answer, or it ended before it could answer.
    case unknown

    /// The maximum time for which a caller waits. It is longer than the time for which the loop waits for a
    /// child that does not carry out an order.
    static let patienceMilliseconds: Int64 = 45_000
}

/// Callers that wait until no further request for a delivery or a message can begin, after the delivery was
/// stopped or the message was cancelled in the store.
final class Withdrawals<Subject: Hashable & Sendable>: Sendable {
    typealias Answer = WithdrawalAnswer

    private struct State {
        /// Whether there is a loop that answers.
        var isLive = false
        /// Whether another host sends. This process cannot query that host.
        var isElsewhere = false
        var waiting: [Subject: [UInt64: @Sendable (Answer) -> Void]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let ask: @Sendable (Subject) -> Void
    private let state = Mutex(State())

    /// - Parameter ask: The function that sends the request to the loop.
    init(ask: @escaping @Sendable (Subject) -> Void) { self.ask = ask }

    // MARK: The master's side

    func noteStart() { state.withLock { ($0.isLive, $0.isElsewhere) = (true, false) } }
    /// Records that another host sends.
    func noteStandby() { state.withLock { $0.isElsewhere = true } }

    func tell(_ subject: Subject, inFlight: Int) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: subject) ?? [:] }
        for answer in waiting.values { answer(.done(inFlight: inFlight)) }
    }

    /// Records that the loop has ended, so that no caller waits for it.
    func noteEnd() {
        let waiting = state.withLock { state in
            defer { (state.isLive, state.waiting) = (false, [:]) }
            return state.waiting.values.flatMap(\.values)
        }
        for answer in waiting { answer(.unknown) }
    }

    // MARK: Callers

    /// Waits for the answer about all children, at most slightly longer than the loop itself waits for the
    /// children. Call this function only after the store has recorded that the delivery is stopped or the
    /// message is cancelled.
    func wait(
        for subject: Subject, atMostMilliseconds patience: Int64 = Answer.patienceMilliseconds
    ) -> Answer {
        let told = DispatchSemaphore(value: 0)
        let answer = Mutex<Answer>(.unknown)
        let number = state.withLock { state -> UInt64? in
            guard state.isLive else { return nil }
            state.lastNumber += 1
            state.waiting[subject, default: [:]][state.lastNumber] = { said in
                answer.withLock { $0 = said }
                told.signal()
            }
            return state.lastNumber
        }
        guard let number else { return state.withLock(\.isElsewhere) ? .unknown : .nobodySends }
        ask(subject)
        if told.wait(timeout: .now() + .milliseconds(Int(patience))) == .timedOut {
            state.withLock { _ = $0.waiting[subject]?.removeValue(forKey: number) }
        }
        return answer.withLock(\.self)
    }
}
