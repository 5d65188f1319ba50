internal import PushAPI
internal import PushModel
internal import PushSystem
internal import Synchronization

/// The lookup of the token that a caller presents. It runs on its own thread, before the request takes a
/// slot.
///
/// A result is remembered for one second, so that frequent requests from one caller do not cost one read
/// each. A revoked token is therefore accepted for up to one second longer. Tokens that were valid a moment
/// ago are queued separately, so that forged tokens cannot delay them.
final class TokenChecks: Sendable {
    private typealias Completion = @Sendable (Result<CallerRights?, any Error>) -> Void

    private static let freshMilliseconds: Int64 = 1_000
    private static let maxGrants = 100
    /// The caller name for all tokens that have not recently been found valid: they share one queue.
    static let strangers = ""

    private struct State {
        var grants: [String: (grant: CallerRights, at: MonotonicTime)] = [:]
        /// The requests that wait for the same read, keyed by token.
        var asked: [String: [Completion]] = [:]
    }

    private let state = Mutex(State())
    static let threads = 1
    private let lane = WorkLane(
        threads: threads, QueueLimits(slots: 256, slotsForEachCaller: 4, maxWait: .seconds(5)))

    func close() { lane.close() }
    func sweep() { lane.sweep() }

    /// Returns the grant of a token; `nil` if the token does not exist or was revoked.
    nonisolated(nonsending) func grant(
        of token: String, _ operations: Operations
    ) async throws(APIProblem) -> CallerRights? {
        if let known = knownGrant(of: token) { return known }
        guard CheckAccess.isToken(token) else { return nil }
        let result = await withCheckedContinuation { continuation in
            ask(token, operations) { continuation.resume(returning: $0) }
        }
        do { return try result.get() } catch { throw APIProblem(of: error) }
    }

    /// Returns the recently read grant of a token; `nil` if there is none.
    func knownGrant(of token: String) -> CallerRights? {
        let now = Clocks.monotonic()
        return state.withLock { state in
            guard let known = state.grants[token],
                now.milliseconds(since: known.at) < Self.freshMilliseconds
            else { return nil }
            return known.grant
        }
    }

    private func ask(_ token: String, _ operations: Operations, _ then: @escaping Completion) {
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

    /// - Parameter asked: The time at which the store was queried; `nil` if it was not queried.
    private func finish(
        _ token: String, _ result: Result<CallerRights?, any Error>, at asked: MonotonicTime?
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
