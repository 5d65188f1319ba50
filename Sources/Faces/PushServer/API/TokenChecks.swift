internal import PushAPI
internal import PushModel
internal import PushSystem
internal import Synchronization

/// Finds out whose a token is that a caller shows, on a thread of its own, before the request takes any slot.
///
/// An answer is remembered for a second, so that callers who ask often do not cost a read each; a revoked
/// token is accepted for that much longer. Tokens that were good a moment ago have turns of their own:
/// made-up ones cannot delay them.
final class TokenChecks: Sendable {
    private typealias Then = @Sendable (Result<AccessTokenView?, any Error>) -> Void

    private static let freshMilliseconds: Int64 = 1_000
    private static let maxGrants = 100
    /// Whose turn the tokens have that were not good before.
    static let strangers = ""

    private struct State {
        var grants: [String: (grant: AccessTokenView, at: MonotonicTime)] = [:]
        /// Requests that wait for the same read.
        var asked: [String: [Then]] = [:]
    }

    private let state = Mutex(State())
    static let threads = 1
    private let lane = WorkLane(
        threads: threads, QueueLimits(slots: 256, slotsForEachCaller: 4, maxWait: .seconds(5)))

    func close() { lane.close() }
    func sweep() { lane.sweep() }

    /// nil: there is no such token, or it was revoked.
    nonisolated(nonsending) func grant(
        of token: String, _ operations: Operations
    ) async throws(APIProblem) -> AccessTokenView? {
        if let known = knownGrant(of: token) { return known }
        guard CheckAccess.isToken(token) else { return nil }
        let result = await withCheckedContinuation { continuation in
            ask(token, operations) { continuation.resume(returning: $0) }
        }
        do { return try result.get() } catch { throw APIProblem(of: error) }
    }

    /// The answer of a moment ago; nil: there is none.
    func knownGrant(of token: String) -> AccessTokenView? {
        let now = Clocks.monotonic()
        return state.withLock { state in
            guard let known = state.grants[token],
                now.milliseconds(since: known.at) < Self.freshMilliseconds
            else { return nil }
            return known.grant
        }
    }

    private func ask(_ token: String, _ operations: Operations, _ then: @escaping Then) {
        let (isFirst, caller) = state.withLock { state in
            state.asked[token, default: []].append(then)
            return (state.asked[token]?.count == 1, state.grants[token]?.grant.name ?? Self.strangers)
        }
        guard isFirst else { return }
        guard lane.enter(caller) else { return finish(token, .failure(APIProblem.tooManyRequests), at: nil) }
        lane.submit(of: caller) { [self] in
            let now = Clocks.monotonic()
            let result = Result { try operations.carryOut(CheckAccess(token: token)) }
            lane.leave(caller)
            finish(token, result, at: now)
        } orRefuse: { [self] error in
            lane.leave(caller)
            finish(token, .failure(error), at: nil)
        }
    }

    /// - Parameter asked: when the store was asked; nil: it was not.
    private func finish(
        _ token: String, _ result: Result<AccessTokenView?, any Error>, at asked: MonotonicTime?
    ) {
        let waiting = state.withLock { state in
            if let asked, case .success(let grant) = result {
                state.grants[token] = grant.map { ($0, asked) }
                if state.grants.count > Self.maxGrants,
                    let oldest = state.grants.min(by: { $0.value.at < $1.value.at })?.key
                {
                    state.grants[oldest] = nil
                }
            }
            return state.asked.removeValue(forKey: token) ?? []
        }
        for then in waiting { then(result) }
    }
}
