import CPushShims
import PushTransport
import Testing

extension TransportTests {
    /// Is the peer still there?
    @Suite struct HTTP2ConnectionKeepaliveTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        @Test func `a quiet peer that owes answers is pinged, and kept when it replies`() throws {
            try House.run { house in
                let peer = house.peer(HTTP2Script { connection, request in connection.held.append(request.stream) })
                let connection = try house.connect(to: peer) { $0.pingAfterQuiet = .milliseconds(20) }
                try house.until("it is open") { house.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try house.until("it was pinged three times") { peer.tally.pings >= 3 }
                #expect(house.recorder.closed == nil)
                peer.order { $0.http2[0].releaseHeld() }
                try house.until("it is answered") { house.recorder.answered200 == 1 }
                connection.close()
            }
        }

        @Test func `a peer that does not answer a PING is left`() throws {
            try House.run { house in
                let peer = house.peer(HTTP2Script(answersPings: false) { _, _ in })
                let connection = try house.connect(to: peer) {
                    $0.pingAfterQuiet = .milliseconds(20)
                    $0.pingTimeout = .milliseconds(40)
                }
                try house.until("it is open") { house.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try house.until("it is closed") { house.recorder.closed == .silent }
                #expect(house.recorder.endings == [0: .ended(.undecided(.connectionLost(.silent)))])
                #expect(peer.tally.pings == 1)
            }
        }

        @Test func `an idle connection is pinged now and then`() throws {
            try House.run { house in
                let peer = house.peer()
                let connection = try house.connect(to: peer) { $0.idlePing = .milliseconds(20) }
                try house.until("it was pinged twice") { peer.tally.pings >= 2 }
                #expect(house.recorder.closed == nil)
                connection.close()
            }
        }
    }
}
