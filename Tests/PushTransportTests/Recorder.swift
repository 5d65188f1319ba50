import CPushShims
import Foundation
import PushTransport
import TestSupport
import TestTLS
import Testing

/// A delegate that records everything, and that reports an issue if something happens that must never happen.
final class Recorder: HTTP2Delegate {
    enum Ending: Equatable {
        case answered(Int, String, isComplete: Bool)
        case ended(HTTP2Outcome)
    }
    var opened = 0
    var endings: [UInt64: Ending] = [:]
    var headers: [UInt64: [String?]] = [:]
    var goAways: [(code: UInt32, last: Int32, debug: String)] = []
    var closed: CloseCause?
    var givenUp: [CloseCause] = []
    var gotRoom = 0
    /// Called after each answer or ending, to submit more requests or to close.
    var afterEnding: ((HTTP2Connection, UInt64) -> Void)?
    /// Whether the loop is waiting. The connection must call back only then, not during a call to it.
    var isWaiting = false

    func connectionOpened(_ connection: HTTP2Connection) {
        check()
        opened += 1
    }
    func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer) {
        check()
        headers[answer.tag] = (0..<2).map { index in
            answer.headers[index].map { String(decoding: $0, as: UTF8.self) }
        }
        note(
            answer.tag,
            .answered(
                answer.status, String(decoding: answer.body, as: UTF8.self), isComplete: answer.isComplete))
        afterEnding?(connection, answer.tag)
    }
    func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Outcome) {
        check()
        note(tag, .ended(ending))
        afterEnding?(connection, tag)
    }
    func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer
    ) {
        check()
        goAways.append((errorCode, lastStreamID, String(decoding: debugData, as: UTF8.self)))
    }
    func connection(_ connection: HTTP2Connection, givenUp cause: CloseCause) {
        check()
        #expect(connection.freeStreams == 0)
        givenUp.append(cause)
    }
    func connectionGotRoom(_ connection: HTTP2Connection) {
        check()
        gotRoom += 1
    }
    func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause) {
        check()
        closed = cause
        #expect(connection.inFlight == 0, "a connection closed with requests that have no ending")
    }

    private func note(_ tag: UInt64, _ ending: Ending) {
        let earlier = endings.updateValue(ending, forKey: tag)
        #expect(earlier == nil, "request \(tag) ended twice: \(String(describing: earlier)), then \(ending)")
    }
    private func check() {
        #expect(closed == nil, "said something after its last word")
        #expect(isWaiting, "called back from outside the loop's wait")
    }

    func count(where isWanted: (Ending) -> Bool) -> Int { endings.values.count(where: isWanted) }
    var answered200: Int { count { if case .answered(200, _, _) = $0 { true } else { false } } }
}

/// A loop, a peer and its authority, for one test. If anything is left open afterwards, the test fails.
final class Testbed {
    let loop: TransportLoop
    let authority = TestAuthority()
    let recorder = Recorder()
    private(set) var peers: [TestPeer] = []
    /// The number of sockets that used each peer's port when the peer had just begun to listen: the peer's
    /// own socket, and sockets with which a parallel test still has a connection to the previous user of the
    /// port.
    private var socketsAtFirst: [Int] = []

    init() throws { loop = try TransportLoop() }

    func peer(
        _ script: HTTP2Script = HTTP2Script(), _ change: (inout TestPeer.Options) -> Void = { _ in }
    ) -> TestPeer {
        var options = TestPeer.Options(authority.issue())
        options.kind = .http2(script)
        change(&options)
        let peer = TestPeer(options)
        peers.append(peer)
        socketsAtFirst.append(socketsTouching(port: peer.port))
        return peer
    }

    func endpoint(_ peer: TestPeer, host: String = "localhost") -> Endpoint {
        Endpoint(host: host, port: peer.port, connectTo: .init(host: "127.0.0.1", port: peer.port))
    }

    func connect(
        to peer: TestPeer, tls: TLSIdentity? = nil, endpoint: Endpoint? = nil,
        _ change: (inout HTTP2Configuration) -> Void = { _ in }
    ) throws -> HTTP2Connection {
        var configuration = HTTP2Configuration()
        configuration.wantedHeaders = ["apns-unique-id", "retry-after"]
        change(&configuration)
        return try HTTP2Connection(
            loop: loop, endpoint: endpoint ?? self.endpoint(peer),
            tls: tls ?? TLSIdentity(trust: .pem(authority.pem)),
            configuration: configuration, delegate: recorder)
    }

    /// Runs turns of the loop until the condition is true. If a test waits in vain, it fails and reports what
    /// it waited for.
    func until(
        _ what: String, within seconds: Int64 = Patience.limit.components.seconds, _ condition: () -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let end = loop.now + seconds * 1_000_000_000
        while !condition() {
            try turn(atMost: 20)
            guard loop.now < end else {
                Issue.record("waited \(seconds) s in vain until \(what)", sourceLocation: sourceLocation)
                throw Vain()
            }
        }
    }
    struct Vain: Error {}

    func turn(atMost milliseconds: Int32 = 0) throws {
        recorder.isWaiting = true
        defer { recorder.isWaiting = false }
        _ = try loop.wait(atMostMilliseconds: milliseconds)
    }

    /// Lets the work finish, and then checks that the loop, the peers and the process have nothing open.
    static func run(_ test: (Testbed) throws -> Void) throws {
        let fixture = try Testbed()
        var isVain = false
        do { try test(fixture) } catch is Vain { isVain = true }
        defer { for peer in fixture.peers { peer.stop() } }
        guard !isVain else { return }
        try fixture.until("nothing hangs on the loop") { fixture.loop.liveHandles == 0 }
        for (peer, atFirst) in zip(fixture.peers, fixture.socketsAtFirst) {
            try fixture.until("the peer's connections are closed") {
                peer.tally.closed == peer.tally.accepted
            }
            // The limit includes the listener itself. A proxy's thread may take a moment longer.
            try fixture.until("no socket is left open") { socketsTouching(port: peer.port) <= atFirst }
        }
    }
}

/// Returns the number of descriptors of this process that are sockets bound or connected to this local port.
func socketsTouching(port: Int) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.count { descriptor in
        var isTouching = false
        for ask in [getsockname, getpeername] {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
            }
            // The port is at the same place in both address families.
            let isInternet = [AF_INET, AF_INET6].contains(Int32(address.sin_family))
            guard result == 0, isInternet else { continue }
            if UInt16(bigEndian: address.sin_port) == UInt16(port) { isTouching = true }
        }
        return isTouching
    }
}

/// A request in the form of a push, with a path, an id and a body.
struct PushLike {
    let template: RequestTemplate

    init(authority: String = "localhost") throws {
        template = try RequestTemplate([
            .constant(name: ":method", value: "POST"), .constant(name: ":scheme", value: "https"),
            .constant(name: ":authority", value: authority), .variable(name: ":path"),
            .constant(name: "apns-topic", value: "com.example.app"), .variable(name: "apns-id"),
            .variable(name: "apns-collapse-id"), .secret(name: "authorization", value: "bearer abc.def"),
        ])
    }

    @discardableResult
    func submit(
        _ tag: UInt64, to connection: HTTP2Connection, body: String = "{\"aps\":{}}", collapse: String? = nil
    ) -> Bool {
        guard var request = connection.begin(template) else { return false }
        for (index, value) in ["/3/device/\(tag)", "id-\(tag)", collapse].enumerated() {
            guard let value else { continue }
            let fits = Array(value.utf8).withUnsafeBytes { request.setVariable(index, copying: $0) }
            guard fits else { return false }
        }
        guard Array(body.utf8).withUnsafeBytes({ request.setBody(copying: $0) }) else { return false }
        return connection.submit(request, tag: tag)
    }
}

/// All tests with sockets, one after another: two cores are not enough for forty servers.
@Suite(.serialized) struct TransportTests {}
