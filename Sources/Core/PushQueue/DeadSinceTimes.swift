package import PushModel

/// Since when the tokens of a row of verdicts are dead, by index, where their gateway says so.
///
/// **Layout.** A number for each verdict, nothing after them:
///
/// | | |
/// |---|---|
/// | 0 | nobody says since when |
/// | 1 + *d* | *d*: the difference in milliseconds to the last one before that is known, or to 1970; signs as in zigzag |
///
/// where a number is unsigned LEB128 in its shortest form. Where none is known there are no bytes at all.
package enum DeadSinceTimes {
    /// - Returns: nil: none is known. A time further from 1970 than any clock goes becomes the last that one
    ///   does.
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

    /// - Parameter count: of verdicts, as their row has it.
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
        // Else there would be no bytes.
        guard isAnyKnown else { throw cursor.damage(.form) }
        return times
    }

    /// Milliseconds: so that no difference overflows.
    private static let furthest: Int64 = 1 << 60
}
