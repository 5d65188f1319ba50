package import PushModel

/// Appends integers, texts and byte strings to a growing buffer in the layout of the child link.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(reservingBytes capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    package mutating func append(_ value: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    @inline(__always)
    package mutating func append(_ value: some LinkIdentifier) { append(value.rawValue) }

    package mutating func append(_ value: Bool) { append(UInt8(value ? 1 : 0)) }

    /// Appends a byte string of less than 4 GiB, preceded by its length.
    package mutating func append(_ value: [UInt8]) {
        append(UInt32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
    }

    package mutating func append(_ value: String) { append(Array(value.utf8)) }

    /// Begins a frame. ``endFrame(_:)`` fills in the length.
    package mutating func beginFrame(_ kind: LinkFrameKind) -> Int {
        let start = bytes.count
        append(UInt32(0))
        append(kind.rawValue)
        return start
    }

    package mutating func endFrame(_ start: Int) {
        overwrite(UInt32(truncatingIfNeeded: bytes.count - start - 4), at: start)
    }

    /// Replaces four bytes that were written earlier in place of a count or a length that was not yet known.
    package mutating func overwrite(_ value: UInt32, at position: Int) {
        for index in 0..<4 { bytes[position + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
    }

    /// Appends borrowed bytes unchanged: one copy, and no allocation once the buffer has grown.
    @inline(__always)
    @unsafe mutating func append(raw source: UnsafeRawBufferPointer) {
        unsafe bytes.append(contentsOf: source)
    }

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
    package var isEmpty: Bool { bytes.isEmpty }
}
