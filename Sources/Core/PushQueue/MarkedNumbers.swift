/// The numbers of the messages or subscriptions that an event happened to, each with the time of that event,
/// for webhooks.
///
/// **Layout.** The byte 1, then two numbers for each entry until the end: the difference from the previous
/// message or subscription number (for the first: from 0), and the difference in milliseconds from the
/// previous time (for the first: from 1970). Both are zigzag-encoded, and then written as unsigned LEB128 in
/// its shortest form.
package struct MarkedNumbers: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package var number: Int64
        package var millisecondsSince1970: Int64

        package init(number: Int64, millisecondsSince1970: Int64) {
            self.number = number
            self.millisecondsSince1970 = millisecondsSince1970
        }
    }

    private static let layout: UInt8 = 1
    private static let maxEntries = 1 << 20

    package var entries: ContiguousArray<Entry> = []

    package init() {}

    package var encoded: [UInt8] {
        var bytes = [Self.layout]
        bytes.reserveCapacity(1 + entries.count * 5)
        var last = Entry(number: 0, millisecondsSince1970: 0)
        for entry in entries {
            Varint.append(Varint.zigzag(entry.number &- last.number), to: &bytes)
            Varint.append(
                Varint.zigzag(entry.millisecondsSince1970 &- last.millisecondsSince1970), to: &bytes)
            last = entry
        }
        return bytes
    }

    /// - Parameter count: The number of entries, according to the record.
    package init(decoding bytes: [UInt8], count: Int) throws(PartDamage) {
        guard (0...Self.maxEntries).contains(count) else { throw PartDamage(.events, .tooMany) }
        var cursor = ByteCursor(bytes, of: .events)
        guard try cursor.byte() == Self.layout else { throw PartDamage(.events, .unknownLayout, at: 0) }
        var last = Entry(number: 0, millisecondsSince1970: 0)
        while !cursor.isAtEnd {
            last.number &+= Varint.unzigzag(try cursor.number())
            last.millisecondsSince1970 &+= Varint.unzigzag(try cursor.number())
            guard entries.count < count else { throw cursor.damage(.count) }
            entries.append(last)
        }
        guard entries.count == count else { throw cursor.damage(.count) }
    }
}
