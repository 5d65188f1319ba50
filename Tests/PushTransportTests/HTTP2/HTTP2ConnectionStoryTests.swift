import CPushShims
import PushTransport
import Synchronization
import TestSupport
import Testing

extension TransportTests {
    /// Tests of the target's central promise, with a peer that does anything at any time.
    @Suite struct HTTP2ConnectionStoryTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        @Test(arguments: 1...40)
        func `each request ends exactly once, and a request reported as never sent was never sent`(
            seed: UInt64
        ) throws {
            try Testbed.run { fixture in
                var chance = SeededRandom(seed: seed &* 977)
                let deeds = PeerDeeds(seed: seed)
                var script = HTTP2Script(maximumStreams: UInt32(1 + chance.below(60)))
                script.isWide = chance.below(2) == 0
                script.onRequest = { connection, request in deeds.act(connection, request) }
                let peer = fixture.peer(script) { if chance.below(3) == 0 { $0.receiveBuffer = 8192 } }
                let connection = try fixture.connect(to: peer) {
                    $0.maximumStreams = 50
                    $0.requestTimeout = .milliseconds(80)
                    $0.drainTimeout = .milliseconds(150)
                    $0.pingAfterQuiet = .milliseconds(25)
                    $0.pingTimeout = .milliseconds(60)
                    if chance.below(3) == 0 { $0.initialStreams = 1 }
                    if chance.below(2) == 0 { $0.socketSendBuffer = 4096 }
                    if chance.below(10) == 0 { $0.firstStreamID = Int32.max - 200 }
                }
                var submitted: UInt64 = 0
                let total = UInt64(50 + chance.below(400))
                try fixture.until("the story is over") {
                    if submitted == total { connection.drain() }
                    while submitted < total, chance.below(20) != 0 {
                        let body = String(repeating: "b", count: chance.below(3000))
                        guard push.submit(submitted, to: connection, body: body) else { break }
                        submitted += 1
                    }
                    if chance.below(4) != 0 { connection.flush() }
                    if chance.below(10) == 0 { connection.widen() }
                    if chance.below(400) == 0 { connection.close() }
                    if chance.below(40) == 0 { deeds.stir(peer) }
                    return fixture.recorder.closed != nil
                }
                #expect(fixture.recorder.endings.count == Int(submitted), "seed \(seed)")
                // The peer may still be reading bytes that were sent before the connection ended.
                deeds.allowDeafness.withLock { $0 = false }
                peer.order { thread in
                    thread.channels.forEach {
                        $0.isDeaf = false
                        $0.wantsTurn = true
                    }
                }
                try fixture.until("the peer is done") { peer.tally.closed == peer.tally.accepted }
                for (tag, ending) in fixture.recorder.endings {
                    let path = "/3/device/\(tag)"
                    switch ending {
                    case .answered(let status, _, _):
                        #expect(deeds.answered(path) == status, "seed \(seed): an answer that was not sent")
                    case .ended(.neverSent(let how)):
                        #expect(
                            !deeds.hasActedOn(path),
                            "seed \(seed): \(path) was \(how), yet the peer acted on it")
                    case .ended(.undecided): break
                    }
                }
            }
        }
    }
}

/// The peer's behaviour and its record, shared between the peer's thread and the test.
private final class PeerDeeds: Sendable {
    let allowDeafness = Mutex(true)
    private let chance: Mutex<SeededRandom>
    init(seed: UInt64) { chance = Mutex(SeededRandom(seed: seed)) }
    private let answers = Mutex<[String: Int]>([:])
    private let acted = Mutex<Set<String>>([])
    private let streams = Mutex((highestActedOn: Int32(0), admitted: Int32.max))

    func answered(_ path: String) -> Int? { answers.withLock { $0[path] } }
    func hasActedOn(_ path: String) -> Bool { acted.withLock { $0.contains(path) } }
    private func below(_ limit: Int) -> Int { chance.withLock { $0.below(limit) } }

    /// Called on the peer's thread for each complete request.
    func act(_ connection: PeerHTTP2, _ request: PeerRequest) {
        let die = below(200)
        // The request is refused, so the peer does not act on it.
        if die >= 170, die < 180 { return connection.reset(request.stream, code: 7) }
        let isAdmitted = streams.withLock { streams in
            if die == 190 {
                streams.admitted = min(streams.admitted, streams.highestActedOn)
                return false
            }
            if request.stream <= streams.admitted {
                streams.highestActedOn = max(streams.highestActedOn, request.stream)
                return true
            }
            return false
        }
        if die == 190 {
            return connection.goAway(last: streams.withLock { $0.admitted }, code: 0, debug: "bye")
        }
        // An honest peer does not act on any stream above the last one that its GOAWAY names.
        guard isAdmitted else { return }
        acted.withLock { _ = $0.insert(request.path) }
        switch die {
        case ..<140:
            let status = [200, 200, 200, 400, 410, 503][below(6)]
            answers.withLock { $0[request.path] = status }
            connection.answer(
                request.stream, status, body: status == 200 ? [] : Array("{\"reason\":\"X\"}".utf8))
        case ..<155: connection.reset(request.stream, code: UInt32([0, 2, 8, 11][below(4)]))
        case ..<165: break  // silence
        case 180: connection.settings(maximumStreams: UInt32(below(80)))
        case 185: connection.goAway(last: .max)
        case 187: connection.channel.abort()
        case 188: connection.channel.close()
        case 189: connection.channel.hangUp()
        case 191: connection.babble()
        case 192: connection.channel.isDeaf = allowDeafness.withLock { $0 }
        default:
            answers.withLock { $0[request.path] = 200 }
            connection.answer(request.stream, 200)
        }
    }

    /// Called by the test: does something that no request caused.
    func stir(_ peer: TestPeer) {
        let die = below(8)
        let streams = UInt32(below(60))
        peer.order { thread in
            for connection in thread.http2 {
                switch die {
                case 0: connection.settings(maximumStreams: streams)
                case 1: connection.goAway(last: .max, debug: "soon")
                case 2: connection.channel.isDeaf.toggle()
                default: break
                }
                connection.channel.wantsTurn = true
            }
        }
    }
}
