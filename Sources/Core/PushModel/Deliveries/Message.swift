/// The state of a message. Raw values are those of the store. Each takes one byte in SQLite's record format
/// (0 and 1 would take none), so an outcome rewrites a row in place and never splits its page.
package enum MessageState: Int64, Sendable, CaseIterable {
    /// Not yet tried, whether granted or not.
    case pending = 2
    /// Tried without a final answer. The row contains its due time.
    case retrying = 3
    case sent = 4
    case failed = 5
    /// Stopped, or expired without an attempt.
    case cancelled = 6
    /// Never granted, or found unsendable before it reached the gateway.
    case excluded = 7

    package var name: String { String(describing: self) }
    package var isFinal: Bool { self != .pending && self != .retrying }
}

/// Campaign's failure types: the meaning of a failure for the address.
package enum FailureType: Int64, Sendable, CaseIterable {
    case undefined = 2
    /// The failure counts towards quarantine.
    case soft = 3
    /// The failure quarantines the token immediately.
    case hard = 4
    /// The failure never quarantines the token.
    case ignored = 5

    /// The spelling in Campaign's pages.
    package var label: String {
        switch self {
        case .undefined: "Undefined"
        case .soft: "Soft"
        case .hard: "Hard"
        case .ignored: "Ignored"
        }
    }
}

/// Campaign's failure reasons with their technical values (facts: Campaign server, failure types and
/// reasons).
package enum FailureReason: Int64, Sendable, CaseIterable {
    case undefined = 0
    case userUnknown = 1
    case invalidDomain = 2
    case unreachable = 3
    case accountDisabled = 4
    case mailboxFull = 5
    case notConnected = 6
    case addressNotSpecified = 7
    case denylisted = 8
    case inQuarantine = 9
    case double = 10
    case excludedByRule = 11
    case excludedAfterArbitration = 12
    case badQuality = 14
    case unqualified = 15
    case notEligible = 16
    case limitedInSize = 17
    case refused = 20
    case errorIgnored = 25
    case controlAddress = 127

    /// The spelling in Campaign's pages.
    package var label: String {
        switch self {
        case .undefined: "Undefined"
        case .userUnknown: "User unknown"
        case .invalidDomain: "Invalid domain"
        case .unreachable: "Unreachable"
        case .accountDisabled: "Account disabled"
        case .mailboxFull: "Mailbox full"
        case .notConnected: "Not connected"
        case .addressNotSpecified: "Address not specified"
        case .denylisted: "Denylisted address"
        case .inQuarantine: "Address in quarantine"
        case .double: "Double"
        case .excludedByRule: "Excluded by SQL rule"
        case .excludedAfterArbitration: "Excluded after arbitration"
        case .badQuality: "Bad-quality address"
        case .unqualified: "Unqualified address"
        case .notEligible: "Not eligible for the offers"
        case .limitedInSize: "Target limited in size"
        case .refused: "Refused"
        case .errorIgnored: "Error ignored"
        case .controlAddress: "Control address"
        }
    }
}
