/// The decoder of HPACK (RFC 7541) for one connection: it reads header blocks and maintains the table that
/// the peer's encoder fills.
///
/// A block is decoded when all of it has arrived. After the first fields, decoding a field does not allocate
/// memory.
///
/// Unsafe for speed: a field is not copied but lent where it is stored: in the block, in the table, or in the
/// memory for decoded Huffman codes. Every read of the block is checked; ``insert()`` keeps the table's
/// entries within its memory.
package struct HPACKDecoder: ~Copyable {
    package enum Step {
        /// ``name`` and ``value`` are the next field.
        case field
        case end
        case malformed
    }

    /// The last decoded field. It is valid until the next call of ``next(_:from:)``, as long as the block is
    /// valid.
    package private(set) var name = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    package private(set) var value = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    private struct Entry: BitwiseCopyable {
        var start: UnsafePointer<UInt8>
        var nameBytes, valueBytes: Int
        var size: Int { nameBytes + valueBytes + 32 }
        var name: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: nameBytes) }
        var value: UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: start + nameBytes, count: valueBytes)
        }
    }

    /// The default table size. It applies because we do not send SETTINGS_HEADER_TABLE_SIZE.
    private static let mostTableBytes = 4096
    private static let maxEntries = mostTableBytes / 32
    private static let memoryBytes = 4 * mostTableBytes

    /// The fields of the static table.
    private let fixed: Slab<Entry>
    private let fixedMemory: UnsafeMutablePointer<UInt8>
    /// The entries of the table as a ring, and their bytes, in the order of insertion.
    private var ring: Slab<Entry>
    private var newest = 0
    private var count = 0
    private let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: memoryBytes)
    private var used = 0
    private var tableBytes = 0
    private var maxTableBytes = mostTableBytes
    /// The memory for decoded Huffman codes: a name, then a value.
    private var scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: 1024)
    private var scratchBytes = 1024
    /// Whether a field of this block was decoded, after which the table's size must not change.
    private var hasFields = false

    package init() {
        let fields = HPACKStaticTable.fields
        var fixed = Slab<Entry>(capacity: fields.count)
        fixedMemory = .allocate(capacity: fields.reduce(0) { $0 + $1.name.count + $1.value.count })
        var end = fixedMemory
        for (name, value) in fields {
            fixed.append(Entry(start: end, nameBytes: name.count, valueBytes: value.count))
            for byte in name + value {
                end.initialize(to: byte)
                end += 1
            }
        }
        self.fixed = fixed
        ring = Slab(capacity: Self.maxEntries)
        for _ in 0..<Self.maxEntries { ring.append(Entry(start: memory, nameBytes: 0, valueBytes: 0)) }
    }

    deinit {
        fixedMemory.deallocate()
        memory.deallocate()
        scratch.deallocate()
    }

    // MARK: Fields

    /// Decodes the next field of a block.
    /// - Parameter offset: The start of the field; 0 for the first.
    package mutating func next(_ block: UnsafeBufferPointer<UInt8>, from offset: inout Int) -> Step {
        if offset == 0 { hasFields = false }
        while offset < block.count {
            let first = block[offset]
            guard first & 0xE0 != 0x20 else {
                guard !hasFields, let size = integer(block, &offset, prefix: 5), size <= Self.mostTableBytes
                else { return .malformed }
                maxTableBytes = size
                evict(for: 0)
                continue
            }
            hasFields = true
            if first & 0x80 != 0 {
                guard let index = integer(block, &offset, prefix: 7), let entry = entry(index) else {
                    return .malformed
                }
                (name, value) = (entry.name, entry.value)
                return .field
            }
            let inserts = first & 0x40 != 0
            return takeLiteral(block, &offset, inserts: inserts) ? .field : .malformed
        }
        return .end
    }

    private mutating func takeLiteral(
        _ block: UnsafeBufferPointer<UInt8>, _ offset: inout Int, inserts: Bool
    ) -> Bool {
        // The table must be compacted before any part of its memory is lent.
        if inserts, used + Self.mostTableBytes > Self.memoryBytes { compact() }
        guard let index = integer(block, &offset, prefix: inserts ? 6 : 4) else { return false }
        var scratchUsed = 0
        if index > 0 {
            guard let entry = entry(index) else { return false }
            name = entry.name
        } else {
            guard let text = string(block, &offset, &scratchUsed) else { return false }
            name = text
        }
        guard let text = string(block, &offset, &scratchUsed) else { return false }
        value = text
        if inserts { insert() }
        return true
    }

    private func entry(_ index: Int) -> Entry? {
        guard index > 0 else { return nil }
        if index <= fixed.count { return fixed[index - 1] }
        let age = index - fixed.count - 1
        return age < count ? ring[(newest - age + Self.maxEntries) % Self.maxEntries] : nil
    }

    /// Decodes an integer (RFC 7541, 5.1). Returns `nil` if the block ends within it, or if the integer is
    /// larger than any valid value.
    private func integer(_ block: UnsafeBufferPointer<UInt8>, _ offset: inout Int, prefix: Int) -> Int? {
        guard offset < block.count else { return nil }
        let most = 1 << prefix - 1
        var result = Int(block[offset]) & most
        offset += 1
        guard result == most else { return result }
        for shift in stride(from: 0, through: 28, by: 7) {
            guard offset < block.count else { return nil }
            let byte = Int(block[offset])
            offset += 1
            result += (byte & 0x7F) << shift
            guard byte & 0x80 != 0 else { return result <= Self.maxInteger ? result : nil }
        }
        return nil
    }

    /// The largest integer that the decoder accepts. A valid block never contains a larger one.
    private static let maxInteger = 1 << 24

    /// Decodes a string (RFC 7541, 5.2).
    /// - Parameter used: The number of bytes of the scratch memory that hold the field's name.
    private mutating func string(
        _ block: UnsafeBufferPointer<UInt8>, _ offset: inout Int, _ used: inout Int
    ) -> UnsafeBufferPointer<UInt8>? {
        guard offset < block.count else { return nil }
        let isCoded = block[offset] & 0x80 != 0
        guard let length = integer(block, &offset, prefix: 7), length <= block.count - offset else {
            return nil
        }
        let bytes = UnsafeBufferPointer(rebasing: block[offset..<offset + length])
        offset += length
        guard isCoded else { return bytes }
        reserve(used + HuffmanCode.room(forCoded: length), keeping: used)
        guard let count = HuffmanCode.decode(bytes, to: scratch + used) else { return nil }
        defer { used += count }
        return UnsafeBufferPointer(start: scratch + used, count: count)
    }

    private mutating func reserve(_ bytes: Int, keeping used: Int) {
        guard bytes > scratchBytes else { return }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * bytes)
        larger.update(from: scratch, count: used)
        // The name of the current field is at the beginning of the memory.
        if used > 0 { name = UnsafeBufferPointer(start: larger, count: used) }
        scratch.deallocate()
        (scratch, scratchBytes) = (larger, 2 * bytes)
    }

    // MARK: The table

    /// Inserts the last field into the table. A field that is larger than the table empties it (RFC 7541,
    /// 4.4).
    private mutating func insert() {
        let size = name.count + value.count + 32
        evict(for: size)
        guard size <= maxTableBytes else { return }
        // The space is sufficient: see ``takeLiteral(_:_:inserts:)``. This does not overwrite evicted
        // entries.
        let start = memory + used
        if let bytes = name.baseAddress { start.update(from: bytes, count: name.count) }
        if let bytes = value.baseAddress { (start + name.count).update(from: bytes, count: value.count) }
        used += name.count + value.count
        newest = (newest + 1) % Self.maxEntries
        ring[newest] = Entry(start: start, nameBytes: name.count, valueBytes: value.count)
        count += 1
        tableBytes += size
    }

    private mutating func evict(for bytes: Int) {
        while tableBytes + bytes > maxTableBytes, count > 0 {
            tableBytes -= ring[oldest].size
            count -= 1
        }
    }

    private var oldest: Int { (newest - count + 1 + Self.maxEntries) % Self.maxEntries }

    /// Moves the entries to the beginning of the memory to free the rest.
    private mutating func compact() {
        guard count > 0 else { return used = 0 }
        let start = UnsafePointer(ring[oldest].start)
        let live = UnsafePointer(memory + used) - start
        memory.update(from: start, count: live)
        let distance = start - UnsafePointer(memory)
        for age in 0..<count { ring[(newest - age + Self.maxEntries) % Self.maxEntries].start -= distance }
        used = live
    }
}
