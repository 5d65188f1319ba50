internal import Dispatch
internal import Glibc
internal import PushModel
internal import PushSystem
package import PushWire
internal import Synchronization

/// What the master is busy with, as its loop said last. The loop says it when somebody asks, once for all who
/// ask at a time: it costs nothing while nobody looks, and nobody waits long for a loop that does not answer.
package final class StatusBoard: Sendable {
    /// How long whoever asks waits for the loop; then what it said before has to do.
    package static let patienceMilliseconds: Int64 = 1_000

    /// Who is to be told of the loop's next word.
    package struct Inquiry: Equatable, Sendable { fileprivate let number: UInt64 }

    private struct State {
        var status: MasterStatus
        var said: MonotonicTime
        /// There is a loop that answers.
        var isLive = false
        /// It was asked, and has not answered.
        var isAsked = false
        var inquiries: [UInt64: @Sendable () -> Void] = [:]
        var lastInquiry: UInt64 = 0
        var web: String?
    }

    private let loop: Mailbox<LoopEvent>
    private let state: Mutex<State>
    /// Monotonic, in nanoseconds.
    private let lastTurn = Atomic<Int64>(0)

    package init(loop: Mailbox<LoopEvent>) {
        self.loop = loop
        state = Mutex(State(status: .starting(), said: Clocks.monotonic()))
    }

    // MARK: The master's side

    /// - Parameter waitsFor: what keeps the loop from beginning; nil: nothing that takes time.
    package func noteStart(waitsFor: String?) { state.withLock { $0.status.waitsFor = waitsFor } }

    /// The loop's word: at its beginning, and whenever it is asked.
    package func publish(_ status: MasterStatus) {
        let inquiries = state.withLock { state in
            (state.status, state.said, state.isLive, state.isAsked) = (
                status, Clocks.monotonic(), true, false
            )
            defer { state.inquiries = [:] }
            return Array(state.inquiries.values)
        }
        for inquiry in inquiries { inquiry() }
    }

    /// The loop turns: said once a second.
    package func noteTurn() { lastTurn.store(Clocks.monotonicNanoseconds(), ordering: .relaxed) }

    /// Where the web module of this process listens.
    package func noteWeb(_ address: String?) { state.withLock { $0.web = address } }

    /// The loop has ended: nobody is to wait for it.
    package func noteEnd() {
        let inquiries = state.withLock { state in
            (state.isLive, state.status.state) = (false, "draining")
            defer { state.inquiries = [:] }
            return Array(state.inquiries.values)
        }
        for inquiry in inquiries { inquiry() }
    }

    // MARK: Whoever asks

    /// What was said last, with its age.
    package var latest: MasterStatus {
        let now = Clocks.monotonic()
        return state.withLock { state in
            var status = state.status
            status.web = state.web
            let milliseconds = max(now.milliseconds(since: state.said), 0)
            if status.state == MasterStatus.startingState {
                // Nobody has to say it anew.
                status.uptimeSeconds = Int(milliseconds / 1_000)
            } else {
                status.ageSeconds = Double(milliseconds / 100) / 10
            }
            return status
        }
    }

    /// Asks the loop for a fresh word.
    /// - Parameter told: called when ``latest`` is that word, on the loop's thread; at most once.
    /// - Returns: nil where there is nobody to ask: ``latest`` is all that there is to say.
    package func ask(_ told: @escaping @Sendable () -> Void) -> Inquiry? {
        let (inquiry, mustAsk) = state.withLock { state -> (Inquiry?, Bool) in
            guard state.isLive else { return (nil, false) }
            state.lastInquiry += 1
            state.inquiries[state.lastInquiry] = told
            defer { state.isAsked = true }
            return (Inquiry(number: state.lastInquiry), !state.isAsked)
        }
        if mustAsk { loop.send(.statusWanted) }
        return inquiry
    }

    /// Seconds since the loop turned last, or since it was asked to begin; nil while there is none.
    package var secondsSinceTurn: Double? {
        guard state.withLock(\.isLive) else { return nil }
        let passed = Clocks.monotonicNanoseconds() - lastTurn.load(ordering: .relaxed)
        return Double(max(passed, 0)) / 1e9
    }

    package func withdraw(_ inquiry: Inquiry) {
        state.withLock { _ = $0.inquiries.removeValue(forKey: inquiry.number) }
    }

    /// The loop's fresh word, or what it said before, after ``patienceMilliseconds`` at most.
    package func wait() -> MasterStatus {
        let told = DispatchSemaphore(value: 0)
        if let inquiry = ask({ told.signal() }) {
            _ = told.wait(timeout: .now() + .milliseconds(Int(Self.patienceMilliseconds)))
            withdraw(inquiry)
        }
        return latest
    }
}

extension MasterStatus {
    static let startingState = "starting"

    /// A master that does not serve yet.
    fileprivate static func starting() -> MasterStatus {
        MasterStatus(
            pid: getpid(), uptimeSeconds: 0, state: startingState, unrecorded: 0, waitingRanges: 0)
    }
}
