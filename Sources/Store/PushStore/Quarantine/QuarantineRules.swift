package import PushModel

/// The rules that determine when errors put a subscription into quarantine (`nmac/quarantine`).
package struct QuarantineRules: Equatable, Sendable {
    /// The number of errors at which the subscription is quarantined.
    package var maxErrors: Int
    /// The time after the last counted error during which a further error does not count.
    package var significantErrorDelaySeconds: Int64
    /// The time without errors after which a token's count starts again (ten days, as in Campaign).
    package static let quietSeconds: Int64 = 10 * 86_400

    package init(maxErrors: Int, significantErrorDelaySeconds: Int64) {
        self.maxErrors = maxErrors
        self.significantErrorDelaySeconds = significantErrorDelaySeconds
    }
}

/// The errors of one token that count.
package struct TokenErrors: Equatable, Sendable {
    package private(set) var count: Int
    /// The time of the last error that counted.
    package private(set) var last: WallTime

    /// Begins with the first error.
    package init(at time: WallTime) {
        count = 1
        last = time
    }

    /// Continues an earlier count.
    package init(count: Int, last: WallTime) {
        self.count = count
        self.last = last
    }

    /// Adds an error. An error that comes too soon after the last counted error, or is older than that error,
    /// changes nothing.
    package mutating func note(at time: WallTime, under rules: QuarantineRules) {
        let quiet = time.seconds(since: last)
        if quiet > QuarantineRules.quietSeconds {
            self = TokenErrors(at: time)
        } else if quiet >= max(rules.significantErrorDelaySeconds, 0), quiet >= 0 {
            count += 1
            last = time
        }
    }

    package func quarantines(under rules: QuarantineRules) -> Bool { count >= rules.maxErrors }
}
