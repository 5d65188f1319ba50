internal import CPushShims
internal import Glibc
internal import PushSystem
package import PushWire

/// The master's end of one child's link. It writes bytes when the socket accepts them, and reads frames.
package struct ChildLinkEnd {
    /// -1 once the descriptor has been closed, because another file may then have the same number.
    private var descriptor: Int32
    private var decoder = FrameDecoder()
    private var outgoing: [[UInt8]] = []
    private var sentOfFirst = 0
    package private(set) var waitingBytes = 0

    package init(descriptor: Int32) { self.descriptor = descriptor }

    package enum Reading {
        /// Frames; the list may be empty. The link is still open.
        case frames([LinkFrame])
        /// The frames that arrived before the end of the link, and the reason why it ended.
        case ended([LinkFrame], why: String)
    }

    package var wantsToWrite: Bool { !outgoing.isEmpty }

    /// Closes the link. No byte is sent afterwards, and waiting bytes are discarded.
    package mutating func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
        outgoing = []
        sentOfFirst = 0
        waitingBytes = 0
    }

    package mutating func send(_ frame: [UInt8]) {
        guard descriptor >= 0 else { return }
        outgoing.append(frame)
        waitingBytes += frame.count
        flush()
    }

    package mutating func send(_ order: LinkOrder) {
        var writer = ByteWriter()
        order.encode(into: &writer)
        send(writer.bytes)
    }

    /// Writes as much as the socket accepts. Errors are not handled here: the reading side detects the end of
    /// the link.
    package mutating func flush() {
        while let first = outgoing.first {
            let sent = unsafe first.withUnsafeBytes { bytes -> Int in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sentOfFirst...])
                guard let base = rest.baseAddress else { return 0 }
                return unsafe push_send(descriptor, base, rest.count)
            }
            guard sent >= 0 else { return }
            sentOfFirst += sent
            waitingBytes -= sent
            if sentOfFirst < first.count { return }
            outgoing.removeFirst()
            sentOfFirst = 0
        }
    }

    /// Reads until the socket is empty, but fills the buffer at most four times. With `toTheEnd`, reads until
    /// the link ends.
    /// - Parameter toTheEnd: `true` only after the child's process has ended.
    package mutating func receive(buffer: inout [UInt8], toTheEnd: Bool) -> Reading {
        var frames: [LinkFrame] = []
        var reads = 0
        do {
            while true {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    unsafe buffer.withUnsafeBytes {
                        unsafe decoder.feed(UnsafeRawBufferPointer(rebasing: $0[..<count]))
                    }
                    while let frame = try decoder.next() { frames.append(frame) }
                    reads += 1
                    if !toTheEnd, reads >= 4 { return .frames(frames) }
                } else if count == 0 {
                    let why = decoder.pendingBytes > 0 ? "the link ended within a frame" : "the link ended"
                    return .ended(frames, why: why)
                } else if errno == EAGAIN {
                    // With `toTheEnd`, the child's process is dead. If the link's other end is nevertheless
                    // open, nothing more will arrive.
                    return toTheEnd ? .ended(frames, why: "the link went silent") : .frames(frames)
                } else if errno != EINTR {
                    return .ended(frames, why: SystemErrorText.of(errno))
                }
            }
        } catch {
            return .ended(frames, why: "the link failed: \(error)")
        }
    }
}
