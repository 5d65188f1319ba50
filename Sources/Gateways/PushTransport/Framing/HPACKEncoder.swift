/// The encoder of HPACK (RFC 7541) for one connection: it mirrors the dynamic table of the peer's decoder,
/// and writes fields without Huffman coding.
///
/// The caller decides which fields are inserted into the table. Each insertion changes the index of every
/// entry, so bytes that refer to an index are valid for one ``generation`` only.
package struct HPACKEncoder {
    /// The representation of a field that is not in a table (RFC 7541, 6.2).
    package enum Literal: Sendable {
        /// The field is inserted into the table.
        case inserted
        case plain
        /// Intermediaries must not index the field either.
        case neverIndexed

        var pattern: UInt8 {
            switch self {
            case .inserted: 0x40
            case .plain: 0
            case .neverIndexed: 0x10
            }
        }
        /// The number of bits of the first byte that belong to the index of the name.
        var prefix: Int { self == .inserted ? 6 : 4 }
    }

    private struct Entry {
        let name, value: [UInt8]
        var size: Int { HPACKEncoder.size(of: name.count, value.count) }
    }

    /// The table's size at the start of a connection, which is also the maximum that we use, in bytes.
    package static let usualTableBytes = 4096

    /// The entries of the table, the newest first.
    private var entries: [Entry] = []
    package private(set) var tableBytes = 0
    package private(set) var maxTableBytes = usualTableBytes
    /// Changes when the indexes of earlier blocks become invalid. Never 0.
    package private(set) var generation: UInt32 = 1
    /// The smallest size of the table since the last block; `nil` if the peer knows the current size (RFC
    /// 7541, 4.2).
    private var smallestChange: Int?

    package init() {}

    /// Returns the size of a field in the table (RFC 7541, 4.1).
    package static func size(of name: Int, _ value: Int) -> Int { name + value + 32 }

    // MARK: The table's size

    /// Applies the peer's SETTINGS_HEADER_TABLE_SIZE. The next block starts with the resulting size updates.
    package mutating func limitTable(to bytes: UInt32) {
        let bytes = min(Int(bytes), Self.usualTableBytes)
        guard bytes != maxTableBytes else { return }
        smallestChange = min(smallestChange ?? bytes, bytes)
        maxTableBytes = bytes
        beginGeneration()
        evict(for: 0)
    }

    package var owesUpdate: Bool { smallestChange != nil }

    /// Starts a block with the table size updates that are due.
    package mutating func appendUpdates(to block: inout [UInt8]) {
        guard let smallest = smallestChange else { return }
        smallestChange = nil
        if smallest < maxTableBytes { HPACKInteger.append(smallest, prefix: 5, pattern: 0x20, to: &block) }
        HPACKInteger.append(maxTableBytes, prefix: 5, pattern: 0x20, to: &block)
    }

    private mutating func beginGeneration() { generation &+= generation == .max ? 2 : 1 }

    private mutating func evict(for bytes: Int) {
        while tableBytes + bytes > maxTableBytes, let oldest = entries.popLast() { tableBytes -= oldest.size }
    }

    // MARK: Fields

    /// Returns the index of a field in the static or the dynamic table.
    package func index(of name: [UInt8], _ value: [UInt8]) -> Int? {
        if let index = HPACKStaticTable.index(of: name, value) { return index }
        return entries.firstIndex { $0.name == name && $0.value == value }
            .map { HPACKStaticTable.fields.count + 1 + $0 }
    }

    /// Returns the index of a name in the static or the dynamic table.
    package func index(of name: [UInt8]) -> Int? {
        if let index = HPACKStaticTable.index(of: name) { return index }
        return entries.firstIndex { $0.name == name }.map { HPACKStaticTable.fields.count + 1 + $0 }
    }

    /// Appends a field by its index if it is in a table, and as the given literal otherwise.
    package mutating func append(
        _ name: [UInt8], _ value: [UInt8], else literal: Literal, to block: inout [UInt8]
    ) {
        if literal != .neverIndexed, let index = index(of: name, value) {
            return HPACKInteger.append(index, prefix: 7, pattern: 0x80, to: &block)
        }
        appendName(name, as: literal, to: &block)
        HPACKInteger.append(value.count, prefix: 7, to: &block)
        block += value
        if literal == .inserted { insert(name, value) }
    }

    /// Appends the start of a literal: everything before the length of its value.
    package func appendName(_ name: [UInt8], as literal: Literal, to block: inout [UInt8]) {
        if let index = index(of: name) {
            return HPACKInteger.append(index, prefix: literal.prefix, pattern: literal.pattern, to: &block)
        }
        block.append(literal.pattern)
        HPACKInteger.append(name.count, prefix: 7, to: &block)
        block += name
    }

    /// A field larger than the table empties it (RFC 7541, 4.4).
    private mutating func insert(_ name: [UInt8], _ value: [UInt8]) {
        let entry = Entry(name: name, value: value)
        beginGeneration()
        evict(for: entry.size)
        guard entry.size <= maxTableBytes else { return }
        entries.insert(entry, at: 0)
        tableBytes += entry.size
    }
}
