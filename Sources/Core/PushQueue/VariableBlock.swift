/// The variables of some recipients of a delivery, as the delivery's target specifies them: for each
/// recipient, in order, a JSON object of strings, or nothing. They are kept as bytes and read in place.
///
/// **Layout.** For each recipient: the number of bytes, as unsigned LEB128 in its shortest form, and the
/// bytes. Nothing follows the last recipient.
package struct VariableBlock: Equatable, Sendable {
    package let bytes: [UInt8]
    /// The range of each recipient's bytes.
    private let ranges: ContiguousArray<Range<Int>>

    package var count: Int { ranges.count }

    package init(_ values: some Sequence<[UInt8]>) {
        var bytes: [UInt8] = []
        var ranges: ContiguousArray<Range<Int>> = []
        for value in values {
            Varint.append(UInt64(value.count), to: &bytes)
            let start = bytes.count
            bytes += value
            ranges.append(start..<bytes.count)
        }
        (self.bytes, self.ranges) = (bytes, ranges)
    }

    /// - Parameter count: The number of recipients, according to the row.
    package init(decoding bytes: [UInt8], count: Int) throws(PartDamage) {
        guard (0...PartLimits.messages).contains(count) else { throw PartDamage(.variables, .tooMany) }
        var cursor = ByteCursor(bytes, of: .variables)
        var ranges: ContiguousArray<Range<Int>> = []
        ranges.reserveCapacity(count)
        for _ in 0..<count {
            guard let length = Int(exactly: try cursor.number()), length <= bytes.count - cursor.offset else {
                throw cursor.damage(.truncated)
            }
            ranges.append(cursor.offset..<cursor.offset + length)
            cursor.pass(length)
        }
        guard cursor.isAtEnd else { throw cursor.damage(.trailing) }
        (self.bytes, self.ranges) = (bytes, ranges)
    }

    /// The variables of one recipient; empty if there are none.
    package subscript(_ index: Int) -> ArraySlice<UInt8> { bytes[ranges[index]] }

    /// Returns the block without the variables of these recipients.
    package func emptied(at indices: Set<Int>) -> VariableBlock {
        VariableBlock((0..<count).lazy.map { indices.contains($0) ? [] : Array(self[$0]) })
    }
}
