/// Numbers of messages or subscriptions that something happened to, with the moment of each, as webhooks are
/// to be told of them.
///
/// **Layout.** The byte 1, then for each until the end two numbers: by how much it exceeds the one before (of
/// the first: 0), and by how many milliseconds its moment lies after that of the one before (of the first:
/// 1970), both zigzag and unsigned LEB128 in its shortest form.
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
    private static let mostEntries = 1 << 20

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

    /// - Parameter count: as the record has it.
    package init(decoding bytes: [UInt8], count: Int) throws(PartDamage) {
        guard (0...Self.mostEntries).contains(count) else { throw PartDamage(.events, .tooMany) }
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
