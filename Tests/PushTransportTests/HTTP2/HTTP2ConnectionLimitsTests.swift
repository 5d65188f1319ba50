import CPushShims
import PushTransport
import Testing

extension TransportTests {
    /// Tests of the number of simultaneous requests.
    @Suite struct HTTP2ConnectionLimitsTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        /// Returns a script that delays every answer until it is ordered to release the answers.
        private static func holding(_ maximumStreams: UInt32?) -> HTTP2Script {
            HTTP2Script(maximumStreams: maximumStreams) { connection, request in
                connection.held.append(request.stream)
            }
        }

        @Test
        func `one stream is used until the owner widens the connection, and then as many as allowed`()
            throws
        {
            try Testbed.run { fixture in
                let peer = fixture.peer(Self.holding(7))
                let connection = try fixture.connect(to: peer) { $0.initialStreams = 1 }
                #expect(connection.freeStreams == 0)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                #expect(connection.freeStreams == 1)
                #expect(push.submit(0, to: connection))
                #expect(!push.submit(1, to: connection))
                connection.flush()
                try fixture.until("the peer has it") { peer.tally.requests.count == 1 }
                peer.order { $0.http2[0].releaseHeld() }
                try fixture.until("it is answered") { fixture.recorder.answered200 == 1 }
                #expect(connection.freeStreams == 1)
                connection.widen()
                #expect(connection.freeStreams == 7)
                for tag in 1...7 { #expect(push.submit(UInt64(tag), to: connection)) }
                #expect(connection.begin(push.template) == nil)
                connection.flush()
                try fixture.until("the peer has all") { peer.tally.requests.count == 8 }
                #expect(peer.tally.mostConcurrent == 7)
                connection.close()
            }
        }

        @Test
        func `changes in the peer's SETTINGS apply while requests are in flight, upwards and downwards`()
            throws
        {
            try Testbed.run { fixture in
                let peer = fixture.peer(Self.holding(2))
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                #expect(connection.freeStreams == 1)
                peer.order { $0.http2[0].settings(maximumStreams: 10) }
                try fixture.until("there is room") { fixture.recorder.gotRoom == 1 }
                #expect(connection.freeStreams == 9)
                for tag in 1...4 { push.submit(UInt64(tag), to: connection) }
                connection.flush()
                try fixture.until("the peer has all") { peer.tally.requests.count == 5 }
                #expect(connection.freeStreams == 5)
                peer.order { $0.http2[0].settings(maximumStreams: 3) }
                try fixture.until("it is lowered") { connection.freeStreams == 0 }
                peer.order { $0.http2[0].settings(maximumStreams: 0) }
                peer.order { $0.http2[0].releaseHeld() }
                try fixture.until("all are answered") { fixture.recorder.answered200 == 5 }
                #expect(connection.freeStreams == 0)
                peer.order { $0.http2[0].settings(maximumStreams: 1) }
                try fixture.until("there is room again") { connection.freeStreams == 1 }
                connection.close()
            }
        }

        @Test func `if a peer sends no limit, our maximum number of streams applies`() throws {
            try Testbed.run { fixture in
                let connection = try fixture.connect(to: fixture.peer(Self.holding(nil))) {
                    $0.maximumStreams = 130
                }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                #expect(connection.freeStreams == 130)
                for tag in 0..<130 { #expect(push.submit(UInt64(tag), to: connection)) }
                #expect(!push.submit(130, to: connection))
                connection.close()
                try fixture.until("it is closed") { fixture.recorder.closed == .local }
                let expected = Recorder.Ending.ended(.neverSent(.connectionClosed(.local)))
                #expect(fixture.recorder.count { $0 == expected } == 130)
            }
        }

        @Test func `a connection without further stream ids reports this, finishes its requests and closes`()
            throws
        {
            try Testbed.run { fixture in
                let connection = try fixture.connect(to: fixture.peer()) { $0.firstStreamID = Int32.max - 4 }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                #expect(connection.freeStreams == 3)
                for tag in 0..<3 { #expect(push.submit(UInt64(tag), to: connection)) }
                #expect(!push.submit(3, to: connection))
                connection.flush()
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.answered200 == 3)
                #expect(fixture.recorder.goAways.count == 1)
                #expect(fixture.recorder.closed == .local)
            }
        }

        @Test func `draining finishes requests in flight and accepts no new requests`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(Self.holding(5))
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("the peer has it") { peer.tally.requests.count == 1 }
                connection.drain()
                #expect(connection.freeStreams == 0)
                #expect(!push.submit(1, to: connection))
                try fixture.turn()
                #expect(fixture.recorder.closed == nil)
                peer.order { $0.http2[0].releaseHeld() }
                try fixture.until("it is closed") { fixture.recorder.closed == .local }
                #expect(fixture.recorder.endings == [0: .answered(200, "", isComplete: true)])
            }
        }

        @Test func `draining has a timeout`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(Self.holding(5))
                let connection = try fixture.connect(to: peer) { $0.drainTimeout = .milliseconds(50) }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("the peer has it") { peer.tally.requests.count == 1 }
                connection.drain()
                try fixture.until("it is closed") { fixture.recorder.closed == .local }
                #expect(fixture.recorder.endings == [0: .ended(.undecided(.connectionLost(.local)))])
            }
        }
    }
}
