package import PushModel

/// When errors that count towards quarantine amount to it (`nmac/quarantine`).
package struct QuarantineRules: Equatable, Sendable {
    /// The error that quarantines.
    package var maxErrors: Int
    /// An error within this time after the last one counted says nothing new.
    package var significantErrorDelaySeconds: Int64
    /// A token that gave no error for so long begins anew (Campaign's ten days).
    package static let quietSeconds: Int64 = 10 * 86_400

    package init(maxErrors: Int, significantErrorDelaySeconds: Int64) {
        self.maxErrors = maxErrors
        self.significantErrorDelaySeconds = significantErrorDelaySeconds
    }
}

/// The errors of one token that count.
package struct TokenErrors: Equatable, Sendable {
    package private(set) var count: Int
    /// When the last one that counts came.
    package private(set) var last: WallTime

    /// The first error.
    package init(at time: WallTime) {
        count = 1
        last = time
    }

    /// What was counted before.
    package init(count: Int, last: WallTime) {
        self.count = count
        self.last = last
    }

    /// One more error. One that comes too soon after the last, or is older than it, changes nothing.
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
