package import PushModel

/// Why a message is where it is: what statistics and log say of a failure.
package struct Cause: Hashable, Sendable {
    package var type: FailureType?
    package var reason: FailureReason?
    /// The gateway's word, printable, or ours where it was never asked. Without numbers that differ from
    /// message to message: a delivery has places for 250.
    package var word: String

    package init(_ type: FailureType?, _ reason: FailureReason?, word: String) {
        self.type = type
        self.reason = reason
        self.word = word
    }
}

/// A cause's number within a delivery: one byte, because a part may hold thousands.
package struct CauseCode: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// There is nothing to explain.
    package static let none = CauseCode(rawValue: 0)
    // Of the engine itself; these are in every delivery and in no row.
    /// The validity ended before the first attempt.
    package static let expired = CauseCode(rawValue: 1)
    /// Stopped by an operator.
    package static let stopped = CauseCode(rawValue: 2)
    /// The child that had the message was lost, and lost ones are not sent again.
    package static let childLost = CauseCode(rawValue: 3)
    package static let disabled = CauseCode(rawValue: 4)
    package static let quarantined = CauseCode(rawValue: 5)
    /// The validity ended, and what had become of it cannot be read.
    package static let unreadable = CauseCode(rawValue: 6)
    /// Its device has been sent as much as the service allows.
    package static let frequencyCap = CauseCode(rawValue: 7)
    /// Its user is sent to on another device.
    package static let oncePerUser = CauseCode(rawValue: 8)

    /// A caller cancelled it.
    package static let cancelled = CauseCode(rawValue: 9)

    /// Codes up to this are the engine's own, now or in a later version.
    package static let lastOwn = CauseCode(rawValue: 16)
    /// Codes beyond this are "other".
    package static let lastInterned = CauseCode(rawValue: 250)

    /// What has no place of its own any more, by failure type.
    package static func other(_ type: FailureType?) -> CauseCode {
        switch type {
        case nil: CauseCode(rawValue: 251)
        case .undefined: CauseCode(rawValue: 252)
        case .soft: CauseCode(rawValue: 253)
        case .hard: CauseCode(rawValue: 254)
        case .ignored: CauseCode(rawValue: 255)
        }
    }

    /// What codes mean that no row explains.
    var fixed: Cause? {
        switch self {
        case .expired: Cause(nil, nil, word: "expired")
        case .stopped: Cause(nil, nil, word: "stopped")
        case .cancelled: Cause(nil, nil, word: "cancelled")
        case .childLost: Cause(.soft, .unreachable, word: "(child lost)")
        case .disabled: Cause(.hard, .inQuarantine, word: "subscription disabled")
        case .quarantined: Cause(.hard, .inQuarantine, word: "in quarantine: its token gave errors")
        case .frequencyCap: Cause(nil, .excludedByRule, word: "frequency cap")
        case .oncePerUser: Cause(nil, .excludedByRule, word: "once per user")
        case .unreadable: Cause(nil, nil, word: "its rows cannot be read")
        case Self.other(nil): Cause(nil, nil, word: Self.otherWord)
        default:
            FailureType.allCases.first { Self.other($0) == self }.map { Cause($0, nil, word: Self.otherWord) }
        }
    }

    private static let otherWord = "(other)"
}
