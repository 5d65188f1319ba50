/// Complete frames that wait for space, as bytes.
struct FrameQueue {
    private var bytes: [UInt8] = []
    private var start = 0
    /// The number of acknowledgements among the waiting frames. A peer can demand any number of
    /// acknowledgements.
    private(set) var acknowledgements = 0

    @inline(__always) var isEmpty: Bool { bytes.isEmpty }

    /// Moves as many bytes as fit. Returns `true` if no bytes are left.
    @inline(__always)
    mutating func move(to out: inout FrameBuffer) -> Bool { bytes.isEmpty || moveBytes(to: &out) }

    private mutating func moveBytes(to out: inout FrameBuffer) -> Bool {
        start += out.copy(bytes[start...])
        guard start == bytes.count else { return false }
        bytes.removeAll(keepingCapacity: true)
        (start, acknowledgements) = (0, 0)
        return true
    }

    // MARK: Control frames

    /// The client's preface (RFC 9113, 3.4): its fixed text, SETTINGS, and the connection's receive window.
    mutating func preface(_ configuration: HTTP2Configuration) {
        bytes += "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8
        settings([
            (2, 0),  // ENABLE_PUSH
            (4, UInt32(HTTP2Session.streamWindow)),  // INITIAL_WINDOW_SIZE
            (6, UInt32(configuration.peerLimits.headerBytes)),  // MAX_HEADER_LIST_SIZE
        ])
        windowUpdate(0, by: HTTP2Session.receiveWindow - HTTP2Session.initialWindow)
    }

    mutating func settings(_ values: [(identifier: UInt8, value: UInt32)]) {
        bytes.append(FrameHead(length: 6 * values.count, type: .settings))
        for (identifier, value) in values {
            bytes.append(0)
            bytes.append(identifier)
            bytes.append(bigEndian: value)
        }
    }

    mutating func acknowledgeSettings() {
        acknowledgements += 1
        bytes.append(FrameHead(length: 0, type: .settings, flags: FrameHead.Flag.acknowledgement))
    }

    mutating func acknowledgePing(_ payload: Span<UInt8>) {
        acknowledgements += 1
        bytes.append(FrameHead(length: 8, type: .ping, flags: FrameHead.Flag.acknowledgement))
        for index in 0..<8 { bytes.append(payload[index]) }
    }

    mutating func ping() {
        bytes.append(FrameHead(length: 8, type: .ping))
        bytes += [UInt8](repeating: 0, count: 8)
    }

    mutating func windowUpdate(_ stream: Int32, by increment: Int) {
        bytes.append(FrameHead(length: 4, type: .windowUpdate, stream: stream))
        bytes.append(bigEndian: UInt32(increment))
    }

    mutating func resetStream(_ stream: Int32, _ code: HTTP2ErrorCode) {
        bytes.append(FrameHead(length: 4, type: .resetStream, stream: stream))
        bytes.append(bigEndian: code.rawValue)
    }

    /// Appends a GOAWAY. It states that no stream of the peer was processed, because a server never opens a
    /// stream to this client.
    mutating func goAway(_ code: HTTP2ErrorCode) {
        bytes.append(FrameHead(length: 8, type: .goAway))
        bytes.append(bigEndian: 0)
        bytes.append(bigEndian: code.rawValue)
    }

    /// Appends a header block as frames (RFC 9113, 4.3), which no other frame may interrupt.
    mutating func headers(_ stream: Int32, _ block: [UInt8], endsStream: Bool) {
        var rest = block[...]
        var type = FrameHead.Kind.headers
        repeat {
            let part = rest.prefix(FrameHead.maxPayloadBytes)
            rest = rest.dropFirst(part.count)
            var flags: UInt8 = rest.isEmpty ? FrameHead.Flag.endHeaders : 0
            if type == .headers, endsStream { flags |= FrameHead.Flag.endStream }
            bytes.append(FrameHead(length: part.count, type: type, flags: flags, stream: stream))
            bytes += part
            type = .continuation
        } while !rest.isEmpty
    }
}
