import CPushShims
import Glibc
import PushChild
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct ChildSideLinkTests {
    /// Provides a link and the raw other end. Both are closed when the test ends.
    private func withLink(buffers: Int32? = nil, _ story: (inout ChildSideLink, Int32) throws -> Void) throws
    {
        var pair: [Int32] = [-1, -1]
        try #require(unsafe push_socketpair(&pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        if var buffers {
            for descriptor in pair {
                unsafe setsockopt(
                    descriptor, SOL_SOCKET, SO_SNDBUF, &buffers, socklen_t(MemoryLayout<Int32>.size))
            }
        }
        var link = ChildSideLink(descriptor: pair[0])
        try story(&link, pair[1])
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        #expect(
            unsafe bytes.withUnsafeBytes { unsafe push_send(descriptor, $0.baseAddress!, $0.count) }
                == bytes.count)
    }

    private func bytes(_ order: LinkOrder) -> [UInt8] {
        var writer = ByteWriter()
        order.encode(into: &writer)
        return writer.bytes
    }

    @Test func `bytes that the socket does not accept form a backlog and are sent later in order`() throws {
        try withLink(buffers: 1) { link, other in
            let reports = (0..<3_000).map {
                LinkReport.accountNews(
                    AccountNews(account: AccountID($0), kind: .closed, text: "a connection ended"))
            }
            for report in reports { link.send(report) }
            #expect(link.backlog > 0)
            var decoder = FrameDecoder()
            var received: [LinkReport] = []
            var buffer = [UInt8](repeating: 0, count: 333)
            while received.count < reports.count {
                let count = unsafe read(other, &buffer, buffer.count)
                if count > 0 {
                    decoder.feed(Array(buffer[..<count]))
                } else {
                    try #require(link.backlog > 0)
                    link.flush()
                }
                while let frame = try decoder.next() { received.append(try LinkReport(frame)) }
            }
            #expect(received == reports)
            #expect(link.backlog == 0)
        }
    }

    @Test func `orders that arrive byte by byte are received as whole orders`() throws {
        try withLink { link, other in
            let order = LinkOrder.retireJob(0x0102_0304)
            let bytes = bytes(order)
            for (index, byte) in bytes.enumerated() {
                write([byte], to: other)
                guard case .frames(let frames) = try link.receive() else {
                    Issue.record("ended")
                    return
                }
                #expect(try frames.map { try LinkOrder($0) } == (index == bytes.count - 1 ? [order] : []))
            }
        }
    }

    @Test func `a read without bytes is not the end of the link`() throws {
        try withLink { link, _ in
            guard case .frames(let frames) = try link.receive() else {
                Issue.record("ended")
                return
            }
            #expect(frames.isEmpty)
        }
    }

    @Test func `the link ends when the master closes its side`() throws {
        try withLink { link, other in
            shutdown(other, Int32(SHUT_RDWR))
            guard case .ended = try link.receive() else {
                Issue.record("not seen")
                return
            }
            // Frames that are sent now are discarded, without a signal.
            link.send(
                .heartbeat(Heartbeat(waiting: 0, inFlight: 0, openConnections: 0, residentKilobytes: 0)))
        }
    }

    @Test func `garbage on the link is refused`() throws {
        try withLink { link, other in
            write([255, 255, 255, 255, 1], to: other)
            #expect(throws: LinkError.frameTooLong(bytes: 0xFFFF_FFFF)) { _ = try link.receive() }
        }
    }
}
