package import PushModel

/// Reads the output of ``ByteWriter``. Every length is checked against the available bytes before it is used.
package struct ByteReader {
    private let bytes: [UInt8]
    package private(set) var position: Int
    private let end: Int
    private let kind: LinkFrameKind

    package init(_ frame: LinkFrame) {
        self.init(frame.bytes, kind: frame.kind)
    }

    package init(_ bytes: [UInt8], kind: LinkFrameKind, from position: Int = 0) {
        self.bytes = bytes
        self.position = position
        self.end = bytes.count
        self.kind = kind
    }

    package var isAtEnd: Bool { position >= end }

    package mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(LinkError)
        -> Value
    {
        let width = MemoryLayout<Value>.size
        guard end - position >= width else { throw .truncated(kind) }
        // Unaligned by design. The bound was checked above.
        let value = unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: position, as: Value.self)
        }
        position += width
        return Value(littleEndian: value)
    }

    package mutating func identifier<ID: LinkIdentifier>() throws(LinkError) -> ID {
        ID(rawValue: try integer())
    }

    package mutating func boolean() throws(LinkError) -> Bool { try integer(UInt8.self) != 0 }

    package mutating func byteString() throws(LinkError) -> [UInt8] {
        let count = Int(try integer(UInt32.self))
        guard end - position >= count else { throw .truncated(kind) }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    package mutating func text() throws(LinkError) -> String {
        String(decoding: try byteString(), as: UTF8.self)
    }

    /// Skips bytes that will be read in place later.
    package mutating func skip(_ count: Int) throws(LinkError) {
        guard count >= 0, end - position >= count else { throw .truncated(kind) }
        position += count
    }
}
