package import PushModel

/// Builds the frame of a grant: the messages that a child may send, each with the data for rendering and
/// addressing it.
///
/// Layout: `u32 grant · u32 job · u64 since · u32 count · entries`; an entry is `u64 message · u64 id high ·
/// u64 id low · u32 integer id · u8 attempts · u16 token length · token · u16 parameters length ·
/// parameters`. The builder appends rows as the store reads them, so each message is copied only once.
package struct GrantFrameBuilder: Sendable {
    private var writer: ByteWriter
    private let start: Int
    private let countPosition: Int
    package private(set) var count: UInt32 = 0

    /// The size of an entry without parameters, with a margin.
    package static let usualEntryBytes = 112

    /// - Parameters:
    ///   - entryBytes: The expected size of an entry. A frame that has to grow is copied.
    ///   - since: See ``GrantFrame/since``.
    package init(
        grant: GrantID, job: JobID, expectedMessages: Int, entryBytes: Int = Self.usualEntryBytes,
        since: MonotonicTime? = nil
    ) {
        writer = ByteWriter(reservingBytes: 32 + expectedMessages * entryBytes)
        start = writer.beginFrame(.grant)
        writer.append(grant)
        writer.append(job)
        writer.append(since?.nanoseconds ?? 0)
        countPosition = writer.bytes.count
        writer.append(UInt32(0))
    }

    /// Adds a message. The integer id has 32 bits and is used only if the job's messages have integer ids.
    /// The token and the parameters are shorter than 64 kB, because the store limits their length when it
    /// writes them. Anything longer is cut.
    package mutating func append(
        _ message: MessageID, id: OpaqueID, integerID: Int64, attempts: Int,
        token: Span<UInt8>, parameters: Span<UInt8>
    ) {
        let tokenBytes = min(token.count, Int(UInt16.max))
        let parameterBytes = min(parameters.count, Int(UInt16.max))
        let parametersAt = Self.tokenAt + tokenBytes + 2
        // Unsafe for speed: the entry is built on the stack and then added in one step, because each separate
        // append would check the available capacity. Every write is within the size that is computed here.
        unsafe withUnsafeTemporaryAllocation(byteCount: parametersAt + parameterBytes, alignment: 8) {
            entry in
            unsafe entry.storeBytes(of: message.rawValue.littleEndian, as: Int64.self)
            unsafe entry.storeBytes(of: id.high.littleEndian, toByteOffset: 8, as: UInt64.self)
            unsafe entry.storeBytes(of: id.low.littleEndian, toByteOffset: 16, as: UInt64.self)
            unsafe entry.storeBytes(
                of: UInt32(truncatingIfNeeded: integerID).littleEndian, toByteOffset: 24, as: UInt32.self)
            unsafe entry.storeBytes(of: UInt8(clamping: attempts), toByteOffset: 28, as: UInt8.self)
            unsafe Self.store(token, tokenBytes, at: Self.tokenAt, of: entry)
            unsafe Self.store(parameters, parameterBytes, at: parametersAt, of: entry)
            unsafe writer.append(raw: UnsafeRawBufferPointer(entry))
        }
        count += 1
    }

    /// The offset of the token, after its two-byte length.
    private static let tokenAt = 31

    /// - Parameter start: The offset of the data. The length is written to the two bytes before it.
    @inline(__always)
    @unsafe private static func store(
        _ source: Span<UInt8>, _ size: Int, at start: Int, of entry: UnsafeMutableRawBufferPointer
    ) {
        unsafe entry.storeBytes(
            of: UInt16(truncatingIfNeeded: size).littleEndian, toByteOffset: start - 2, as: UInt16.self)
        guard size > 0 else { return }
        unsafe source.withUnsafeBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(rebasing: entry[start..<start + size])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<size]))
        }
    }

    /// The expected size of further entries like those appended so far: their average size plus an eighth,
    /// limited to the range from ``usualEntryBytes`` to ``maxReservedBytes``.
    package var likelyEntryBytes: Int {
        let average = (writer.bytes.count - start) / max(1, Int(count))
        return min(max(Self.usualEntryBytes, average + average / 8), Self.maxReservedBytes)
    }

    /// Maximum number of bytes to reserve for an entry, however large previous entries were.
    private static let maxReservedBytes = 512

    /// Returns the complete frame, ready for the link.
    package mutating func finish() -> [UInt8] {
        writer.overwrite(count, at: countPosition)
        writer.endFrame(start)
        return writer.bytes
    }
}

/// A grant as the child keeps it: the bytes of the frame, which are read in place until the grant's last
/// message is answered.
package struct GrantFrame: Sendable {
    package let grant: GrantID
    package let job: JobID
    /// The time at which the grant's messages were committed, on the monotonic clock that all processes on
    /// the machine share. `nil` if it is unknown or the messages were tried before.
    package let since: MonotonicTime?
    package let count: Int
    package let bytes: [UInt8]
    /// The offset of the first entry in ``bytes``.
    package static let firstEntry = 20

    /// Checks the bounds of every entry once, so that they need not be checked when entries are read in
    /// place.
    package init(_ frame: LinkFrame) throws(LinkError) {
        guard frame.kind == .grant else { throw .badValue(frame.kind) }
        var reader = ByteReader(frame)
        grant = try reader.identifier()
        job = try reader.identifier()
        let nanoseconds: Int64 = try reader.integer()
        since = nanoseconds > 0 ? MonotonicTime(nanoseconds: nanoseconds) : nil
        count = Int(try reader.integer(UInt32.self))
        for _ in 0..<count {
            try reader.skip(29)
            try reader.skip(Int(try reader.integer(UInt16.self)))
            try reader.skip(Int(try reader.integer(UInt16.self)))
        }
        guard reader.isAtEnd else { throw .badValue(.grant) }
        bytes = frame.bytes
    }

    /// Returns the number of the message in the entry at `offset`, which must be an offset that this frame
    /// supplied.
    @inlinable
    package func message(at offset: Int) -> MessageID {
        // See `entry(at:)`.
        MessageID(
            rawValue: unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: offset, as: Int64.self).littleEndian
            })
    }

    /// Returns the entry at `offset`, which must be ``firstEntry`` or another entry's ``GrantEntry/next``.
    @inlinable
    package func entry(at offset: Int) -> GrantEntry {
        // The initialiser checked the bounds of every entry, and every offset is derived from these bounds.
        unsafe bytes.withUnsafeBytes { base in
            let tokenLength = Int(
                unsafe base.loadUnaligned(fromByteOffset: offset + 29, as: UInt16.self).littleEndian)
            let parametersAt = offset + 31 + tokenLength
            let parametersLength = Int(
                unsafe base.loadUnaligned(fromByteOffset: parametersAt, as: UInt16.self).littleEndian)
            return unsafe GrantEntry(
                message: MessageID(
                    rawValue: base.loadUnaligned(fromByteOffset: offset, as: Int64.self).littleEndian),
                id: OpaqueID(
                    high: base.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self).littleEndian,
                    low: base.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self).littleEndian),
                integerID: Int64(
                    base.loadUnaligned(fromByteOffset: offset + 24, as: UInt32.self).littleEndian),
                attempts: base.load(fromByteOffset: offset + 28, as: UInt8.self),
                token: offset + 31..<parametersAt,
                parameters: parametersAt + 2..<parametersAt + 2 + parametersLength)
        }
    }
}

/// One message of a grant. `token` and `parameters` are ranges in the frame's bytes.
package struct GrantEntry: Equatable, Sendable {
    package let message: MessageID
    package let id: OpaqueID
    package let integerID: Int64
    package let attempts: UInt8
    package let token: Range<Int>
    package let parameters: Range<Int>

    @inlinable
    init(
        message: MessageID, id: OpaqueID, integerID: Int64, attempts: UInt8, token: Range<Int>,
        parameters: Range<Int>
    ) {
        self.message = message
        self.id = id
        self.integerID = integerID
        self.attempts = attempts
        self.token = token
        self.parameters = parameters
    }

    /// The offset of the next entry.
    @inlinable package var next: Int { parameters.upperBound }
}
