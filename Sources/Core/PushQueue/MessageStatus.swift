package import PushModel

/// Where a message stands, as far as it has that in common with its neighbours: state, whether it was ever
/// tried, why, and since when. Six bytes.
package struct MessageStatus: Equatable, Sendable {
    /// From the lowest: 3 bits state, 1 tried, 4 unused, 8 cause, 32 second.
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// - Parameters:
    ///   - isTried: whether an attempt counted; a ``PartNote`` says how many where there were several.
    ///   - since: kept as seconds of 32 bits, 1970 to 2106; what lies outside becomes the nearest.
    package init(_ state: MessageState, isTried: Bool, cause: CauseCode = .none, since: WallTime) {
        let second = UInt64(UInt32(clamping: since.secondsSince1970))
        bits = second << 16 | UInt64(cause.rawValue) << 8 | (isTried ? 8 : 0) | UInt64(state.rawValue)
    }

    package var state: MessageState {
        // Three bits of what was checked when it was read: MessageState has 2 to 7.
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
    /// Pending or retrying.
    var isWaiting: Bool { bits & 7 <= 3 }

    /// The same in another state, from now on.
    func becoming(_ state: MessageState, cause: CauseCode, at now: WallTime) -> MessageStatus {
        MessageStatus(state, isTried: isTried, cause: cause, since: now)
    }
}
