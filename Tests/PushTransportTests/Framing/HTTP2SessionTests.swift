import PushTransport
import Testing

/// Tests of what a session sends, and of how it observes the peer's limits.
@Suite struct HTTP2SessionTests {
    private typealias Wire = WireFrame

    private func fixture(
        _ settings: [(UInt8, UInt32)] = [], room: Int = 64 << 10,
        _ change: (inout HTTP2Configuration) -> Void = { _ in }
    ) throws -> SessionFixture {
        let fixture = try SessionFixture(change, room: room)
        fixture.greet(settings)
        _ = fixture.send()
        return fixture
    }

    private func data(_ frames: [WireFrame.Sent]) -> [Int] {
        frames.filter { $0.type == 0 }.map(\.payload.count)
    }

    @Test func `the preface disables push and enlarges the windows`() throws {
        let fixture = try SessionFixture()
        let bytes = fixture.send()
        #expect(bytes.starts(with: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
        let frames = Wire.parse(bytes)
        #expect(frames.map(\.type) == [4, 8])
        #expect(
            frames[0].payload == [0, 2, 0, 0, 0, 0, 0, 4, 0, 16, 0, 0, 0, 6, 0, 1, 0, 0]
                && frames[1].payload == Wire.number(16 << 20 - 65_535))
        fixture.greet()
        #expect(Wire.parse(fixture.send()) == [.init(type: 4, flags: 1, stream: 0, payload: [])])
    }

    @Test func `a request consists of HEADERS and DATA, and a request without a body ends with its HEADERS`()
        throws
    {
        let fixture = try fixture()
        fixture.submit(0, body: "hello")
        fixture.submit(1, body: "")
        let frames = Wire.parse(fixture.send())
        #expect(frames.map(\.type) == [1, 0, 1] && frames.map(\.flags) == [4, 1, 5])
        #expect(frames.map(\.stream) == [1, 1, 3] && frames[1].payload == Array("hello".utf8))
    }

    @Test func `a PING is answered with the same bytes, before requests are sent`() throws {
        let fixture = try fixture()
        fixture.receive(Wire.frame(6, 0, Array(1...8)) + Wire.frame(6, flags: 1, 0, Array(1...8)))
        fixture.submit(0)
        let frames = Wire.parse(fixture.send())
        #expect(frames.first == .init(type: 6, flags: 1, stream: 0, payload: Array(1...8)))
        #expect(frames.count == 3)
    }

    // MARK: Windows

    @Test func `a body waits for the connection's window, and its request does not start earlier`() throws {
        let fixture = try fixture([(4, 1 << 20)])
        let body = String(repeating: "x", count: 5_000)
        for tag in 0..<20 as Range<UInt64> { fixture.submit(tag, body: body) }
        var frames = Wire.parse(fixture.send())
        #expect(data(frames).reduce(0, +) == 65_535 && frames.count { $0.type == 1 } == 14)
        fixture.cancel(19)
        #expect(fixture.ended[19]?.wasFramed == false)
        fixture.receive(Wire.windowUpdate(0, 4_465))
        frames = Wire.parse(fixture.send())
        #expect(data(frames) == [4_465] && frames.last?.flags == 1)
        fixture.receive(Wire.windowUpdate(0, 1 << 20))
        #expect(data(Wire.parse(fixture.send())) == Array(repeating: 5_000, count: 5))
    }

    @Test func `other streams are sent before a blocked stream`() throws {
        let fixture = try fixture([(4, 10)])
        fixture.submit(0, body: String(repeating: "x", count: 25))
        fixture.submit(1, body: "y")
        #expect(data(Wire.parse(fixture.send())) == [10, 1])
        fixture.receive(Wire.windowUpdate(1, 7))
        #expect(data(Wire.parse(fixture.send())) == [7])
        fixture.receive(Wire.windowUpdate(3, 7))
        #expect(Wire.parse(fixture.send()).isEmpty)
        fixture.receive(Wire.settings([(4, 18)]))
        #expect(data(Wire.parse(fixture.send())) == [8])
        #expect(fixture.failure == nil)
    }

    @Test func `SETTINGS can make a window negative, and a body continues only when its window is positive`()
        throws
    {
        let fixture = try fixture([(4, 100)])
        fixture.submit(0, body: String(repeating: "x", count: 150))
        #expect(data(Wire.parse(fixture.send())) == [100])
        fixture.receive(Wire.settings([(4, 20)]))
        fixture.receive(Wire.windowUpdate(1, 80))
        #expect(data(Wire.parse(fixture.send())).isEmpty)
        fixture.receive(Wire.windowUpdate(1, 30))
        #expect(data(Wire.parse(fixture.send())) == [30])
        fixture.receive(Wire.settings([(4, 100)]))
        #expect(data(Wire.parse(fixture.send())) == [20])
    }

    @Test func `a stalled stream does not wait behind a request that the stream limit delays`() throws {
        let fixture = try fixture([(3, 2), (4, 0)])
        fixture.submit(0, body: "first")
        fixture.receive(Wire.settings([(3, 1)]))
        fixture.submit(1, body: "")
        #expect(Wire.parse(fixture.send()).filter { $0.type < 2 }.map(\.stream) == [1])
        fixture.receive(Wire.windowUpdate(1, 5))
        #expect(data(Wire.parse(fixture.send())) == [5])
        fixture.receive(Wire.headers(1, [(":status", "200")], ends: true))
        #expect(Wire.parse(fixture.send()).map(\.stream) == [3])
    }

    @Test func `DATA on closed streams and padding count against the window, which is returned`() throws {
        let fixture = try fixture()
        fixture.submit(0)
        fixture.submit(1)
        _ = fixture.send()
        fixture.cancel(0)
        #expect(Wire.parse(fixture.send()) == [.init(type: 3, flags: 0, stream: 1, payload: Wire.number(8))])
        // Half of the connection's window, in frames on a closed stream. Each frame includes 256 bytes of
        // padding.
        let frame = Wire.frame(
            0, flags: 8, 1, [255] + [UInt8](repeating: 0, count: 16_383))
        for _ in 0..<511 { #expect(fixture.receive(frame) == nil) }
        #expect(Wire.parse(fixture.send()).isEmpty)
        fixture.receive(frame)
        #expect(
            Wire.parse(fixture.send())
                == [.init(type: 8, flags: 0, stream: 0, payload: Wire.number(8 << 20))])
    }

    @Test func `the window of a long answer is returned while the answer continues`() throws {
        let fixture = try fixture { $0.peerLimits.bodyBytes = 1 << 21 }
        fixture.submit(0)
        _ = fixture.send()
        fixture.receive(Wire.headers(1, [(":status", "500")]))
        for _ in 0..<100 { fixture.receive(Wire.data(1, String(repeating: "x", count: 16_384))) }
        let updates = Wire.parse(fixture.send()).filter { $0.type == 8 }
        #expect(
            updates == Array(repeating: .init(type: 8, flags: 0, stream: 1, payload: [0, 8, 0, 0]), count: 3))
        #expect(fixture.failure == nil && fixture.ended.isEmpty)
    }

    // MARK: Streams

    @Test func `a lowered stream limit is respected, even for requests that were submitted before`() throws {
        let fixture = try fixture([(3, 100)], room: 700)
        for tag in 0..<30 as Range<UInt64> { fixture.submit(tag, body: String(repeating: "x", count: 300)) }
        let first = Wire.parse(fixture.send(atMost: 700)).count { $0.type == 1 }
        #expect(first < 30)
        fixture.receive(Wire.settings([(3, 1)]))
        #expect(Wire.parse(fixture.send()).count { $0.type == 1 } == 0)
        var answered = first
        for stream in stride(from: Int32(1), through: 59, by: 2) {
            fixture.receive(Wire.headers(stream, [(":status", "200")], ends: true))
            answered += Wire.parse(fixture.send()).count { $0.type == 1 }
            #expect(fixture.session.openStreams <= max(1, first - Int(stream) / 2 - 1))
        }
        #expect(answered == 30 && fixture.ended.count == 30)
    }

    @Test func `frames that exceed the buffer continue later, and a long block uses CONTINUATION frames`()
        throws
    {
        let fixture = try fixture(room: 3_000) { $0.slotBytes = 60_000 }
        let inflater = ReferenceInflater()
        for tag in 0..<3 as Range<UInt64> {
            let id = String(repeating: "\(tag)", count: 40_000)
            fixture.submit(tag, body: "body \(tag)", id: id)
            let frames = Wire.parse(fixture.send())
            #expect(frames.map(\.type) == [1, 9, 9, 0])
            #expect(frames.map(\.flags) == [0, 0, 4, 1])
            #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
            let fields = inflater.inflate(frames[0].payload + frames[1].payload + frames[2].payload)
            #expect(fields?.last == .init(name: "apns-id", value: id, isNeverIndexed: false))
        }
    }

    @Test func `an answer before the end of its request ends the request, and the rest is not sent`() throws {
        let fixture = try fixture([(4, 10)])
        fixture.submit(0, body: String(repeating: "x", count: 25))
        _ = fixture.send()
        fixture.receive(Wire.headers(1, [(":status", "413")], ends: true))
        #expect(fixture.ended[0] == .init(status: 413, body: [], isComplete: true, code: 0, wasFramed: true))
        fixture.receive(Wire.windowUpdate(1, 100) + Wire.settings([(4, 1_000)]))
        #expect(Wire.parse(fixture.send()).map(\.type) == [3, 4])
    }

    @Test func `GOAWAY ends requests that are unadmitted or unsent, and a second GOAWAY can admit fewer`()
        throws
    {
        let fixture = try fixture([(3, 4)])
        for tag in 0..<6 as Range<UInt64> { fixture.submit(tag) }
        _ = fixture.send()
        fixture.receive(Wire.goAway(.max >> 1))
        #expect(fixture.ended.keys.sorted() == [4, 5] && fixture.ended.values.allSatisfy { !$0.wasFramed })
        fixture.receive(Wire.goAway(3))
        #expect(fixture.ended.keys.sorted() == [2, 3, 4, 5])
        #expect(fixture.goAways == [.max, 3])
        fixture.receive(Wire.headers(3, [(":status", "200")], ends: true))
        #expect(fixture.ended[1]?.status == 200 && fixture.failure == nil)
        #expect(fixture.receive(Wire.goAway(5)) != nil)
    }

    @Test func `header blocks on closed streams keep the header table synchronised`() throws {
        let fixture = try SessionFixture { $0.wantedHeaders = ["apns-unique-id"] }
        fixture.greet()
        for tag in 0..<2 as Range<UInt64> { fixture.submit(tag) }
        _ = fixture.send()
        fixture.cancel(0)
        // The first block inserts a field, and the second one refers to it.
        let insertion = [0x88, 0x40, 14] + Array("apns-unique-id".utf8) + [4] + Array("abcd".utf8)
        fixture.receive(Wire.frame(1, flags: 5, 1, insertion))
        fixture.receive(Wire.frame(1, flags: 5, 3, [0x88, 0xBE]))
        #expect(fixture.ended[1]?.status == 200 && fixture.failure == nil)
    }
}
