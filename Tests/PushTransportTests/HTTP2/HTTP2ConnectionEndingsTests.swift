import CPushShims
import PushTransport
import Testing

extension TransportTests {
    /// Tests how requests without an answer end.
    @Suite struct HTTP2ConnectionEndingsTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        /// Submits requests 0 ..< count to a peer with this behaviour, and waits for all of them to end.
        private func endings(
            _ count: Int, _ onRequest: @escaping @Sendable (PeerHTTP2, PeerRequest) -> Void
        ) throws -> [UInt64: Recorder.Ending] {
            var result: [UInt64: Recorder.Ending] = [:]
            try Testbed.run { fixture in
                let connection = try fixture.connect(to: fixture.peer(HTTP2Script(onRequest: onRequest)))
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                for tag in 0..<count { push.submit(UInt64(tag), to: connection) }
                connection.flush()
                try fixture.until("all have ended") { fixture.recorder.endings.count == count }
                result = fixture.recorder.endings
                connection.close()
            }
            return result
        }

        @Test func `a refused stream was never sent, and a stream that was reset otherwise is undecided`()
            throws
        {
            let endings = try endings(3) { connection, request in
                switch request.path {
                case "/3/device/0": connection.reset(request.stream, code: 7)
                case "/3/device/1": connection.reset(request.stream, code: 11)
                default: connection.reset(request.stream, code: 0)
                }
            }
            #expect(
                endings == [
                    0: .ended(.neverSent(.refused)), 1: .ended(.undecided(.streamReset(code: 11))),
                    2: .ended(.undecided(.streamReset(code: 0))),
                ])
        }

        @Test func `a status that arrived before the break counts as an answer`() throws {
            let endings = try endings(2) { connection, request in
                connection.answer(request.stream, 400, body: Array("{\"rea".utf8), stopsShort: true)
                if request.path == "/3/device/1" { connection.channel.closeWhenSent() }
            }
            #expect(endings.values.allSatisfy { $0 == .answered(400, "{\"rea", isComplete: false) })
        }

        @Test func `a TCP reset leaves sent requests undecided`() throws {
            let endings = try endings(5) { connection, request in
                if request.path == "/3/device/4" { connection.channel.abort() }
            }
            for tag in 0..<5 {
                guard case .ended(.undecided(.connectionLost)) = endings[UInt64(tag)] else {
                    Issue.record("\(tag): \(String(describing: endings[UInt64(tag)]))")
                    continue
                }
            }
        }

        @Test func `an orderly close leaves sent requests undecided and is reported as orderly`() throws {
            let endings = try endings(2) { connection, request in
                if request.path == "/3/device/1" { connection.channel.close() }
            }
            #expect(
                endings.values.allSatisfy {
                    $0 == .ended(.undecided(.connectionLost(.peerClosed(orderly: true))))
                })
        }

        @Test func `a close without notice is distinguished from an orderly close`() throws {
            let endings = try endings(1) { connection, _ in connection.channel.hangUp() }
            #expect(endings == [0: .ended(.undecided(.connectionLost(.peerClosed(orderly: false))))])
        }

        @Test func `answers that arrived before the connection broke count`() throws {
            let endings = try endings(3) { connection, request in
                connection.answer(request.stream, 200)
                if request.path == "/3/device/1" { connection.channel.closeWhenSent() }
            }
            #expect(endings[0] == .answered(200, "", isComplete: true))
            #expect(endings[1] == .answered(200, "", isComplete: true))
        }

        @Test func `bytes that are not HTTP/2 close the connection`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(HTTP2Script { connection, _ in connection.babble() })
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.closed?.label == "protocol-error")
                #expect(fixture.recorder.endings.count == 1)
            }
        }

        /// Returns a peer that reads the first request and then stops reading.
        private func deafPeer(_ fixture: Testbed) -> TestPeer {
            var script = HTTP2Script(maximumStreams: 1000) { connection, request in
                if request.path == "/3/device/0" { connection.channel.isDeaf = true }
            }
            script.isWide = true
            return fixture.peer(script) { $0.receiveBuffer = 8192 }
        }

        @Test func `a request that never reached TLS counts as never sent, and the peer has not received it`()
            throws
        {
            try Testbed.run { fixture in
                let peer = deafPeer(fixture)
                let connection = try fixture.connect(to: peer) { $0.socketSendBuffer = 4096 }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("the peer is deaf") { peer.tally.requests.count == 1 }
                let body = String(repeating: "x", count: 3000)
                for tag in 1..<1000 { #expect(push.submit(UInt64(tag), to: connection, body: body)) }
                connection.flush()
                // The peer discards everything that it has not read.
                peer.order { $0.channels[0].abort() }
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.endings.count == 1000)
                let never = fixture.recorder.count {
                    if case .ended(.neverSent(.connectionClosed)) = $0 { true } else { false }
                }
                let undecided = fixture.recorder.count {
                    if case .ended(.undecided) = $0 { true } else { false }
                }
                #expect(never + undecided == 1000)
                #expect(never > 0 && undecided > 0)
                #expect(fixture.recorder.endings[0] != .ended(.neverSent(.connectionClosed(.local))))
                #expect(peer.tally.requests.count == 1)
            }
        }

        /// OpenSSL may send records and still report that the send would block: see `TLSStream.recordBytes`.
        @Test func `sends that are blocked repeatedly do not hide which requests were sent`() throws {
            try Testbed.run { fixture in
                let peer = deafPeer(fixture)
                let connection = try fixture.connect(to: peer) { $0.socketSendBuffer = 4096 }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("the peer is deaf") { peer.tally.requests.count == 1 }
                for tag in 1..<1000 { push.submit(UInt64(tag), to: connection, body: "") }
                for sips in 1...40 {
                    connection.flush()
                    peer.order { thread in
                        thread.channels[0].sip()
                        thread.peer.record { $0.pings = sips }
                    }
                    try fixture.until("the peer has sipped") { peer.tally.pings == sips }
                }
                connection.close()
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                peer.order {
                    $0.channels[0].isDeaf = false
                    $0.channels[0].wantsTurn = true
                }
                try fixture.until("the peer is done") { peer.tally.closed == 1 }
                let arrived = Set(peer.tally.requests.map(\.path))
                #expect(arrived.count > 1)
                for (tag, ending) in fixture.recorder.endings where arrived.contains("/3/device/\(tag)") {
                    #expect(ending == .ended(.undecided(.connectionLost(.local))))
                }
            }
        }

        @Test
        func `an unanswered request is abandoned and cancelled, and its stream becomes available again`()
            throws
        {
            try Testbed.run { fixture in
                let silent = ["/3/device/0", "/3/device/1"]
                let peer = fixture.peer(
                    HTTP2Script(maximumStreams: 3) { connection, request in
                        if !silent.contains(request.path) { connection.answer(request.stream, 200) }
                    })
                let connection = try fixture.connect(to: peer) { $0.requestTimeout = .milliseconds(500) }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                push.submit(1, to: connection)
                connection.flush()
                #expect(connection.freeStreams == 1)
                // The peer answers other requests all the time, so the connection is sound.
                var tag: UInt64 = 2
                try fixture.until("both are given up") {
                    if fixture.recorder.answered200 + 2 == Int(tag), connection.freeStreams > 0 {
                        push.submit(tag, to: connection)
                        connection.flush()
                        tag += 1
                    }
                    return fixture.recorder.endings[0] != nil && fixture.recorder.endings[1] != nil
                }
                #expect([0, 1].allSatisfy { fixture.recorder.endings[$0] == .ended(.undecided(.timedOut)) })
                try fixture.until("the others are answered") { fixture.recorder.answered200 + 2 == Int(tag) }
                #expect(connection.freeStreams == 3)
                try fixture.until("the peer has received it") { peer.tally.resets == [8, 8] }
                #expect(connection.state == .open)
                connection.close()
            }
        }

        @Test func `a request that times out before it can be sent counts as never sent`() throws {
            try Testbed.run { fixture in
                let peer = deafPeer(fixture)
                let connection = try fixture.connect(to: peer) {
                    $0.socketSendBuffer = 4096
                    $0.requestTimeout = .milliseconds(100)
                }
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try fixture.until("the peer is deaf") { peer.tally.requests.count == 1 }
                // Together, the requests must overfill the buffers.
                let long = String(repeating: "c", count: 500)
                for tag in 1..<1000 { push.submit(UInt64(tag), to: connection, collapse: long) }
                connection.flush()
                try fixture.until("all have ended") { fixture.recorder.endings.count == 1000 }
                let never = fixture.recorder.endings.filter { $0.value == .ended(.neverSent(.timedOut)) }.map(
                    \.key)
                #expect(!never.isEmpty && !never.contains(0))
                // Now the peer reads again: requests that were reported as never sent must not arrive.
                peer.order {
                    $0.channels[0].isDeaf = false
                    $0.channels[0].wantsTurn = true
                }
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                try fixture.until("the peer is done") { peer.tally.closed == 1 }
                let arrived = Set(peer.tally.requests.map(\.path))
                #expect(never.allSatisfy { !arrived.contains("/3/device/\($0)") })
            }
        }
    }
}
