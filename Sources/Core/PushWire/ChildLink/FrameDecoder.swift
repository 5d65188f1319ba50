/// A complete frame: its kind, and its payload in `bytes`.
package struct LinkFrame: Equatable, Sendable {
    package let kind: LinkFrameKind
    package let bytes: [UInt8]
    package init(kind: LinkFrameKind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }
}

/// Assembles received bytes into complete frames. It never accesses a descriptor. A frame is collected in the
/// same array that is later returned, so its bytes are copied only once.
package struct FrameDecoder: Sendable {
    /// Complete frames that ``next()`` has not returned yet, in reverse order of arrival.
    private var whole: [LinkFrame] = []
    /// The received part of the current frame's length and kind.
    private var head: [UInt8] = []
    /// The received part of the current frame's payload.
    private var body: [UInt8] = []
    /// The kind of the current frame, and the number of bytes still to come; `nil` until length and kind are
    /// complete.
    private var current: (kind: LinkFrameKind, missing: Int)?
    /// The fault that prevents further reading; `nil` if there is none.
    private var fault: LinkError?

    private static let headBytes = 5
    /// Maximum number of bytes that are reserved for a frame before it has been received.
    private static let maxReservedBytes = 1 << 20

    package init() {}

    /// Adds received bytes. The pointer is used only during the call.
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

    /// Starts a frame whose length and kind are complete.
    private mutating func begin() {
        let length = head[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length >= 1, length <= ChildLink.maximumFrameBytes else {
            return fault = .frameTooLong(bytes: length)
        }
        guard let kind = LinkFrameKind(rawValue: head[4]) else { return fault = .unknownKind(head[4]) }
        current = (kind, length - 1)
        body.reserveCapacity(min(length - 1, Self.maxReservedBytes))
    }

    /// Returns the next frame, or `nil` if more bytes are needed.
    package mutating func next() throws(LinkError) -> LinkFrame? {
        if let frame = whole.popLast() { return frame }
        if let fault { throw fault }
        return nil
    }

    /// The number of bytes received so far of an incomplete frame. If this number is not 0 when the link is
    /// closed, the other end probably died while sending.
    package var pendingBytes: Int { head.count + body.count }
}
