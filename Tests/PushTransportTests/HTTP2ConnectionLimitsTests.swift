import CPushShims
import PushTransport
import Testing

extension TransportTests {
    /// How many requests at a time.
    @Suite struct HTTP2ConnectionLimitsTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        /// Holds every answer until it is told to release them.
        private static func holding(_ maximumStreams: UInt32?) -> HTTP2Script {
            HTTP2Script(maximumStreams: maximumStreams) { connection, request in
                connection.held.append(request.stream)
            }
        }

        @Test func `one stream until the owner widens, then the peer's number`() throws {
            try House.run { house in
                let peer = house.peer(Self.holding(7))
                let connection = try house.connect(to: peer) { $0.initialStreams = 1 }
                #expect(connection.freeStreams == 0)
                try house.until("it is open") { house.recorder.opened == 1 }
                #expect(connection.freeStreams == 1)
                #expect(push.submit(0, to: connection))
                #expect(!push.submit(1, to: connection))
                connection.flush()
                try house.until("the peer has it") { peer.tally.requests.count == 1 }
                peer.order { $0.http2[0].releaseHeld() }
                try house.until("it is answered") { house.recorder.answered200 == 1 }
                #expect(connection.freeStreams == 1)
                connection.widen()
                #expect(connection.freeStreams == 7)
                for tag in 1...7 { #expect(push.submit(UInt64(tag), to: connection)) }
                #expect(connection.begin(push.template) == nil)
                connection.flush()
                try house.until("the peer has all") { peer.tally.requests.count == 8 }
                #expect(peer.tally.mostConcurrent == 7)
                connection.close()
            }
        }

        @Test func `the peer's SETTINGS are followed while requests fly, up and down`() throws {
            try House.run { house in
                let peer = house.peer(Self.holding(2))
                let connection = try house.connect(to: peer)
                try house.until("it is open") { house.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                #expect(connection.freeStreams == 1)
                peer.order { $0.http2[0].settings(maximumStreams: 10) }
                try house.until("there is room") { house.recorder.gotRoom == 1 }
                #expect(connection.freeStreams == 9)
                for tag in 1...4 { push.submit(UInt64(tag), to: connection) }
                connection.flush()
                try house.until("the peer has all") { peer.tally.requests.count == 5 }
                #expect(connection.freeStreams == 5)
                peer.order { $0.http2[0].settings(maximumStreams: 3) }
                try house.until("it is lowered") { connection.freeStreams == 0 }
                peer.order { $0.http2[0].settings(maximumStreams: 0) }
                peer.order { $0.http2[0].releaseHeld() }
                try house.until("all are answered") { house.recorder.answered200 == 5 }
                #expect(connection.freeStreams == 0)
                peer.order { $0.http2[0].settings(maximumStreams: 1) }
                try house.until("there is room again") { connection.freeStreams == 1 }
                connection.close()
            }
        }

        @Test func `a peer that names no limit gets what we want and no more`() throws {
            try House.run { house in
                let connection = try house.connect(to: house.peer(Self.holding(nil))) {
                    $0.maximumStreams = 130
                }
                try house.until("it is open") { house.recorder.opened == 1 }
                #expect(connection.freeStreams == 130)
                for tag in 0..<130 { #expect(push.submit(UInt64(tag), to: connection)) }
                #expect(!push.submit(130, to: connection))
                connection.close()
                try house.until("it is closed") { house.recorder.closed == .local }
                let expected = Recorder.Ending.ended(.neverSent(.connectionClosed(.local)))
                #expect(house.recorder.count { $0 == expected } == 130)
            }
        }

        @Test func `when stream ids run out it says so, finishes and closes`() throws {
            try House.run { house in
                let connection = try house.connect(to: house.peer()) { $0.firstStreamID = Int32.max - 4 }
                try house.until("it is open") { house.recorder.opened == 1 }
                #expect(connection.freeStreams == 3)
                for tag in 0..<3 { #expect(push.submit(UInt64(tag), to: connection)) }
                #expect(!push.submit(3, to: connection))
                connection.flush()
                try house.until("it is closed") { house.recorder.closed != nil }
                #expect(house.recorder.answered200 == 3)
                #expect(house.recorder.goAways.count == 1)
                #expect(house.recorder.closed == .local)
            }
        }

        @Test func `draining finishes what flies and takes nothing more`() throws {
            try House.run { house in
                let peer = house.peer(Self.holding(5))
                let connection = try house.connect(to: peer)
                try house.until("it is open") { house.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try house.until("the peer has it") { peer.tally.requests.count == 1 }
                connection.drain()
                #expect(connection.freeStreams == 0)
                #expect(!push.submit(1, to: connection))
                try house.turn()
                #expect(house.recorder.closed == nil)
                peer.order { $0.http2[0].releaseHeld() }
                try house.until("it is closed") { house.recorder.closed == .local }
                #expect(house.recorder.endings == [0: .answered(200, "", isComplete: true)])
            }
        }

        @Test func `draining does not wait for ever`() throws {
            try House.run { house in
                let peer = house.peer(Self.holding(5))
                let connection = try house.connect(to: peer) { $0.drainTimeout = .milliseconds(50) }
                try house.until("it is open") { house.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try house.until("the peer has it") { peer.tally.requests.count == 1 }
                connection.drain()
                try house.until("it is closed") { house.recorder.closed == .local }
                #expect(house.recorder.endings == [0: .ended(.undecided(.connectionLost(.local)))])
            }
        }
    }
}
