internal import Dispatch
internal import PushSystem
internal import Synchronization

package enum WithdrawalAnswer: Equatable, Sendable {
    /// So many requests had begun and were not answered.
    case done(inFlight: Int)
    /// There is no loop: nothing is sent.
    case nobodySends
    /// The loop did not answer, or came to its end before it did.
    case unknown

    /// Longer than the loop waits for a child that does not do as it is told.
    static let patienceMilliseconds: Int64 = 45_000
}

/// Callers that wait until no request of a delivery, or of a message, can begin any more, because it was stopped
/// or cancelled in the store.
final class Withdrawals<Subject: Hashable & Sendable>: Sendable {
    typealias Answer = WithdrawalAnswer

    private struct State {
        /// There is a loop that answers.
        var isLive = false
        /// Another host sends, and cannot be asked from here.
        var isElsewhere = false
        var waiting: [Subject: [UInt64: @Sendable (Answer) -> Void]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let ask: @Sendable (Subject) -> Void
    private let state = Mutex(State())

    /// - Parameter ask: asks the loop.
    init(ask: @escaping @Sendable (Subject) -> Void) { self.ask = ask }

    // MARK: The master's side

    func noteStart() { state.withLock { ($0.isLive, $0.isElsewhere) = (true, false) } }
    /// Another host sends.
    func noteStandby() { state.withLock { $0.isElsewhere = true } }

    func tell(_ subject: Subject, inFlight: Int) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: subject) ?? [:] }
        for answer in waiting.values { answer(.done(inFlight: inFlight)) }
    }

    /// The loop has ended: nobody is to wait for it.
    func noteEnd() {
        let waiting = state.withLock { state in
            defer { (state.isLive, state.waiting) = (false, [:]) }
            return state.waiting.values.flatMap(\.values)
        }
        for answer in waiting { answer(.unknown) }
    }

    // MARK: Whoever asks

    /// To be called when the store says that the delivery is stopped, or the message cancelled. Waits for all
    /// children, at most the loop's patience with them and a little more.
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
