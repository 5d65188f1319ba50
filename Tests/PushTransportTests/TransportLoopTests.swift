import CPushShims
import Foundation
import PushTransport
import TestSupport
import TestTLS
import Testing

extension TransportTests {
    @Suite struct TransportLoopTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        @Test func `a foreign descriptor wakes the loop for the events that the loop watches`() throws {
            let loop = try TransportLoop()
            var pair: [Int32] = [0, 0]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            defer { for descriptor in pair { close(descriptor) } }
            loop.watch(descriptor: pair[0], reads: true, writes: false)
            #expect(try loop.wait(atMostMilliseconds: 0) == [])
            var byte: UInt8 = 1
            #expect(write(pair[1], &byte, 1) == 1)
            let ready = TransportLoop.ReadyDescriptor(
                descriptor: pair[0], isReadable: true, isWritable: false)
            #expect(try loop.wait(atMostMilliseconds: 5000) == [ready])
            loop.watch(descriptor: pair[0], reads: true, writes: true)
            let both = TransportLoop.ReadyDescriptor(descriptor: pair[0], isReadable: true, isWritable: true)
            #expect(try loop.wait(atMostMilliseconds: 5000) == [both])
            loop.unwatch(descriptor: pair[0])
            #expect(try loop.wait(atMostMilliseconds: 0) == [])
        }

        @Test func `a hang-up is reported as readable, even if libcurl hides the hang-up`() throws {
            let loop = try TransportLoop()
            var pipes: [Int32] = [0, 0]
            #expect(pipe(&pipes) == 0)
            loop.watch(descriptor: pipes[0], reads: true, writes: false)
            close(pipes[1])
            #expect(try loop.wait(atMostMilliseconds: 5000).map(\.descriptor) == [pipes[0]])
            loop.unwatch(descriptor: pipes[0])
            close(pipes[0])
        }

        @Test func `an idle loop sleeps for its whole timeout`() throws {
            try Testbed.run { fixture in
                let connection = try fixture.connect(to: fixture.peer())
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                for _ in 0..<20 { try fixture.turn(atMost: 20) }
                let before = fixture.loop.now
                try fixture.turn(atMost: 200)
                #expect(fixture.loop.now - before >= 190_000_000)
                connection.close()
            }
        }

        @Test func `two hundred connections share one loop`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(HTTP2Script(maximumStreams: 10))
                var recorders: [Recorder] = []
                var connections: [HTTP2Connection] = []
                for _ in 0..<200 {
                    let recorder = Recorder()
                    recorder.isWaiting = true
                    recorders.append(recorder)
                    connections.append(
                        try HTTP2Connection(
                            loop: fixture.loop, endpoint: fixture.endpoint(peer),
                            tls: TLSIdentity(trust: .pem(fixture.authority.pem)),
                            configuration: HTTP2Configuration(),
                            delegate: recorder))
                }
                try fixture.until("all are open") { recorders.allSatisfy { $0.opened == 1 } }
                for (index, connection) in connections.enumerated() {
                    for tag in 0..<10 { #expect(push.submit(UInt64(index * 10 + tag), to: connection)) }
                    connection.flush()
                }
                try fixture.until("all are answered") { recorders.allSatisfy { $0.answered200 == 10 } }
                #expect(Set(peer.tally.requests.map(\.path)).count == 2000)
                for connection in connections { connection.drain() }
                try fixture.until("all are closed") { recorders.allSatisfy { $0.closed == .local } }
            }
        }

        @Test func `a loop that is released closes its connections`() throws {
            let authority = TestAuthority()
            let peer = TestPeer(TestPeer.Options(authority.issue()))
            defer { peer.stop() }
            do {
                let loop = try TransportLoop()
                let recorder = Recorder()
                recorder.isWaiting = true
                let endpoint = Endpoint(
                    host: "localhost", port: peer.port, connectTo: .init(host: "127.0.0.1", port: peer.port))
                var kept: [HTTP2Connection] = []
                for _ in 0..<3 {
                    kept.append(
                        try HTTP2Connection(
                            loop: loop, endpoint: endpoint, tls: TLSIdentity(trust: .pem(authority.pem)),
                            configuration: HTTP2Configuration(), delegate: recorder))
                }
                while recorder.opened < 2 { _ = try loop.wait(atMostMilliseconds: 1000) }
                #expect(recorder.closed == nil)
            }
            while peer.tally.closed < peer.tally.accepted || peer.tally.accepted == 0 { sched_yield() }
            #expect(socketsTouching(port: peer.port) == 1)
        }

        @Test func `a hundred loops leave no descriptor open`() throws {
            let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            for _ in 0..<100 { _ = try TransportLoop().wait(atMostMilliseconds: 0) }
            let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            #expect(after - before < 50)  // Other tests run at the same time.
        }
    }
}
