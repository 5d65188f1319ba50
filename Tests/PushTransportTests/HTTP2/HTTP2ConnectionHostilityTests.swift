import CPushShims
import PushTransport
import Testing

extension TransportTests {
    /// Tests with peers that make us work and answer nothing. The criterion is how much of their data the
    /// connection processes, not how long this takes.
    @Suite struct HTTP2ConnectionHostilityTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        private static let ok: [UInt8] = [0x88]
        private static let interim: [UInt8] = [0x08, 0x03] + Array("103".utf8)

        private static func headers(_ stream: Int32, _ block: [UInt8]) -> [UInt8] {
            WireFrame.frame(1, flags: 4, stream, block)
        }

        struct Attack: Sendable, CustomTestStringConvertible {
            let name: String
            let words: String
            /// The maximum number of frames that the connection receives.
            let most: UInt64
            var first: @Sendable (Int32) -> [UInt8] = { _ in [] }
            let again: @Sendable (Int32) -> [UInt8]
            var mayTireFirst = false
            var testDescription: String { name }
        }

        /// The number of frames that are received until the credit of a connection of 100 streams is used up,
        /// plus one read.
        private static let credit: UInt64 = 4_096 + 16 * 100 + (64 << 10) / 9

        static let attacks: [Attack] = [
            Attack(
                name: "interim answers", words: "more than 100 interim answers to one request", most: 120,
                again: { headers($0, interim) }),
            Attack(
                name: "bytes", words: "more than 1000 frames for one answer", most: 1_020,
                first: { headers($0, ok) }, again: { WireFrame.frame(0, $0, [0x20]) }),
            Attack(
                name: "nothing", words: "more than 1000 frames for one answer", most: 1_020,
                first: { headers($0, ok) }, again: { WireFrame.frame(0, $0, []) }),
            Attack(
                name: "padding", words: "more than 1000 frames for one answer", most: 1_020,
                first: { headers($0, ok) },
                again: { WireFrame.frame(0, flags: 8, $0, [255] + [UInt8](repeating: 0, count: 255)) }),
            Attack(
                name: "a body without end", words: "an answer of more than 1048576 bytes", most: 120,
                first: { headers($0, ok) },
                again: { WireFrame.frame(0, $0, [UInt8](repeating: 0x20, count: 16_384)) }),
            Attack(
                name: "a header bomb", words: "a header block of more than 65536 bytes", most: 20,
                again: { stream in
                    let entry = [0x40, 0x01, 0x78, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x61, count: 4_000)
                    return headers(stream, interim + entry + [UInt8](repeating: 0xBE, count: 10_000))
                }),
            Attack(
                name: "invalid fields", words: "a header block of more than 65536 bytes", most: 20,
                again: { stream in
                    // A value that consists of control characters is not valid in HTTP, and is dropped.
                    let entry = [0x40, 0x01, 0x78, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x01, count: 4_000)
                    return headers(stream, interim + entry + [UInt8](repeating: 0xBE, count: 10_000))
                }),
            Attack(
                name: "CONTINUATION", words: "an endless header block", most: 40,
                first: { WireFrame.frame(1, $0, interim) }, again: { WireFrame.frame(9, $0, []) }),
            Attack(
                name: "PING", words: "a flood of PING or SETTINGS", most: credit,
                again: { _ in WireFrame.frame(6, 0, [UInt8](repeating: 7, count: 8)) }, mayTireFirst: true),
            Attack(
                name: "SETTINGS", words: "a flood of PING or SETTINGS", most: credit,
                again: { _ in WireFrame.frame(4, 0, []) },
                mayTireFirst: true),
            Attack(
                name: "acknowledged PING", words: "too few answers", most: credit,
                again: { _ in WireFrame.frame(6, flags: 1, 0, [UInt8](repeating: 7, count: 8)) }),
            Attack(
                name: "WINDOW_UPDATE", words: "too few answers", most: credit,
                again: { _ in WireFrame.frame(8, 0, [0, 0, 0, 1]) }),
            Attack(
                name: "PRIORITY", words: "too few answers", most: credit,
                again: { WireFrame.frame(2, $0, [0, 0, 0, 0, 1]) }),
            // These frames are skipped silently. They are limited by the number of bytes.
            Attack(
                name: "unknown frames", words: "more bytes than its answers can require", most: 20,
                again: { WireFrame.frame(0xBB, $0, [UInt8](repeating: 0, count: 90)) }),
            Attack(
                name: "GOAWAY", words: "more than 8 GOAWAYs", most: 20,
                again: { _ in WireFrame.frame(7, 0, [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]) }),
        ]

        @Test(arguments: attacks)
        func `a peer that endlessly sends frames without an answer is abandoned`(attack: Attack) throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(
                    HTTP2Script { connection, request in
                        if request.path == "/3/device/0" { return connection.answer(request.stream, 200) }
                        var bytes = attack.first(request.stream)
                        let again = attack.again(request.stream)
                        // More frames than any limit allows, but not more than is reasonable for a test.
                        for _ in 0..<min(40_000, (4 << 20) / again.count) { bytes += again }
                        connection.channel.send(bytes)
                    })
                let connection = try fixture.connect(to: peer) {
                    $0.maximumStreams = 100
                    // The number of bytes that the largest of these attacks needs, if the connection is not
                    // abandoned for another reason.
                    $0.peerLimits.bytes.base = attack.words.contains("more bytes") ? 0 : 8 << 20
                    $0.peerLimits.bytes.eachSecond = 0
                }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                // Once there is an answer, the peer has acknowledged our SETTINGS.
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("the first is answered") { fixture.recorder.answered200 == 1 }
                push.submit(1, to: connection)
                connection.flush()
                try fixture.until("it is given up") { fixture.recorder.closed != nil }
                guard case .abusive(let words)? = fixture.recorder.closed else {
                    Issue.record("closed as \(String(describing: fixture.recorder.closed))")
                    return
                }
                // Which limit is reached first depends on how much of a flood is in one read.
                #expect(
                    words.contains(attack.words) || attack.mayTireFirst && words.contains("too few answers"))
                #expect(connection.framesReceived <= attack.most)
                #expect(fixture.recorder.endings.count == 2)
            }
        }

        @Test func `a thousand simultaneous answers with ten frames each are accepted`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(
                    HTTP2Script(maximumStreams: 1_000) { connection, request in
                        connection.held.append(request.stream)
                        guard connection.held.count == 1_000 else { return }
                        var bytes: [UInt8] = []
                        for stream in connection.held { bytes += Self.headers(stream, Self.interim) }
                        for stream in connection.held { bytes += Self.headers(stream, Self.ok) }
                        for _ in 0..<7 {
                            for stream in connection.held { bytes += WireFrame.frame(0, stream, [0x20]) }
                        }
                        for stream in connection.held {
                            bytes += WireFrame.frame(0, flags: 1, stream, [0x20])
                        }
                        connection.channel.send(bytes)
                    }
                ) { $0.receiveBuffer = nil }
                let connection = try fixture.connect(to: peer) { $0.maximumStreams = 1_000 }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                for tag in 0..<1_000 { #expect(push.submit(UInt64(tag), to: connection)) }
                connection.flush()
                try fixture.until("all are answered") { fixture.recorder.endings.count == 1_000 }
                #expect(fixture.recorder.answered200 == 1_000)
                #expect(fixture.recorder.closed == nil)
                connection.close()
            }
        }

        @Test
        func `after a thousand good answers, a peer that stops answering has only the initial credit`()
            throws
        {
            try Testbed.run { fixture in
                let peer = fixture.peer(
                    HTTP2Script { connection, request in
                        guard request.path.hasSuffix("/1000") else {
                            return connection.answer(request.stream, 200)
                        }
                        for _ in 0..<40_000 { connection.channel.send(WireFrame.frame(8, 0, [0, 0, 0, 1])) }
                    })
                let connection = try fixture.connect(to: peer) { $0.maximumStreams = 100 }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                for tag in 0...1_000 {
                    try fixture.until("there is room") { connection.freeStreams > 0 }
                    // Frames that the peer sends by hand overtake its answers.
                    if tag == 1_000 {
                        try fixture.until("all are answered") { fixture.recorder.answered200 == 1_000 }
                    }
                    push.submit(UInt64(tag), to: connection)
                    connection.flush()
                }
                try fixture.until("it is given up") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.closed?.label == "abusive")
                #expect(fixture.recorder.answered200 == 1_000)
                #expect(connection.framesReceived <= 1_000 + 20 + Self.credit)
            }
        }
    }
}
