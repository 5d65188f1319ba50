/// A whole frame without its length and kind.
package struct LinkFrame: Equatable, Sendable {
    package let kind: LinkFrameKind
    package let bytes: [UInt8]
    package init(kind: LinkFrameKind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }
}

/// Feed bytes in, and sometimes a whole frame comes out. Never touches a descriptor. A frame is gathered in the array
/// that it leaves in: one copy.
package struct FrameDecoder: Sendable {
    /// Whole frames that nobody has taken yet, the last one first.
    private var whole: [LinkFrame] = []
    /// Length and kind of the frame under way, as far as they have come.
    private var head: [UInt8] = []
    /// What follows them.
    private var body: [UInt8] = []
    /// What they say: of which kind it is, and how many bytes are still to come; nil: they are not whole yet.
    private var current: (kind: LinkFrameKind, missing: Int)?
    /// Nothing can be read any more.
    private var fault: LinkError?

    private static let headBytes = 5
    /// Room that is made for a frame before its bytes have come.
    private static let mostReservedBytes = 1 << 20

    package init() {}

    /// Adds what was read. The pointer is used during the call only.
    @unsafe package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        var rest = unsafe bytes[...]
        var came: [LinkFrame] = []
        while fault == nil, unsafe !rest.isEmpty || current?.missing == 0 {
            guard let (kind, missing) = current else {
                let taken = unsafe rest.prefix(Self.headBytes - head.count)
                unsafe head.append(contentsOf: taken)
                unsafe rest = rest.dropFirst(taken.count)
                if head.count == Self.headBytes { begin() }
                continue
            }
            let taken = unsafe rest.prefix(missing)
            unsafe body.append(contentsOf: taken)
            unsafe rest = rest.dropFirst(taken.count)
            current = unsafe (kind, missing - taken.count)
            guard unsafe taken.count == missing else { break }
            came.append(LinkFrame(kind: kind, bytes: body))
            (body, current) = ([], nil)
            head.removeAll(keepingCapacity: true)
        }
        if !came.isEmpty { whole = came.reversed() + whole }
    }

    package mutating func feed(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe feed($0) }
    }

    /// The head is whole.
    private mutating func begin() {
        let length = head[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length >= 1, length <= ChildLink.maximumFrameBytes else {
            return fault = .frameTooLong(bytes: length)
        }
        guard let kind = LinkFrameKind(rawValue: head[4]) else { return fault = .unknownKind(head[4]) }
        current = (kind, length - 1)
        body.reserveCapacity(min(length - 1, Self.mostReservedBytes))
    }

    /// The next frame, or nil while more bytes are needed.
    package mutating func next() throws(LinkError) -> LinkFrame? {
        if let frame = whole.popLast() { return frame }
        if let fault { throw fault }
        return nil
    }

    /// Bytes of a frame that is not whole yet: at the end of a link, a sign that the other end died in
    /// mid-sentence.
    package var pendingBytes: Int { head.count + body.count }
}
