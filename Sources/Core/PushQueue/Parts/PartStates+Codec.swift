internal import PushModel

/// **Layout.** The byte 1, then runs until the end:
///
/// | | |
/// |---|---|
/// | a byte, bits 0–2 | the state: 2 pending, 3 retrying, 4 sent, 5 failed, 6 cancelled, 7 excluded |
/// | bit 3 | tried |
/// | bit 4 | a cause follows |
/// | bit 5 | a time follows, because it differs from that of the previous run |
/// | bits 6–7 | the length 1, 2 or 3, or 0 if the length follows |
/// | number | the length minus 4, if bits 6–7 are 0 |
/// | a byte | the cause's code, if bit 4 is set; not 0 |
/// | number | the time in seconds minus that of the previous run (first: 0), zigzag, if bit 5 is set; not 0 |
///
/// Each number is unsigned LEB128 in its shortest form. Neighbours differ, so equal states have equal bytes.
extension PartStates {
    static let layout: UInt8 = 1

    private enum Flag {
        static let status: UInt8 = 0x0F
        static let cause: UInt8 = 0x10
        static let second: UInt8 = 0x20
        static let lengthShift: UInt8 = 6
        /// The shortest length that is written as a separate number.
        static let longLength = 4
    }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 + min(runs.count, 16) * 8 + runs.count * 3)
        bytes.append(Self.layout)
        var start = 0
        var second: UInt32 = 0
        for run in runs {
            let status = run.status
            let length = run.end - start
            var head = UInt8(truncatingIfNeeded: status.bits) & Flag.status
            if status.cause != .none { head |= Flag.cause }
            if status.second != second { head |= Flag.second }
            if length < Flag.longLength { head |= UInt8(truncatingIfNeeded: length) << Flag.lengthShift }
            bytes.append(head)
            if length >= Flag.longLength { Varint.append(UInt64(length - Flag.longLength), to: &bytes) }
            if status.cause != .none { bytes.append(status.cause.rawValue) }
            if status.second != second {
                Varint.append(Varint.zigzag(Int64(status.second) - Int64(second)), to: &bytes)
            }
            start = run.end
            second = status.second
        }
        return bytes
    }

    /// - Parameter count: The number of messages, according to the part's row.
    package init(decoding bytes: [UInt8], count: Int) throws(PartDamage) {
        guard (0...PartLimits.messages).contains(count) else { throw PartDamage(.states, .tooMany) }
        var cursor = ByteCursor(bytes, of: .states)
        guard try cursor.byte() == Self.layout else { throw PartDamage(.states, .unknownLayout, at: 0) }
        var runs: ContiguousArray<Run> = []
        runs.reserveCapacity(min(bytes.count / 2, count))
        var end = 0
        var second: Int64 = 0
        while !cursor.isAtEnd {
            let head = try cursor.byte()
            guard head & 7 >= 2 else { throw cursor.damage(.state) }
            let length = try Self.length(head, &cursor)
            guard length <= count - end else { throw cursor.damage(.count) }
            let cause = head & Flag.cause == 0 ? 0 : try cursor.byte()
            guard (cause != 0) == (head & Flag.cause != 0) else { throw cursor.damage(.form) }
            if head & Flag.second != 0 { second = try Self.second(after: second, &cursor) }
            end += length
            let status = MessageStatus(
                bits: UInt64(second) << 16 | UInt64(cause) << 8 | UInt64(head & Flag.status))
            guard runs.last?.status != status else { throw cursor.damage(.form) }
            runs.append(Run(status, to: end))
        }
        guard end == count else { throw cursor.damage(.count) }
        self.init(runs: runs)
    }

    private static func length(_ head: UInt8, _ cursor: inout ByteCursor) throws(PartDamage) -> Int {
        let short = Int(head >> Flag.lengthShift)
        if short > 0 { return short }
        let rest = try cursor.number()
        guard rest <= UInt64(PartLimits.messages - Flag.longLength) else { throw cursor.damage(.tooMany) }
        return Int(rest) + Flag.longLength
    }

    /// - Returns: Seconds since 1970 within 32 bits.
    private static func second(after last: Int64, _ cursor: inout ByteCursor) throws(PartDamage) -> Int64 {
        let difference = Varint.unzigzag(try cursor.number())
        guard difference != 0 else { throw cursor.damage(.form) }
        let (second, overflow) = last.addingReportingOverflow(difference)
        guard !overflow, second >= 0, second <= Int64(UInt32.max) else { throw cursor.damage(.number) }
        return second
    }
}
