package import PushModel
internal import PushWire

/// The lifetime of an access token, and the time when the next token is requested.
package struct OAuthTokenLife: Equatable, Sendable {
    /// The time between the request for the next token and the expiry of the current token, in seconds. It is
    /// long enough for several tries. A token that lives less than twice this time is replaced after half of
    /// its lifetime instead.
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
