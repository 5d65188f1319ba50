package import PushModel
internal import PushWire

/// The lifetime of an access token, and the time when the next token is requested.
package struct OAuthTokenLife: Equatable, Sendable {
    /// How long before a token's expiry the next token is requested, in seconds, which leaves time for
    /// several tries. If half the token's lifetime ends later, the next token is requested then.
    package static let renewBeforeSeconds: Int64 = 5 * 60

    private let end: MonotonicTime
    private let due: MonotonicTime

    /// - Parameters:
    ///   - asked: The time of the request. The token's lifetime began no earlier.
    ///   - seconds: The lifetime that the token endpoint returned.
    package init(asked: MonotonicTime, seconds: Int64) {
        end = asked.advanced(bySeconds: seconds)
        due = asked.advanced(bySeconds: seconds - min(Self.renewBeforeSeconds, seconds / 2))
    }

    @inline(__always)
    package func isUsable(at now: MonotonicTime) -> Bool { now < end }
    package func isDue(at now: MonotonicTime) -> Bool { now >= due }
}
