internal import GatewayAPNs
internal import GatewayKit
internal import PushModel
internal import PushTransport
internal import PushWire

/// Writes requests to APNs as HTTP/2 frames: the header block in HPACK, HEADERS and DATA.
final class FrameStage: Stage {
    static let messagesPerRound = GatewaySession.streams
    private var line: GatewaySession
    private var isOpen = false

    init(_ folder: String, messages: Int) throws { line = try GatewaySession(rejects: false) }

    func prepareRound() throws {
        if isOpen { line.prepareAnswers() }
        try line.takeAnswers()
        isOpen = true
    }
    func runRound() throws { try line.send() }
}

/// Reads APNs' answers to messages that it accepts: frames, and header blocks in HPACK.
class AnswerStage: Stage {
    static let messagesPerRound = GatewaySession.streams
    private var line: GatewaySession

    required init(_ folder: String, messages: Int) throws {
        line = try GatewaySession(rejects: Self.rejects)
        try line.takeAnswers()
    }

    fileprivate class var rejects: Bool { false }
    func prepareRound() throws {
        try line.send()
        line.prepareAnswers()
    }
    func runRound() throws { try line.takeAnswers() }
    func check() throws { try line.check() }
}

/// Reads APNs' answers about dead tokens, including their bodies, and interprets the reason in each body.
final class RejectionStage: AnswerStage {
    override fileprivate class var rejects: Bool { true }
}

/// One connection's session, with a peer that answers all requests in flight. The type is not a class,
/// because the runtime would then check each access to the session. In the engine, the runtime makes no such
/// checks.
@safe private struct GatewaySession: ~Copyable {
    static let streams = 500
    private static let bodyBytes = 300

    private var session: HTTP2Session
    private let template: RequestTemplate
    private let outgoing: UnsafeMutableRawBufferPointer
    private let token = Array(String(repeating: "ab", count: 32).utf8)
    private let body = [UInt8](repeating: UInt8(ascii: "x"), count: bodyBytes)
    private var peer = AnsweringPeer()
    /// The bytes that the session receives next. At first, they are the peer's greeting.
    private var answers: [UInt8]
    private var number: UInt64 = 0
    private let rejects: Bool
    private var (accepted, rejected) = (0, 0)

    init(rejects: Bool) throws {
        template = try Self.template()
        self.rejects = rejects
        var configuration = HTTP2Configuration()
        configuration.maximumStreams = Self.streams
        session = HTTP2Session(configuration)
        // The size of a connection's send buffer.
        unsafe outgoing = .allocate(byteCount: 64 << 10, alignment: 16)
        answers = peer.greeting
    }

    private static func template() throws -> RequestTemplate {
        let constant = APNsRequest.constantFields(
            authority: "api.push.apple.com", bundleID: "com.example.app", heading: APNsHeading(IOSContent()),
            expiration: WallTime(secondsSince1970: 1_795_262_400),
            authorization: "bearer " + String(repeating: "eyJhbGciOi", count: 20))
        let pseudo = constant.filter { $0.name.hasPrefix(":") }.map(RequestTemplate.Field.init)
        let ordinary = constant.filter { !$0.name.hasPrefix(":") }.map(RequestTemplate.Field.init)
        return try RequestTemplate(
            pseudo + [.variable(name: APNsRequest.pathName)] + ordinary + [
                .variable(name: APNsRequest.idName)
            ])
    }

    deinit { unsafe outgoing.deallocate() }

    // MARK: Requests

    mutating func send() throws {
        for _ in 0..<Self.streams {
            number += 1
            guard var request = session.begin(template) else { throw StageError("no free stream") }
            // Unsafe for speed; the connector does the same. The buffers belong to the arrays and to the
            // request.
            request.setVariable(
                0,
                length: unsafe token.withUnsafeBytes {
                    unsafe APNsRequest.writePath(of: $0, into: request.free)
                })
            let id = OpaqueID(high: 77, low: number)
            request.setVariable(1, length: unsafe APNsRequest.writeID(id, into: request.free))
            unsafe body.withUnsafeBytes { _ = unsafe request.setBody(copying: $0) }
            guard session.submit(request, tag: number) != nil else {
                throw StageError("a request was refused")
            }
            if session.lacksRoom { flush() }
        }
        flush()
    }

    private mutating func flush() {
        repeat {
            _ = session.takeWritten()
            unsafe session.setBuffer(outgoing)
            session.pump()
        } while session.hasWritten
    }

    // MARK: Answers

    mutating func prepareAnswers() { answers = peer.answers(Self.streams, rejects: rejects) }

    mutating func takeAnswers() throws {
        let answers = answers
        guard session.receive(answers.span) == nil else { throw StageError("an answer was refused") }
        for index in 0..<session.eventCount {
            guard case .ended(let slot, 0) = session.event(index) else { continue }
            take(slot)
            session.release(slot)
        }
        session.clearEvents()
    }

    private mutating func take(_ slot: Int) {
        guard session[slot].status != 200 else {
            accepted += 1
            return
        }
        let body = unsafe Array(session.answer(in: slot).body)
        let reply = APNsReply(status: session[slot].status, body: body)
        if case .rejected = reply.outcome { rejected += 1 }
    }

    func check() throws {
        guard accepted == (rejects ? 0 : Int(number)), accepted + rejected == Int(number) else {
            throw StageError("\(accepted) of \(number) requests were accepted, \(rejected) were rejected")
        }
    }
}

/// The gateway's side of the connection, in the form that nghttp2 writes.
private struct AnsweringPeer {
    private var nextStream: UInt32 = 1
    private var hasNamedID = false

    /// The peer's SETTINGS, and a window that is larger than any test needs.
    var greeting: [UInt8] { Self.frame(4, 0, 0, []) + Self.frame(8, 0, 0, Self.number(0x7FFF_FFFF - 65_535)) }

    /// Returns answers for the given number of streams, beginning with `nextStream`.
    mutating func answers(_ count: Int, rejects: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<count {
            bytes += rejects ? rejection() : Self.frame(1, 5, nextStream, [0x88] + id())
            nextStream += 2
        }
        return bytes
    }

    /// Returns the field `apns-id` in Huffman code. The first call also adds the name of the field to HPACK's
    /// table.
    private mutating func id() -> [UInt8] {
        defer { hasNamedID = true }
        let value: [UInt8] = [
            0x80 + 26, 106, 87, 138, 25, 31, 26, 193, 140, 68, 89, 233, 25, 42, 207, 202, 208, 214, 110, 55,
            8,
            236, 143, 21, 249, 64, 15,
        ]
        return (hasNamedID ? [0x7E] : [0x40, 0x80 + 5, 29, 117, 33, 99, 73]) + value
    }

    /// Returns a 410 with the reason for a dead token.
    private mutating func rejection() -> [UInt8] {
        let status: [UInt8] = [0x08, 0x80 + 2, 104, 32]
        let body = #"{"reason":"Unregistered","timestamp":1795262400000}"#
        return Self.frame(1, 4, nextStream, status + id()) + Self.frame(0, 1, nextStream, Array(body.utf8))
    }

    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8]
    {
        number(UInt32(payload.count)).dropFirst() + [type, flags] + number(stream) + payload
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
