internal import NIOCore
internal import NIOPosix
internal import PushModel
internal import PushSystem
internal import Synchronization

/// A cached query that can take a long time, such as a query to the store. The query runs on its own thread,
/// so that event loops, which must not wait, can request its result.
///
/// **Promises.** Only one query runs at a time, and no query runs while the last result is fresh. A caller
/// waits for the new result. If it does not arrive within the permitted time, the caller receives the
/// previous result with its age.
final class CachedProbe<Value: Sendable>: Sendable {
    struct ProbeResult: Sendable {
        /// The last result; `nil` if there has never been one.
        var value: Value?
        /// The age of the value.
        var ageSeconds = 0.0
        /// The reason why the last query failed; `nil` if it succeeded or has not ended yet.
        var failure: String?
    }

    private struct State {
        var value: Value?
        var answered: MonotonicTime?
        var asked: MonotonicTime?
        var failure: String?
        var isAsking = false
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())
    private let pool: NIOThreadPool
    private let loop: any EventLoop
    private let freshMilliseconds: Int64
    private let patienceMilliseconds: Int64
    private let ask: @Sendable () throws -> Value

    /// - Parameters:
    ///   - pool: A pool of one thread that has no other user.
    ///   - ask: The query. It is called on the pool's thread and may wait without limit.
    init(
        on pool: NIOThreadPool, _ loop: any EventLoop, freshMilliseconds: Int64, patienceMilliseconds: Int64,
        ask: @escaping @Sendable () throws -> Value
    ) {
        self.pool = pool
        self.loop = loop
        self.freshMilliseconds = freshMilliseconds
        self.patienceMilliseconds = patienceMilliseconds
        self.ask = ask
    }

    func look() async -> ProbeResult {
        let now = Clocks.monotonic()
        let (isFresh, mustAsk) = state.withLock { state in
            let isFresh =
                state.asked.map { now.milliseconds(since: $0) < freshMilliseconds } == true && !state.isAsking
            let mustAsk = !isFresh && !state.isAsking
            if mustAsk { (state.isAsking, state.asked) = (true, now) }
            return (isFresh, mustAsk)
        }
        if mustAsk { pool.submit { [self] pool in if pool == .active { answer() } else { end() } } }
        if !isFresh { await wait() }
        return state.withLock { state in
            let age = state.answered.map { Double(Clocks.monotonic().milliseconds(since: $0)) / 1_000 }
            return ProbeResult(value: state.value, ageSeconds: max(age ?? 0, 0), failure: state.failure)
        }
    }

    private func answer() {
        let result = Result { try ask() }
        state.withLock { state in
            switch result {
            case .success(let value):
                (state.value, state.answered, state.failure) = (value, Clocks.monotonic(), nil)
            case .failure(let error): state.failure = "\(error)"
            }
        }
        end()
    }

    private func end() {
        let waiting = state.withLock { state in
            state.isAsking = false
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for a result, but no longer than the permitted time.
    private func wait() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let number = state.withLock { state -> UInt64? in
                guard state.isAsking else { return nil }
                state.last += 1
                state.waiting[state.last] = continuation
                return state.last
            }
            guard let number else { return continuation.resume() }
            loop.scheduleTask(in: .milliseconds(patienceMilliseconds)) { [self] in
                state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
            }
        }
    }
}
