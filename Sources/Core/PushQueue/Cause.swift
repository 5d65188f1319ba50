package import PushModel

/// The reason for a message's current state, as shown in statistics and logs.
package struct Cause: Hashable, Sendable {
    package var type: FailureType?
    package var reason: FailureReason?
    /// The gateway's reason, limited to printable characters, or the engine's own reason if the gateway was
    /// never asked. It contains no numbers that differ from message to message, because a delivery has only
    /// 250 codes.
    package var word: String

    package init(_ type: FailureType?, _ reason: FailureReason?, word: String) {
        self.type = type
        self.reason = reason
        self.word = word
    }
}

/// The number of a cause within a delivery. It takes one byte, because a part may contain thousands of codes.
package struct CauseCode: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// No cause: there is nothing to explain.
    package static let none = CauseCode(rawValue: 0)
    // The engine's own codes. They exist in every delivery and have no row.
    /// The validity ended before the first attempt.
    package static let expired = CauseCode(rawValue: 1)
    /// An operator stopped the message.
    package static let stopped = CauseCode(rawValue: 2)
    /// The child that had the message was lost, and lost messages are not sent again.
    package static let childLost = CauseCode(rawValue: 3)
    package static let disabled = CauseCode(rawValue: 4)
    package static let quarantined = CauseCode(rawValue: 5)
    /// The validity ended, and the message's result cannot be read.
    package static let unreadable = CauseCode(rawValue: 6)
    /// The message's device has already received the maximum number of messages that the service allows.
    package static let frequencyCap = CauseCode(rawValue: 7)
    /// The message's user receives the delivery on another device.
    package static let oncePerUser = CauseCode(rawValue: 8)

    /// A caller cancelled the message.
    package static let cancelled = CauseCode(rawValue: 9)
    /// The message's recipient has opted out of messages.
    package static let optedOut = CauseCode(rawValue: 10)

    /// The last code reserved for the engine. A code up to this one that has no meaning yet may get one in a
    /// later version.
    package static let lastOwn = CauseCode(rawValue: 16)
    /// The last code for an interned cause. Higher codes mean "other".
    package static let lastInterned = CauseCode(rawValue: 250)

    /// Returns the code for causes of the given failure type that get no code of their own, because all codes
    /// are assigned.
    package static func other(_ type: FailureType?) -> CauseCode {
        switch type {
        case nil: CauseCode(rawValue: 251)
        case .undefined: CauseCode(rawValue: 252)
        case .soft: CauseCode(rawValue: 253)
        case .hard: CauseCode(rawValue: 254)
        case .ignored: CauseCode(rawValue: 255)
        }
    }

    /// The cause of a code that has no row; `nil` if a row explains the code.
    var fixed: Cause? {
        switch self {
        case .expired: Cause(nil, nil, word: "expired")
        case .stopped: Cause(nil, nil, word: "stopped")
        case .cancelled: Cause(nil, nil, word: "cancelled")
        case .childLost: Cause(.soft, .unreachable, word: "(child lost)")
        case .disabled: Cause(.hard, .inQuarantine, word: "subscription disabled")
        case .quarantined: Cause(.hard, .inQuarantine, word: "in quarantine")
        case .optedOut: Cause(.hard, .denylisted, word: "opted out")
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
