import CPushShims
import PushTransport
import Testing

extension TransportTests {
    /// Tests of a peer that sends GOAWAY.
    @Suite struct HTTP2ConnectionGoAwayTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        @Test func `requests that the peer admits finish, and later requests count as never sent`() throws {
            try Testbed.run { fixture in
                var script = HTTP2Script()
                script.onRequest = { connection, request in
                    connection.held.append(request.stream)
                    if request.stream == 9 {
                        connection.goAway(last: 5, code: 0, debug: "{\"reason\":\"Shutdown\"}")
                        for stream in [1, 3, 5] as [Int32] { connection.answer(stream, 200) }
                        connection.held = []
                    }
                }
                let connection = try fixture.connect(to: fixture.peer(script))
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                for tag in 0..<5 { push.submit(UInt64(tag), to: connection) }
                connection.flush()
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.goAways.map(\.code) == [0])
                #expect(fixture.recorder.goAways.map(\.last) == [5])
                #expect(fixture.recorder.goAways.map(\.debug) == ["{\"reason\":\"Shutdown\"}"])
                let answer = Recorder.Ending.answered(200, "", isComplete: true)
                for tag in 0..<3 { #expect(fixture.recorder.endings[UInt64(tag)] == answer) }
                for tag in 3..<5 {
                    #expect(fixture.recorder.endings[UInt64(tag)] == .ended(.neverSent(.goneAway)))
                }
                #expect(fixture.recorder.closed == .goneAway(code: 0, debug: "{\"reason\":\"Shutdown\"}"))
            }
        }

        @Test func `a first GOAWAY stops new requests, and a second GOAWAY names the last stream`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(
                    HTTP2Script { connection, request in
                        connection.held.append(request.stream)
                        if connection.held.count == 3 { connection.goAway(last: .max) }
                    })
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                for tag in 0..<3 { push.submit(UInt64(tag), to: connection) }
                connection.flush()
                try fixture.until("the warning is received") { fixture.recorder.goAways.count == 1 }
                #expect(fixture.recorder.goAways[0].last == .max)
                #expect(connection.freeStreams == 0)
                #expect(!push.submit(3, to: connection))
                #expect(fixture.recorder.endings.isEmpty)
                peer.order { thread in
                    thread.http2[0].goAway(last: 3)
                    thread.http2[0].answer(1, 200)
                    thread.http2[0].answer(3, 200)
                }
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.goAways.map(\.last) == [.max, 3])
                #expect(fixture.recorder.endings[2] == .ended(.neverSent(.goneAway)))
                #expect(fixture.recorder.answered200 == 2)
            }
        }

        @Test
        func `admitted requests that a close cuts off are undecided, and the GOAWAY explains the close`()
            throws
        {
            try Testbed.run { fixture in
                let peer = fixture.peer(
                    HTTP2Script { connection, request in
                        guard request.stream == 3 else { return }
                        connection.goAway(code: 11, debug: "calm")
                        connection.channel.closeWhenSent()
                    })
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                for tag in 0..<2 { push.submit(UInt64(tag), to: connection) }
                connection.flush()
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                let cause = CloseCause.goneAway(code: 11, debug: "calm")
                #expect(fixture.recorder.closed == cause)
                #expect(
                    fixture.recorder.endings.values.allSatisfy {
                        $0 == .ended(.undecided(.connectionLost(cause)))
                    })
            }
        }

        @Test func `an idle connection closes when it receives a GOAWAY`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer()
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                peer.order { $0.http2[0].goAway(debug: "idle") }
                try fixture.until("it is closed") {
                    fixture.recorder.closed == .goneAway(code: 0, debug: "idle")
                }
                #expect(connection.freeStreams == 0)
            }
        }

        @Test func `a peer that sends a GOAWAY and stays open is abandoned after the drain timeout`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(HTTP2Script { connection, _ in connection.goAway() })
                let connection = try fixture.connect(to: peer) { $0.drainTimeout = .milliseconds(50) }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("it is closed") { fixture.recorder.closed == .goneAway(code: 0, debug: "") }
                let cause = CloseCause.goneAway(code: 0, debug: "")
                #expect(fixture.recorder.endings == [0: .ended(.undecided(.connectionLost(cause)))])
            }
        }
    }
}
