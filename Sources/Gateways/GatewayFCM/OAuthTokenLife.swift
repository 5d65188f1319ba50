package import PushModel
internal import PushWire

/// How long an access token works, and when the next one is asked for.
package struct OAuthTokenLife: Equatable, Sendable {
    /// The next token is asked for this long before the old one ends: time for several tries. Half the life
    /// where that is shorter.
    package static let renewBeforeSeconds: Int64 = 5 * 60

    private let end: MonotonicTime
    private let due: MonotonicTime

    /// - Parameters:
    ///   - asked: when it was asked for; the gateway's clock began no earlier.
    ///   - seconds: what the token endpoint said.
    package init(asked: MonotonicTime, seconds: Int64) {
        end = asked.advanced(bySeconds: seconds)
        due = asked.advanced(bySeconds: seconds - min(Self.renewBeforeSeconds, seconds / 2))
    }

    @inline(__always)
    package func isUsable(at now: MonotonicTime) -> Bool { now < end }
    package func isDue(at now: MonotonicTime) -> Bool { now >= due }
}
