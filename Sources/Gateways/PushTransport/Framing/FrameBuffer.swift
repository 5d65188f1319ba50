/// The free space at the end of a stream's outgoing buffer, and the bytes that were written there. The
/// stream's owner lends the space.
///
/// Unsafe for speed: frames of many requests are written directly into the send buffer. Each write is
/// preceded by a check of the free space.
struct FrameBuffer: ~Copyable {
    private var start: UnsafeMutableRawPointer?
    private var size = 0
    /// The number of bytes that were written and not yet taken.
    private(set) var count = 0
    /// The number of bytes that were taken so far.
    private var taken: UInt64 = 0

    init() {}

    /// The number of bytes that still fit.
    @inline(__always) var room: Int { size - count }
    /// The position of the next byte, counted from the first byte ever written.
    @inline(__always) var position: UInt64 { taken &+ UInt64(count) }

    /// - Parameter memory: The memory to use, valid until the next call. All written bytes must have been
    ///   taken.
    mutating func setBuffer(_ memory: UnsafeMutableRawBufferPointer) {
        precondition(count == 0, "frames would be lost")
        (start, size) = (memory.baseAddress, memory.count)
    }

    /// Returns the number of bytes written at the start of the lent memory, and counts them as taken.
    mutating func take() -> Int {
        defer { count = 0 }
        taken &+= UInt64(count)
        start = start.map { $0 + count }
        size -= count
        return count
    }

    /// Returns memory for the given number of bytes, which count as written; `nil` if they do not fit.
    @inline(__always)
    mutating func reserve(_ bytes: Int) -> UnsafeMutableRawPointer? {
        guard bytes <= size - count, let start else { return nil }
        defer { count += bytes }
        return start + count
    }

    /// Copies as many bytes of an array as fit, and returns their number.
    mutating func copy(_ bytes: ArraySlice<UInt8>) -> Int {
        let length = min(bytes.count, room)
        guard length > 0, let memory = reserve(length) else { return 0 }
        bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: length) }
        return length
    }
}

extension UnsafeMutableRawPointer {
    /// Writes the head of a frame, which is ``FrameHead/bytes`` long.
    @inline(__always)
    func store(_ head: FrameHead) {
        let first =
            UInt64(head.length) << 40 | UInt64(head.type) << 32 | UInt64(head.flags) << 24
            | UInt64(UInt32(bitPattern: head.stream) >> 8)
        storeBytes(of: first.bigEndian, as: UInt64.self)
        storeBytes(of: UInt8(truncatingIfNeeded: head.stream), toByteOffset: 8, as: UInt8.self)
    }
}

extension [UInt8] {
    mutating func append(_ head: FrameHead) {
        append(bigEndian: UInt32(head.length) << 8 | UInt32(head.type))
        append(head.flags)
        append(bigEndian: UInt32(bitPattern: head.stream))
    }
    mutating func append(bigEndian value: UInt32) {
        for shift in [24, 16, 8, 0] as [UInt32] { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
