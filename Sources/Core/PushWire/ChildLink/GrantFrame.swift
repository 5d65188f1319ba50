package import PushModel

/// A grant on its way to a child: messages that it may send, each with what rendering and addressing need.
///
/// Layout: `u32 grant · u32 job · u64 since · u32 count · entries`; an entry is
/// `u64 message · u64 id high · u64 id low · u32 integer id · u8 attempts · u16 token length · token ·
/// u16 parameters length · parameters`. The builder appends rows as the store reads them, so a message costs
/// one copy.
package struct GrantFrameBuilder: Sendable {
    private var writer: ByteWriter
    private let start: Int
    private let countPosition: Int
    package private(set) var count: UInt32 = 0

    /// Of an entry without parameters, with room to spare.
    package static let usualEntryBytes = 112

    /// - Parameters:
    ///   - entryBytes: what an entry has, as far as that is known: a frame that grows is copied.
    ///   - since: see ``GrantFrame/since``.
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

    /// Adds a message. An integer id has 32 bits and is sent where the job's messages have such. Token and parameters
    /// are shorter than 64 kB: the store's columns are bounded where they are written, and what is longer is cut.
    package mutating func append(
        _ message: MessageID, id: OpaqueID, integerID: Int64, attempts: Int,
        token: Span<UInt8>, parameters: Span<UInt8>
    ) {
        let tokenBytes = min(token.count, Int(UInt16.max))
        let parameterBytes = min(parameters.count, Int(UInt16.max))
        let parametersAt = Self.tokenAt + tokenBytes + 2
        // Unsafe for speed: on the stack, and then added at once, because each addition looks whether there is room.
        // Every store is within the size that is counted here.
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

    /// Behind its length, which has two bytes.
    private static let tokenAt = 31

    /// - Parameter start: there is room from two bytes before it on.
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

    /// What to expect of entries like these: their average with an eighth more, and no less than the usual.
    package var likelyEntryBytes: Int {
        let average = (writer.bytes.count - start) / max(1, Int(count))
        return min(max(Self.usualEntryBytes, average + average / 8), Self.mostReservedBytes)
    }

    /// Nobody reserves more for an entry, whatever those before had.
    private static let mostReservedBytes = 512

    /// The whole frame, ready for the link.
    package mutating func finish() -> [UInt8] {
        writer.overwrite(count, at: countPosition)
        writer.endFrame(start)
        return writer.bytes
    }
}

/// A grant as the child holds it: the frame's bytes, read in place until the last of its messages is
/// answered.
package struct GrantFrame: Sendable {
    package let grant: GrantID
    package let job: JobID
    /// When its messages were committed, by the machine's monotonic clock, which all its processes share;
    /// nil: unknown, or they were tried before.
    package let since: MonotonicTime?
    package let count: Int
    package let bytes: [UInt8]
    /// Where the first entry stands in ``bytes``.
    package static let firstEntry = 20

    /// Checks every entry's bounds once, so that reading in place later need not.
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

    /// The number of the message whose entry stands at an offset that this frame gave out.
    @inlinable
    package func message(at offset: Int) -> MessageID {
        // As for `entry(at:)`.
        MessageID(
            rawValue: unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: offset, as: Int64.self).littleEndian
            })
    }

    /// The entry at an offset that this frame gave out: ``firstEntry`` or some entry's ``GrantEntry/next``.
    @inlinable
    package func entry(at offset: Int) -> GrantEntry {
        // Every entry was bounds-checked by the initialiser, and offsets come from there.
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

/// One message of a grant; token and parameters are ranges of the frame's bytes.
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

    /// Where the following entry stands.
    @inlinable package var next: Int { parameters.upperBound }
}
