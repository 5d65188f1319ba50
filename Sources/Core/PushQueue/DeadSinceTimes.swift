package import PushModel

/// The times since which tokens have been dead: one for each verdict in a row of the store, in the order of
/// the verdicts. A time is `nil` if the gateway did not report it.
///
/// **Layout.** One number for each verdict, with nothing after the last:
///
/// | | |
/// |---|---|
/// | 0 | the gateway did not report a time |
/// | 1 + *d* | *d*: milliseconds since the previous known time (for the first: since 1970), zigzag |
///
/// Each number is unsigned LEB128 in its shortest form. If no time is known, there are no bytes at all.
package enum DeadSinceTimes {
    /// - Returns: The encoded times; `nil` if none is known. A time that is too far from 1970 for any clock
    ///   is replaced by the nearest permitted time.
    package static func encode(_ times: ContiguousArray<WallMoment?>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var last: Int64 = 0
        var isAnyKnown = false
        for time in times {
            guard let time else {
                bytes.append(0)
                continue
            }
            let known = min(max(time.millisecondsSince1970, -furthest), furthest)
            Varint.append(Varint.zigzag(known - last) + 1, to: &bytes)
            (last, isAnyKnown) = (known, true)
        }
        return isAnyKnown ? bytes : nil
    }

    /// - Parameter count: The number of verdicts, according to their row.
    package static func decode(_ bytes: [UInt8], count: Int) throws(PartDamage) -> ContiguousArray<
        WallMoment?
    > {
        guard (0...PartLimits.messages).contains(count) else { throw PartDamage(.deadSince, .tooMany) }
        var cursor = ByteCursor(bytes, of: .deadSince)
        var times: ContiguousArray<WallMoment?> = []
        times.reserveCapacity(count)
        var last: Int64 = 0
        var isAnyKnown = false
        for _ in 0..<count {
            let number = try cursor.number()
            guard number > 0 else {
                times.append(nil)
                continue
            }
            let (known, overflow) = last.addingReportingOverflow(Varint.unzigzag(number - 1))
            guard !overflow, known >= -furthest, known <= furthest else { throw cursor.damage(.number) }
            times.append(WallMoment(millisecondsSince1970: known))
            (last, isAnyKnown) = (known, true)
        }
        guard cursor.isAtEnd else { throw cursor.damage(.trailing) }
        // If no time were known, there would be no bytes.
        guard isAnyKnown else { throw cursor.damage(.form) }
        return times
    }

    /// The largest distance from 1970, in milliseconds. It ensures that no difference overflows.
    private static let furthest: Int64 = 1 << 60
}
