/// Where a message stands. Raw values are the store's: all are one byte wide in SQLite's record format (0 and
/// 1 would take none), so that an outcome rewrites a row in place and never splits its page.
package enum MessageState: Int64, Sendable, CaseIterable {
    /// Not yet tried; granted or not.
    case pending = 2
    /// Tried without a final answer; its due time stands on the row.
    case retrying = 3
    case sent = 4
    case failed = 5
    /// Stopped, or expired untried.
    case cancelled = 6
    /// Never granted, or found unsendable before the gateway saw it.
    case excluded = 7

    package var name: String { String(describing: self) }
    package var isFinal: Bool { self != .pending && self != .retrying }
}

/// Campaign's failure types: what a failure says about the address.
package enum FailureType: Int64, Sendable, CaseIterable {
    case undefined = 2
    /// Counts towards quarantine.
    case soft = 3
    /// Quarantines at once.
    case hard = 4
    /// Never quarantines.
    case ignored = 5

    /// As Campaign's pages spell it.
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

    /// As Campaign's pages spell it.
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
