import Glibc
import PushMaster
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct ChildLinkEndTests {
    private static func beat(_ number: Int) -> LinkReport {
        .heartbeat(Heartbeat(waiting: UInt32(number), inFlight: 0, openConnections: 0, residentKilobytes: 0))
    }
    private static func bytes(_ report: LinkReport) -> [UInt8] {
        var writer = ByteWriter()
        report.encode(into: &writer)
        return writer.bytes
    }
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    private func reports(_ frames: [LinkFrame]) throws -> [LinkReport] {
        try frames.map { try LinkReport($0) }
    }

    // MARK: Out

    @Test func `bytes that the socket does not accept wait and are sent later in order`() throws {
        let pair = try SocketPair(buffers: 1)
        var end = ChildLinkEnd(descriptor: pair.ours)
        let orders =
            (0..<2_000).map { LinkOrder.retireJob(JobID($0)) }
            + [
                .job(
                    .init(
                        job: 1, account: 1, delivery: .init(rawValue: 1), platform: .ios,
                        bundleID: "com.example",
                        messageIDFormat: .uuid, tracking: true, expiresAt: .init(secondsSince1970: 0),
                        variables: [],
                        contentJSON: [UInt8](repeating: 32, count: 100_000)))
            ]
        for order in orders { end.send(order) }
        #expect(end.wantsToWrite)
        #expect(end.waitingBytes > 100_000)

        var decoder = FrameDecoder()
        var received: [LinkOrder] = []
        while received.count < orders.count {
            let bytes = pair.read(atMost: 777)
            if bytes.isEmpty {
                try #require(end.wantsToWrite)
                end.flush()
            }
            decoder.feed(bytes)
            while let frame = try decoder.next() { received.append(try LinkOrder(frame)) }
        }
        #expect(received == orders)
        #expect(!end.wantsToWrite)
        #expect(end.waitingBytes == 0)
    }

    @Test func `a broken link neither raises a signal nor throws, and the reading side detects the break`()
        throws
    {
        let pair = try SocketPair()
        var end = ChildLinkEnd(descriptor: pair.ours)
        pair.closeTheirs()
        end.send(.drain)
        #expect(end.wantsToWrite)
        var buffer = buffer
        guard case .ended(let frames, _) = end.receive(buffer: &buffer, toTheEnd: false) else {
            Issue.record("the end was not seen")
            return
        }
        #expect(frames.isEmpty)
    }

    // MARK: In

    @Test func `a frame that arrives byte by byte is received as one frame`() throws {
        let pair = try SocketPair()
        var end = ChildLinkEnd(descriptor: pair.ours)
        var buffer = buffer
        let report = LinkReport.hello(version: ChildLink.version, processID: 7)
        let bytes = Self.bytes(report)
        for (index, byte) in bytes.enumerated() {
            pair.write([byte])
            guard case .frames(let frames) = end.receive(buffer: &buffer, toTheEnd: false) else {
                Issue.record("ended")
                return
            }
            #expect(try reports(frames) == (index == bytes.count - 1 ? [report] : []))
        }
    }

    @Test func `a child that sends many frames does not prevent other children from being read`() throws {
        let pair = try SocketPair()
        var end = ChildLinkEnd(descriptor: pair.ours)
        for number in 0..<100 { pair.write(Self.bytes(Self.beat(number))) }
        var small = [UInt8](repeating: 0, count: 32)
        guard case .frames(let frames) = end.receive(buffer: &small, toTheEnd: false) else {
            Issue.record("ended")
            return
        }
        #expect(frames.count < 100)
        var numbers = try reports(frames)
        while numbers.count < 100 {
            guard case .frames(let more) = end.receive(buffer: &small, toTheEnd: false) else { break }
            numbers += try reports(more)
        }
        #expect(numbers == (0..<100).map(Self.beat))
    }

    @Test func `after a child's death, all its frames are read`() throws {
        let pair = try SocketPair()
        var end = ChildLinkEnd(descriptor: pair.ours)
        let said = (0..<1_000).flatMap { Self.bytes(Self.beat($0)) }
        #expect(pair.write(said) == said.count)
        pair.closeTheirs()
        var small = [UInt8](repeating: 0, count: 1_000)
        guard case .ended(let frames, let why) = end.receive(buffer: &small, toTheEnd: true) else {
            Issue.record("not ended")
            return
        }
        #expect(try reports(frames) == (0..<1_000).map(Self.beat))
        #expect(why == "the link ended")
    }

    @Test func `an end in the middle of a frame is reported as such, after the complete frames before it`()
        throws
    {
        let pair = try SocketPair()
        var end = ChildLinkEnd(descriptor: pair.ours)
        var buffer = buffer
        pair.write(Self.bytes(Self.beat(1)) + Self.bytes(Self.beat(2)).dropLast())
        pair.closeTheirs()
        guard case .ended(let frames, let why) = end.receive(buffer: &buffer, toTheEnd: false) else {
            Issue.record("not ended")
            return
        }
        #expect(try reports(frames) == [Self.beat(1)])
        #expect(why.contains("within a frame"))
    }

    @Test func `garbage ends the link after the frames that preceded it have been read`() throws {
        let pair = try SocketPair()
        var end = ChildLinkEnd(descriptor: pair.ours)
        var buffer = buffer
        pair.write(Self.bytes(Self.beat(1)) + Array("GET / HTTP/1.1\r\n\r\n".utf8))
        guard case .ended(let frames, let why) = end.receive(buffer: &buffer, toTheEnd: false) else {
            Issue.record("garbage was believed")
            return
        }
        #expect(try reports(frames) == [Self.beat(1)])
        #expect(why.hasPrefix("the link failed"))
    }

    @Test func `reading until the end does not wait for another process that has the other end open`() throws
    {
        let pair = try SocketPair()
        var end = ChildLinkEnd(descriptor: pair.ours)
        var buffer = buffer
        pair.write(Self.bytes(Self.beat(1)))
        guard case .ended(let frames, _) = end.receive(buffer: &buffer, toTheEnd: true) else {
            Issue.record("not ended")
            return
        }
        #expect(try reports(frames) == [Self.beat(1)])
    }
}
