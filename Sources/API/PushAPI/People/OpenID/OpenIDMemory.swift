internal import PushConfig
internal import PushModel
internal import Synchronization

/// What one process remembers about the provider: its endpoints and keys for a limited time, and the attempts
/// to sign in that have come back.
package final class OpenIDMemory: Sendable {
    /// How long endpoints and keys are used before they are read again.
    static let seconds: Int64 = 3_600
    /// The minimum interval between two readings of the keys because a token has an unknown key.
    static let refetchSeconds: Int64 = 60
    /// How long a provider that could not be used is not asked again.
    static let faultSeconds: Int64 = 5
    static let warningSeconds: Int64 = 60
    /// The maximum number of attempts that are remembered.
    static let maxAttempts = 10_000

    private struct Provider {
        var issuer: String
        var metadata: ProviderMetadata
        var read: MonotonicTime
        var keys: ProviderKeys?
        var keysRead: MonotonicTime
    }

    private struct State {
        var provider: Provider?
        var fault: (fault: OpenIDFault, issuer: String, since: MonotonicTime)?
        /// The attempts that have come back, with the times at which they expire by themselves.
        var attempts: [String: Int64] = [:]
        var warned: MonotonicTime?
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns the provider's endpoints.
    func metadata(
        _ client: OpenIDClient, at now: MonotonicTime
    ) throws(OpenIDFault) -> ProviderMetadata {
        let issuer = client.issuer.text
        let (known, fault) = state.withLock { state -> (ProviderMetadata?, OpenIDFault?) in
            if let provider = state.provider, provider.issuer == issuer,
                Self.isWithin(Self.seconds, since: provider.read, now)
            {
                return (provider.metadata, nil)
            }
            if let last = state.fault, last.issuer == issuer,
                Self.isWithin(Self.faultSeconds, since: last.since, now)
            {
                return (nil, last.fault)
            }
            return (nil, nil)
        }
        if let known { return known }
        if let fault { throw fault }
        do throws(OpenIDFault) {
            let metadata = try client.metadata()
            state.withLock {
                $0.provider = Provider(issuer: issuer, metadata: metadata, read: now, keysRead: now)
                $0.fault = nil
            }
            return metadata
        } catch {
            state.withLock { $0.fault = (error, issuer, now) }
            throw error
        }
    }

    /// Returns the provider's keys.
    /// - Parameter unknown: Whether a token has a key that is not among the known ones. The keys are then
    ///   read again, unless that happened a moment ago.
    func keys(
        _ client: OpenIDClient, of metadata: ProviderMetadata, unknown: Bool, at now: MonotonicTime
    ) throws(OpenIDFault) -> ProviderKeys {
        let age = unknown ? Self.refetchSeconds : Self.seconds
        let known = state.withLock { state -> ProviderKeys? in
            guard let provider = state.provider, provider.metadata == metadata,
                Self.isWithin(age, since: provider.keysRead, now)
            else { return nil }
            return provider.keys
        }
        if let known { return known }
        let keys = try client.keys(of: metadata)
        state.withLock {
            guard $0.provider?.metadata == metadata else { return }
            $0.provider?.keys = keys
            $0.provider?.keysRead = now
        }
        return keys
    }

    /// Records that an attempt to sign in has come back.
    /// - Returns: `false` if it had come back before.
    func takeAttempt(_ id: String, ends: WallMoment, at now: WallMoment) -> Bool {
        state.withLock { state in
            if state.attempts.count >= Self.maxAttempts {
                state.attempts = state.attempts.filter { $0.value > now.millisecondsSince1970 }
                // An attempt that is forgotten cannot succeed again either: its code is valid once.
                if state.attempts.count >= Self.maxAttempts { state.attempts.removeAll() }
            }
            return state.attempts.updateValue(ends.millisecondsSince1970, forKey: id) == nil
        }
    }

    /// Whether a warning may be logged now.
    func mayWarn(at now: MonotonicTime) -> Bool {
        state.withLock { state in
            if let warned = state.warned, Self.isWithin(Self.warningSeconds, since: warned, now) {
                return false
            }
            state.warned = now
            return true
        }
    }

    private static func isWithin(_ seconds: Int64, since: MonotonicTime, _ now: MonotonicTime) -> Bool {
        now.milliseconds(since: since) < seconds * 1_000
    }
}
