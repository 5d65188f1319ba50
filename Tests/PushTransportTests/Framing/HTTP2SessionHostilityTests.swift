import PushTransport
import Testing

/// Tests with peers that break the rules, one rule at a time.
@Suite struct HTTP2SessionHostilityTests {
    private typealias Wire = WireFrame

    struct Offence: Sendable, CustomTestStringConvertible {
        let name: String
        let code: HTTP2ErrorCode
        let bytes: [UInt8]
        init(_ name: String, _ code: HTTP2ErrorCode, _ bytes: [UInt8]) {
            (self.name, self.code, self.bytes) = (name, code, bytes)
        }
        var testDescription: String { name }
    }

    /// Returns a fixture with two open requests, on streams 1 and 3.
    private func fixture(greets: Bool = true) throws -> SessionFixture {
        let fixture = try SessionFixture()
        if greets { fixture.greet() }
        fixture.submit(0)
        fixture.submit(1)
        _ = fixture.send()
        return fixture
    }

    // MARK: The connection

    static let connectionErrors: [Offence] = [
        Offence("a frame too large", .frameSizeError, [0, 0x40, 1, 0, 0, 0, 0, 0, 1]),
        Offence("PUSH_PROMISE", .protocolError, Wire.frame(5, flags: 4, 1, [0, 0, 0, 2, 0x88])),
        Offence("DATA of the connection", .protocolError, Wire.frame(0, 0, [1])),
        Offence("DATA of an idle stream", .protocolError, Wire.frame(0, 5, [1])),
        Offence("DATA of the peer's stream", .protocolError, Wire.frame(0, 2, [1])),
        Offence("DATA that is all padding", .protocolError, Wire.frame(0, flags: 8, 1, [5, 1, 2, 3, 4])),
        Offence("DATA whose padding has no length", .frameSizeError, Wire.frame(0, flags: 8, 1)),
        Offence("HEADERS of the connection", .protocolError, Wire.frame(1, flags: 4, 0, [0x88])),
        Offence("HEADERS of an idle stream", .protocolError, Wire.frame(1, flags: 4, 5, [0x88])),
        Offence("HEADERS of the peer's stream", .protocolError, Wire.frame(1, flags: 4, 2, [0x88])),
        Offence("HEADERS that are all padding", .protocolError, Wire.frame(1, flags: 12, 1, [2, 0x88])),
        Offence("HEADERS too short for a priority", .frameSizeError, Wire.frame(1, flags: 36, 1, [0x88])),
        Offence(
            "an index that no table has", .compressionError, Wire.frame(1, flags: 5, 1, [0x88, 0xFF, 0])),
        Offence(
            "a literal that breaks off", .compressionError, Wire.frame(1, flags: 5, 1, [0x88, 0, 9, 65])),
        Offence(
            "a table larger than ours", .compressionError, Wire.frame(1, flags: 5, 1, [0x3F, 0xE2, 0x1F])),
        Offence("a table update after a field", .compressionError, Wire.frame(1, flags: 5, 1, [0x88, 0x20])),
        Offence(
            "an interrupted header block", .protocolError,
            Wire.frame(1, 1, [0x88]) + Wire.frame(6, 0, Array(1...8))),
        Offence(
            "a header block interrupted by an unknown frame", .protocolError,
            Wire.frame(1, 1, [0x88]) + Wire.frame(0xBB, 1)),
        Offence(
            "CONTINUATION of another stream", .protocolError,
            Wire.frame(1, 1, [0x88]) + Wire.frame(9, flags: 4, 3)),
        Offence("CONTINUATION of nothing", .protocolError, Wire.frame(9, flags: 4, 1, [0x88])),
        Offence("PRIORITY of the connection", .protocolError, Wire.frame(2, 0, [0, 0, 0, 0, 1])),
        Offence("RST_STREAM of the connection", .protocolError, Wire.reset(0, 8)),
        Offence("RST_STREAM of an idle stream", .protocolError, Wire.reset(5, 8)),
        Offence("RST_STREAM too short", .frameSizeError, Wire.frame(3, 1, [0, 0, 0])),
        Offence("SETTINGS of a stream", .protocolError, Wire.frame(4, 1)),
        Offence("SETTINGS that end within a value", .frameSizeError, Wire.frame(4, 0, [0, 3, 0, 0, 0])),
        Offence(
            "an acknowledgement with values", .frameSizeError, Wire.frame(4, flags: 1, 0, [0, 3, 0, 0, 0, 1])),
        Offence(
            "an acknowledgement too many", .protocolError, Wire.frame(4, flags: 1) + Wire.frame(4, flags: 1)),
        Offence("SETTINGS that enable push", .protocolError, Wire.settings([(2, 1)])),
        Offence("a first window too large", .flowControlError, Wire.settings([(4, 1 << 31)])),
        Offence("a frame size too small", .protocolError, Wire.settings([(5, 16_383)])),
        Offence("a frame size too large", .protocolError, Wire.settings([(5, 1 << 24)])),
        Offence(
            "a first window that makes a stream's too large", .flowControlError,
            Wire.windowUpdate(1, 65_537) + Wire.settings([(4, .max >> 1)])),
        Offence("PING of a stream", .protocolError, Wire.frame(6, 1, Array(1...8))),
        Offence("PING too short", .frameSizeError, Wire.frame(6, 0, Array(1...7))),
        Offence("GOAWAY of a stream", .protocolError, Wire.frame(7, 1, [UInt8](repeating: 0, count: 8))),
        Offence("GOAWAY too short", .frameSizeError, Wire.frame(7, 0, [UInt8](repeating: 0, count: 7))),
        Offence("GOAWAY that admits a stream of the peer", .protocolError, Wire.goAway(2)),
        Offence("GOAWAY that admits more than the last", .protocolError, Wire.goAway(1) + Wire.goAway(3)),
        Offence("WINDOW_UPDATE too short", .frameSizeError, Wire.frame(8, 0, [0, 0, 1])),
        Offence("WINDOW_UPDATE by nothing", .protocolError, Wire.windowUpdate(0, 0)),
        Offence("WINDOW_UPDATE beyond all windows", .flowControlError, Wire.windowUpdate(0, .max >> 1)),
        Offence("WINDOW_UPDATE of an idle stream", .protocolError, Wire.windowUpdate(7, 1)),
    ]

    @Test(arguments: connectionErrors) func `a connection error ends the connection`(offence: Offence) throws
    {
        // The bytes arrive all together, and byte by byte.
        for part in [offence.bytes.count, 1] {
            let fixture = try fixture()
            var rest = offence.bytes[...]
            while !rest.isEmpty {
                fixture.receive(Array(rest.prefix(part)))
                rest = rest.dropFirst(part)
            }
            guard case .broken(let code, _)? = fixture.failure else {
                Issue.record("\(String(describing: fixture.failure))")
                return
            }
            #expect(code == offence.code)
            let goAway = Wire.parse(fixture.send()).last
            #expect(goAway?.type == 7 && goAway?.payload == Wire.number(0) + Wire.number(code.rawValue))
            // The session receives and sends nothing more.
            #expect(fixture.receive(Wire.headers(1, [(":status", "200")], ends: true)) == nil)
            #expect(fixture.ended[0]?.status != 200 && !fixture.session.hasFrames)
        }
    }

    @Test(arguments: [
        Wire.frame(6, 0, Array(1...8)), Wire.frame(4, flags: 1), Wire.frame(0xBB),
        Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
    ])
    func `a first frame other than SETTINGS ends the connection`(bytes: [UInt8]) throws {
        let fixture = try fixture(greets: false)
        #expect(fixture.receive(bytes) != nil)
    }

    // MARK: One stream

    static let streamErrors: [Offence] = [
        Offence("DATA before the status", .protocolError, Wire.data(1, "x")),
        Offence("no status", .protocolError, Wire.headers(1, [("apns-id", "x")], ends: true)),
        Offence("a status after a field", .protocolError, Wire.headers(1, [("x", "y"), (":status", "200")])),
        Offence(
            "an interim answer that ends", .protocolError, Wire.headers(1, [(":status", "103")], ends: true)),
        Offence("switching protocols", .protocolError, Wire.headers(1, [(":status", "101")])),
        Offence(
            "DATA after an interim answer", .protocolError,
            Wire.headers(1, [(":status", "103")]) + Wire.data(1, "x")),
        Offence("WINDOW_UPDATE by nothing", .protocolError, Wire.windowUpdate(1, 0)),
        Offence("WINDOW_UPDATE beyond all windows", .flowControlError, Wire.windowUpdate(1, .max >> 1)),
        Offence("PRIORITY too short", .frameSizeError, Wire.frame(2, 1, [0, 0, 0, 0])),
    ]

    @Test(arguments: streamErrors) func `a stream error ends only its own stream`(offence: Offence) throws {
        let fixture = try fixture()
        #expect(fixture.receive(offence.bytes) == nil)
        let expected = SessionFixture.Ending(
            status: 0, body: [], isComplete: false, code: offence.code.rawValue, wasFramed: true)
        #expect(fixture.ended == [0: expected])
        #expect(
            Wire.parse(fixture.send()) == [
                .init(type: 3, flags: 0, stream: 1, payload: Wire.number(offence.code.rawValue))
            ])
        // The session skips everything that arrives later for the stream.
        fixture.receive(Wire.headers(1, [(":status", "200")]) + Wire.data(1, "x", ends: true))
        fixture.receive(Wire.windowUpdate(1, 1) + Wire.reset(1, 0) + Wire.frame(2, 1, [0]))
        fixture.receive(Wire.headers(3, [(":status", "200")], ends: true))
        #expect(fixture.ended[1]?.status == 200 && fixture.failure == nil)
    }

    static let brokenAnswers: [Offence] = [
        Offence("a body shorter than announced", .protocolError, Wire.data(1, "ab", ends: true)),
        Offence("a body longer than announced", .protocolError, Wire.data(1, "abcd")),
        Offence("trailers that do not end", .protocolError, Wire.headers(1, [("x", "y")])),
        Offence("trailers with a status", .protocolError, Wire.headers(1, [(":status", "200")], ends: true)),
        Offence(
            "trailers too early", .protocolError,
            Wire.data(1, "ab") + Wire.headers(1, [("x", "y")], ends: true)),
    ]

    @Test(arguments: brokenAnswers)
    func `an answer that breaks off keeps its received status and is not complete`(
        offence: Offence
    )
        throws
    {
        let fixture = try fixture()
        fixture.receive(Wire.headers(1, [(":status", "410"), ("content-length", "3")]))
        #expect(fixture.receive(offence.bytes) == nil)
        #expect(fixture.ended[0]?.status == 410 && fixture.ended[0]?.isComplete == false)
        #expect(fixture.ended[0]?.code == offence.code.rawValue)
    }

    @Test func `trailers after a complete body end the answer`() throws {
        let fixture = try fixture()
        fixture.receive(Wire.headers(1, [(":status", "103")]) + Wire.headers(1, [(":status", "410")]))
        fixture.receive(Wire.data(1, "abc") + Wire.headers(1, [("grpc-status", "0")], ends: true))
        #expect(
            fixture.ended[0]
                == .init(status: 410, body: Array("abc".utf8), isComplete: true, code: 0, wasFramed: true))
    }

    @Test func `an open header block belongs only to its own request`() throws {
        // A slot that is free, and a slot that the next request has taken.
        for takes in [false, true] {
            let fixture = try fixture()
            fixture.receive(Wire.frame(1, flags: 1, 1, [0x88]))
            fixture.cancel(0)
            if takes { fixture.submit(2) }
            fixture.receive(Wire.frame(9, flags: 4, 1, [0x40, 1, 0x78, 1, 0x79]))
            #expect(fixture.ended[2] == nil && fixture.strayEndings == 0 && fixture.failure == nil)
            // The peer's table contains the field that the rest of the block added.
            fixture.receive(Wire.frame(1, flags: 5, 3, [0x88, 0xBE]))
            #expect(fixture.ended[1]?.status == 200 && fixture.ended[2] == nil)
        }
    }

    @Test func `the fields of an interim answer are not part of the answer`() throws {
        let fixture = try SessionFixture { $0.wantedHeaders = ["retry-after"] }
        fixture.greet()
        fixture.submit(0)
        _ = fixture.send()
        fixture.receive(Wire.headers(1, [(":status", "103"), ("retry-after", "999")]))
        fixture.receive(Wire.headers(1, [(":status", "503")], ends: true))
        #expect(fixture.ended[0]?.status == 503 && fixture.ended[0]?.headers == [])
        fixture.submit(1)
        _ = fixture.send()
        fixture.receive(Wire.headers(3, [(":status", "503"), ("retry-after", "9")], ends: true))
        #expect(fixture.ended[1]?.headers == [0, 1, 0, UInt8(ascii: "9")])
    }

    @Test func `no request is accepted after GOAWAY`() throws {
        let fixture = try fixture()
        fixture.receive(Wire.goAway(3))
        #expect(!fixture.submit(2) && fixture.session.inUse == 2)
    }

    // MARK: Limits

    @Test(arguments: [32, 33]) func `a SETTINGS frame has at most 32 values`(count: Int) throws {
        let fixture = try fixture()
        let failure = fixture.receive(Wire.settings((0..<count).map { (4, UInt32($0 % 2) * 65_535) }))
        #expect(failure == (count > 32 ? .excess(.settings) : nil))
    }

    @Test func `the number of unsent acknowledgements is limited`() throws {
        let fixture = try fixture()
        var failure: HTTP2Session.Failure?
        var count = 0
        while failure == nil, count < 10_000 {
            failure = fixture.receive(Wire.frame(6, 0, Array(1...8)))
            count += 1
        }
        #expect(failure == .excess(.acknowledgements) && count == 1_001)
    }

    @Test func `a header block is limited by its decoded size, including blocks on closed streams`() throws {
        for stream in [1, 3] as [Int32] {
            let fixture = try fixture()
            fixture.cancel(1)
            let entry = [0x40, 1, 0x78, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x61, count: 4_000)
            let bomb = [0x88] + entry + [UInt8](repeating: 0xBE, count: 10_000)
            #expect(fixture.receive(Wire.frame(1, flags: 4, stream, bomb)) == .excess(.headers))
        }
    }
}
