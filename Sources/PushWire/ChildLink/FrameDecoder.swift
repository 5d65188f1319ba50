/// A whole frame without its length and kind.
package struct LinkFrame: Equatable, Sendable {
    package let kind: LinkFrameKind
    package let bytes: [UInt8]
    package init(kind: LinkFrameKind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }
}

/// Feed bytes in, and sometimes a whole frame comes out. Never touches a descriptor.
package struct FrameDecoder: Sendable {
    private var buffer: [UInt8] = []
    private var head = 0

    package init() {}

    /// Adds what was read. The pointer is used during the call only.
    @unsafe package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        if head > 0, head == buffer.count || head > 1 << 20 {
            buffer.removeFirst(head)
            head = 0
        }
        unsafe buffer.append(contentsOf: bytes)
    }

    package mutating func feed(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe feed($0) }
    }

    /// The next frame, or nil while more bytes are needed.
    package mutating func next() throws(LinkError) -> LinkFrame? {
        guard buffer.count - head >= 5 else { return nil }
        let length =
            Int(buffer[head]) | Int(buffer[head + 1]) << 8 | Int(buffer[head + 2]) << 16 | Int(
                buffer[head + 3]) << 24
        guard length >= 1, length <= ChildLink.maximumFrameBytes else { throw .frameTooLong(bytes: length) }
        guard let kind = LinkFrameKind(rawValue: buffer[head + 4]) else {
            throw .unknownKind(buffer[head + 4])
        }
        guard buffer.count - head >= 4 + length else { return nil }
        let frame = LinkFrame(kind: kind, bytes: Array(buffer[head + 5..<head + 4 + length]))
        head += 4 + length
        return frame
    }

    /// Bytes of a frame that is not whole yet: at the end of a link, a sign that the other end died in
    /// mid-sentence.
    package var pendingBytes: Int { buffer.count - head }
}
