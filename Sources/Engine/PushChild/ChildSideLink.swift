internal import CPushShims
internal import Glibc
package import PushWire

/// The child's end of the link. The child always reads from it, because the master sends no more than the
/// child has credit for.
package struct ChildSideLink {
    package let descriptor: Int32
    private var decoder = FrameDecoder()
    private var outgoing: [UInt8] = []
    private var sent = 0
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// The number of report bytes that the socket has not accepted yet.
    package var backlog: Int { outgoing.count - sent }

    package mutating func send(_ report: LinkReport) {
        var writer = ByteWriter()
        report.encode(into: &writer)
        send(writer.bytes)
    }

    package mutating func send(_ frame: [UInt8]) {
        outgoing += frame
        flush()
    }

    /// Writes as much as the socket accepts. The reading side detects errors.
    package mutating func flush() {
        while sent < outgoing.count {
            let count = unsafe outgoing[sent...].withUnsafeBytes { rest -> Int in
                guard let base = rest.baseAddress else { return 0 }
                return unsafe push_send(descriptor, base, rest.count)
            }
            guard count > 0 else { return }
            sent += count
        }
        outgoing.removeAll(keepingCapacity: true)
        sent = 0
    }

    package enum Reading {
        case frames([LinkFrame])
        /// The master has closed the link, so the child ends too.
        case ended
    }

    package mutating func receive() throws(LinkError) -> Reading {
        var frames: [LinkFrame] = []
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count > 0 {
                unsafe buffer.withUnsafeBytes {
                    unsafe decoder.feed(UnsafeRawBufferPointer(rebasing: $0[..<count]))
                }
                while let frame = try decoder.next() { frames.append(frame) }
            } else if count < 0, errno == EAGAIN {
                return .frames(frames)
            } else if count < 0, errno == EINTR {
                continue
            } else {
                return .ended
            }
        }
    }
}
