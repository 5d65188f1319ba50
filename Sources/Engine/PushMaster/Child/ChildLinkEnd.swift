internal import CPushShims
internal import Glibc
internal import PushSystem
package import PushWire

/// The master's end of one child's link: bytes out when the socket takes them, frames in.
package struct ChildLinkEnd {
    /// -1 once closed: the number may be somebody else's by then.
    private var descriptor: Int32
    private var decoder = FrameDecoder()
    private var outgoing: [[UInt8]] = []
    private var sentOfFirst = 0
    package private(set) var waitingBytes = 0

    package init(descriptor: Int32) { self.descriptor = descriptor }

    package enum Reading {
        /// Frames, perhaps none; the link goes on.
        case frames([LinkFrame])
        /// Frames that came before the end of the link, and why it ended.
        case ended([LinkFrame], why: String)
    }

    package var wantsToWrite: Bool { !outgoing.isEmpty }

    /// No byte leaves after this; what waits is forgotten.
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

    /// Writes what the socket takes. An error is not acted upon here: the reading side sees the end of the
    /// link.
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

    /// Reads until the socket is empty or a fair share was taken; with `toTheEnd`, until the link's end.
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
                    let why = decoder.pendingBytes > 0 ? "the link ended in mid-frame" : "the link ended"
                    return .ended(frames, why: why)
                } else if errno == EAGAIN {
                    // The child's end is open and silent; to the end means that its process is dead already.
                    return toTheEnd ? .ended(frames, why: "the link fell silent") : .frames(frames)
                } else if errno != EINTR {
                    return .ended(frames, why: SystemErrorText.of(errno))
                }
            }
        } catch {
            return .ended(frames, why: "the link brought \(error)")
        }
    }
}
