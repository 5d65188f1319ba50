package import PushModel

/// The facts about a message that its neighbours often share: its state, the state's cause, the time when the
/// state began, and whether the message was ever tried. They take six bytes.
package struct MessageStatus: Equatable, Sendable {
    /// The bits of the status. From the lowest bit: 3 bits state, 1 bit tried, 4 bits unused, 8 bits cause,
    /// 32 bits time in seconds since 1970.
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// - Parameters:
    ///   - isTried: Whether an attempt counted. If there were several, a ``PartNote`` contains their number.
    ///   - since: Stored as 32 bits of seconds, 1970 to 2106. A time outside this range is replaced by the
    ///     nearest one within it.
    package init(_ state: MessageState, isTried: Bool, cause: CauseCode = .none, since: WallTime) {
        let second = UInt64(UInt32(clamping: since.secondsSince1970))
        bits = second << 16 | UInt64(cause.rawValue) << 8 | (isTried ? 8 : 0) | UInt64(state.rawValue)
    }

    package var state: MessageState {
        // These three bits were checked when they were read: MessageState uses 2 to 7.
        switch bits & 7 {
        case 2: .pending
        case 3: .retrying
        case 4: .sent
        case 5: .failed
        case 6: .cancelled
        default: .excluded
        }
    }
    package var isTried: Bool { bits & 8 != 0 }
    package var cause: CauseCode { CauseCode(rawValue: UInt8(truncatingIfNeeded: bits >> 8)) }
    package var since: WallTime { WallTime(secondsSince1970: Int64(second)) }

    var second: UInt32 { UInt32(truncatingIfNeeded: bits >> 16) }
    var isPending: Bool { bits & 7 == 2 }
    var isRetrying: Bool { bits & 7 == 3 }
    var isSent: Bool { bits & 7 == 4 }
    /// Whether the message is pending or retrying.
    var isWaiting: Bool { bits & 7 <= 3 }

    /// Returns this status with another state and cause, beginning at `now`.
    func becoming(_ state: MessageState, cause: CauseCode, at now: WallTime) -> MessageStatus {
        MessageStatus(state, isTried: isTried, cause: cause, since: now)
    }
}
