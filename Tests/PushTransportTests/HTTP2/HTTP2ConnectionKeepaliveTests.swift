import CPushShims
import PushTransport
import Testing

extension TransportTests {
    /// Tests of whether the peer still responds.
    @Suite struct HTTP2ConnectionKeepaliveTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        @Test func `a silent peer that owes answers is sent a PING, and is kept if it replies`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(
                    HTTP2Script { connection, request in connection.held.append(request.stream) })
                let connection = try fixture.connect(to: peer) { $0.pingAfterQuiet = .milliseconds(20) }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("it was pinged three times") { peer.tally.pings >= 3 }
                #expect(fixture.recorder.closed == nil)
                peer.order { $0.http2[0].releaseHeld() }
                try fixture.until("it is answered") { fixture.recorder.answered200 == 1 }
                connection.close()
            }
        }

        @Test func `a peer that does not answer a PING is abandoned`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(HTTP2Script(answersPings: false) { _, _ in })
                let connection = try fixture.connect(to: peer) {
                    $0.pingAfterQuiet = .milliseconds(20)
                    $0.pingTimeout = .milliseconds(40)
                }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("it is closed") { fixture.recorder.closed == .silent }
                #expect(fixture.recorder.endings == [0: .ended(.undecided(.connectionLost(.silent)))])
                // There is a second PING if the first one left before the peer's response to our settings
                // arrived.
                #expect((1...2).contains(peer.tally.pings))
            }
        }

        @Test func `a peer that sends but does not read is abandoned`() throws {
            try Testbed.run { fixture in
                var script = HTTP2Script(maximumStreams: 1000) { connection, _ in
                    connection.channel.isDeaf = true
                }
                script.isWide = true
                let peer = fixture.peer(script) { $0.receiveBuffer = 8192 }
                let connection = try fixture.connect(to: peer) {
                    $0.socketSendBuffer = 4096
                    $0.sendTimeout = .milliseconds(200)
                    // The PING must not be the cause, because the peer's frames arrive all the time. Nor must
                    // requests that time out.
                    $0.pingAfterQuiet = .seconds(60)
                    $0.requestTimeout = .seconds(60)
                }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("the peer is deaf") { peer.tally.requests.count == 1 }
                let body = String(repeating: "x", count: 3000)
                for tag in 1..<300 { push.submit(UInt64(tag), to: connection, body: body) }
                connection.flush()
                var nextPing = fixture.loop.now
                try fixture.until("it is closed") {
                    if fixture.loop.now >= nextPing {
                        nextPing = fixture.loop.now + 10_000_000
                        peer.order { $0.http2.first?.ping() }
                    }
                    return fixture.recorder.closed == .silent
                }
                #expect(fixture.recorder.endings.count == 300)
                #expect(peer.tally.requests.count == 1)
                // While it does not read, the peer does not notice this itself.
                peer.order { $0.channels.first?.abort() }
            }
        }

        @Test func `a peer that reads slowly is kept`() throws {
            try Testbed.run { fixture in
                var script = HTTP2Script(maximumStreams: 1000) { connection, request in
                    if request.path == "/3/device/0" { connection.channel.isDeaf = true }
                    connection.answer(request.stream, 200)
                }
                script.isWide = true
                let peer = fixture.peer(script) { $0.receiveBuffer = 8192 }
                let connection = try fixture.connect(to: peer) {
                    $0.socketSendBuffer = 4096
                    $0.sendTimeout = .seconds(2)
                }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("the peer is deaf") { peer.tally.requests.count == 1 }
                let body = String(repeating: "x", count: 3000)
                for tag in 1..<300 { push.submit(UInt64(tag), to: connection, body: body) }
                connection.flush()
                let began = fixture.loop.now
                var nextSip = began
                try fixture.until("it has been blocked for longer than a send may be") {
                    if fixture.loop.now >= nextSip {
                        nextSip = fixture.loop.now + 50_000_000
                        peer.order { $0.channels.first?.sip() }
                    }
                    return fixture.loop.now > began + 3_000_000_000
                }
                #expect(fixture.recorder.closed == nil)
                peer.order { thread in
                    thread.channels.first?.isDeaf = false
                    thread.channels.first?.wantsTurn = true
                }
                try fixture.until("all are answered") { fixture.recorder.answered200 == 300 }
                connection.close()
            }
        }

        @Test
        func `a peer that answers PING frames but no request is abandoned once a request has timed out`()
            throws
        {
            try Testbed.run { fixture in
                // The peer answers the first request, and then only PING frames.
                let peer = fixture.peer(
                    HTTP2Script { connection, request in
                        if request.path == "/3/device/0" { connection.answer(request.stream, 200) }
                    })
                let connection = try fixture.connect(to: peer) {
                    $0.pingAfterQuiet = .milliseconds(20)
                    $0.requestTimeout = .seconds(1)
                }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("the first is answered") { fixture.recorder.answered200 == 1 }
                push.submit(1, to: connection)
                connection.flush()
                try fixture.until("it was pinged") { peer.tally.pings >= 2 }
                #expect(connection.freeStreams > 0)
                try fixture.until("it is closed") { fixture.recorder.closed == .unanswered(seconds: 1) }
                #expect(fixture.recorder.givenUp == [.unanswered(seconds: 1)])
                #expect(fixture.recorder.endings[1] == .ended(.undecided(.timedOut)))
            }
        }

        @Test func `a single request timeout among answered requests does not affect the connection`()
            throws
        {
            try Testbed.run { fixture in
                let peer = fixture.peer(
                    HTTP2Script { connection, request in
                        if request.path != "/3/device/0" { connection.answer(request.stream, 200) }
                    })
                let connection = try fixture.connect(to: peer) { $0.requestTimeout = .milliseconds(500) }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                var tag: UInt64 = 1
                try fixture.until("the silent one has timed out") {
                    if fixture.recorder.answered200 + 1 == Int(tag), connection.freeStreams > 0 {
                        push.submit(tag, to: connection)
                        connection.flush()
                        tag += 1
                    }
                    return fixture.recorder.endings[0] != nil
                }
                #expect(fixture.recorder.givenUp.isEmpty && fixture.recorder.closed == nil)
                #expect(connection.state == .open)
                connection.close()
            }
        }

        @Test
        func `a peer that allows no stream is abandoned when requests have waited for the connect timeout`()
            throws
        {
            try Testbed.run { fixture in
                let peer = fixture.peer(HTTP2Script(maximumStreams: 0) { _, _ in })
                let connection = try fixture.connect(to: peer) { $0.connectTimeout = .seconds(2) }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                connection.requestsWait()
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.closed == .noStreams)
            }
        }

        @Test func `a peer that allows a stream in time is kept`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(
                    HTTP2Script(maximumStreams: 0) { connection, request in
                        connection.answer(request.stream, 200)
                    })
                let connection = try fixture.connect(to: peer) { $0.connectTimeout = .seconds(3) }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                connection.requestsWait()
                peer.order { $0.http2[0].settings(maximumStreams: 1) }
                try fixture.until("there is a stream") { connection.freeStreams == 1 }
                let began = fixture.loop.now
                try fixture.until("the time is over") { fixture.loop.now > began + 4_000_000_000 }
                #expect(fixture.recorder.closed == nil)
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("it is answered") { fixture.recorder.answered200 == 1 }
                connection.close()
            }
        }

        @Test func `a PING is occasionally sent on an idle connection`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer()
                let connection = try fixture.connect(to: peer) { $0.idlePing = .milliseconds(20) }
                try fixture.until("it was pinged twice") { peer.tally.pings >= 2 }
                #expect(fixture.recorder.closed == nil)
                connection.close()
            }
        }
    }
}
