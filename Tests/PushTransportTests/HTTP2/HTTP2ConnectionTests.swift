import CPushShims
import PushTransport
import TestTLS
import Testing

extension TransportTests {
    /// Tests of requests and answers.
    @Suite struct HTTP2ConnectionTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        @Test func `an answer contains status, body and the requested headers`() throws {
            try Testbed.run { fixture in
                var script = HTTP2Script()
                script.onRequest = { connection, request in
                    connection.answer(
                        request.stream, 410,
                        headers: [("apns-id", "x"), ("apns-unique-id", "unique"), ("retry-after", "7")],
                        body: Array("{\"reason\":\"Unregistered\"}".utf8))
                }
                let peer = fixture.peer(script)
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                #expect(push.submit(7, to: connection, body: "hello", collapse: "c"))
                connection.flush()
                try fixture.until("the answer is there") { !fixture.recorder.endings.isEmpty }
                let expected = Recorder.Ending.answered(
                    410, "{\"reason\":\"Unregistered\"}", isComplete: true)
                #expect(fixture.recorder.endings == [7: expected])
                #expect(fixture.recorder.headers[7] == ["unique", "7"])
                let seen = try #require(peer.tally.requests.first)
                #expect(seen.path == "/3/device/7")
                #expect(String(decoding: seen.body, as: UTF8.self) == "hello")
                #expect(
                    seen.fields.map(\.name) == [
                        ":method", ":scheme", ":authority", ":path", "apns-topic", "apns-id",
                        "apns-collapse-id",
                        "authorization",
                    ])
                connection.drain()
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.closed == .local)
            }
        }

        @Test func `an unset variable is left out, and headers that are not requested cost nothing`()
            throws
        {
            try Testbed.run { fixture in
                let peer = fixture.peer()
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                for tag in 0..<3 { push.submit(UInt64(tag), to: connection, collapse: tag == 1 ? "c" : nil) }
                connection.flush()
                try fixture.until("all are answered") { fixture.recorder.answered200 == 3 }
                #expect(fixture.recorder.headers[0] == [nil, nil])
                #expect(peer.tally.requests.map { $0.field("apns-collapse-id") } == [nil, "c", nil])
                connection.close()
            }
        }

        @Test func `a request without a body ends with its HEADERS frame`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer()
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(1, to: connection, body: "")
                connection.flush()
                try fixture.until("it is answered") { fixture.recorder.answered200 == 1 }
                #expect(peer.tally.requests.first?.body == [])
                connection.close()
            }
        }

        @Test func `an interim response does not count as an answer`() throws {
            try Testbed.run { fixture in
                var script = HTTP2Script()
                script.onRequest = { connection, request in
                    connection.interim(request.stream, 103)
                    connection.answer(request.stream, 200)
                }
                let connection = try fixture.connect(to: fixture.peer(script))
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(1, to: connection)
                connection.flush()
                try fixture.until("it is answered") { fixture.recorder.endings.count == 1 }
                #expect(fixture.recorder.endings[1] == .answered(200, "", isComplete: true))
                connection.close()
            }
        }

        @Test func `only the beginning of a long answer is stored`() throws {
            try Testbed.run { fixture in
                var script = HTTP2Script()
                script.onRequest = { connection, request in
                    connection.answer(request.stream, 500, body: [UInt8](repeating: 0x61, count: 300_000))
                }
                let connection = try fixture.connect(to: fixture.peer(script)) { $0.maximumKeptBody = 1000 }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                for tag in 0..<20 { push.submit(UInt64(tag), to: connection) }
                connection.flush()
                try fixture.until("all are answered") { fixture.recorder.endings.count == 20 }
                let expected = Recorder.Ending.answered(
                    500, String(repeating: "a", count: 1000), isComplete: true)
                #expect(fixture.recorder.endings.values.allSatisfy { $0 == expected })
                connection.close()
            }
        }

        @Test func `bodies arrive unchanged even if the send buffer is tiny`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(HTTP2Script(maximumStreams: 500))
                let connection = try fixture.connect(to: peer) { $0.socketSendBuffer = 2048 }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                var submitted: UInt64 = 0
                try fixture.until("3000 are answered") {
                    while submitted < 3000, push.submit(submitted, to: connection, body: Self.body(submitted))
                    {
                        submitted += 1
                    }
                    connection.flush()
                    return fixture.recorder.answered200 == 3000
                }
                for request in peer.tally.requests {
                    let tag = try #require(UInt64(request.path.dropFirst("/3/device/".count)))
                    #expect(String(decoding: request.body, as: UTF8.self) == Self.body(tag))
                }
                #expect(Set(peer.tally.requests.map(\.path)).count == 3000)
                connection.close()
            }
        }
        private static func body(_ tag: UInt64) -> String {
            String(repeating: "\(tag).", count: 1 + Int(tag * 7919 % 700))
        }

        @Test func `the delegate can submit and close when it receives an answer`() throws {
            try Testbed.run { fixture in
                let connection = try fixture.connect(to: fixture.peer(HTTP2Script(maximumStreams: 4)))
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                var next: UInt64 = 4
                fixture.recorder.afterEnding = { connection, _ in
                    if next == 50 { connection.close() }
                    if push.submit(next, to: connection) { next += 1 }
                }
                for tag in 0..<4 { push.submit(UInt64(tag), to: connection) }
                connection.flush()
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.endings.count == Int(next))
                #expect(fixture.recorder.answered200 >= 46)
            }
        }

        @Test func `a body that does not fit its slot is refused before any work is done`() throws {
            try Testbed.run { fixture in
                let connection = try fixture.connect(to: fixture.peer()) { $0.slotBytes = 64 }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                #expect(!push.submit(1, to: connection, body: String(repeating: "x", count: 65)))
                #expect(connection.inFlight == 0)
                #expect(push.submit(2, to: connection, body: "x"))
                connection.flush()
                try fixture.until("the small one is answered") { fixture.recorder.answered200 == 1 }
                connection.close()
            }
        }

        @Test(arguments: [0, 1 << 20]) func `an impossible setting is refused`(streams: Int) throws {
            let fixture = try Testbed()
            let peer = fixture.peer()
            defer { peer.stop() }
            #expect(throws: TransportError.self) {
                try fixture.connect(to: peer) { $0.maximumStreams = streams }
            }
            #expect(fixture.loop.liveHandles == 0)
        }
    }
}
