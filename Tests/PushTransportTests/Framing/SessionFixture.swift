import CProbeShims
import PushTransport

/// A session and its memory, without a connection.
final class SessionFixture {
    var session: HTTP2Session
    let template: RequestTemplate
    private let memory: UnsafeMutableRawBufferPointer
    /// The tags of requests, by slot.
    private(set) var tags: [Int: UInt64] = [:]
    private(set) var ended: [UInt64: Ending] = [:]
    /// The number of endings without a request in flight.
    private(set) var strayEndings = 0
    private(set) var goAways: [Int32] = []
    private(set) var failure: HTTP2Session.Failure?

    struct Ending: Equatable {
        var status: Int
        var body: [UInt8]
        var headers: [UInt8] = []
        var isComplete: Bool
        var code: UInt32
        var wasFramed: Bool
    }

    init(
        _ change: (inout HTTP2Configuration) -> Void = { _ in }, room: Int = 64 << 10,
        template: [RequestTemplate.Field] = SessionFixture.pushLike()
    ) throws {
        var configuration = HTTP2Configuration()
        change(&configuration)
        session = HTTP2Session(configuration)
        self.template = try RequestTemplate(template)
        memory = .allocate(byteCount: room, alignment: 16)
    }

    deinit { memory.deallocate() }

    static func pushLike(topic: String = "com.example.app", token: String = "abc.def") -> [RequestTemplate
        .Field]
    {
        [
            .constant(name: ":method", value: "POST"), .constant(name: ":scheme", value: "https"),
            .constant(name: ":authority", value: "localhost"), .variable(name: ":path"),
            .constant(name: "apns-topic", value: topic), .constant(name: "apns-push-type", value: "alert"),
            .secret(name: "authorization", value: "bearer \(token)"), .variable(name: "apns-id"),
        ]
    }

    // MARK: Sending

    /// Submits a request. Returns `false` if there is no free slot.
    @discardableResult
    func submit(
        _ tag: UInt64, body: String = "{}", path: String? = nil, id: String? = nil,
        of other: RequestTemplate? = nil
    ) -> Bool {
        guard var request = session.begin(other ?? template) else { return false }
        for (index, value) in [path ?? "/3/device/\(tag)", id ?? "id-\(tag)"].enumerated() {
            guard Array(value.utf8).withUnsafeBytes({ request.setVariable(index, copying: $0) }) else {
                return false
            }
        }
        guard Array(body.utf8).withUnsafeBytes({ request.setBody(copying: $0) }) else { return false }
        guard let slot = session.submit(request, tag: tag) else { return false }
        tags[slot] = tag
        return true
    }

    func cancel(_ tag: UInt64) {
        guard let slot = tags.first(where: { $0.value == tag })?.key else { return }
        note(slot, code: 8)
        session.cancel(slot)
    }

    /// Returns the bytes that the session sends, up to this limit.
    func send(atMost limit: Int? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        let room = min(limit ?? memory.count, memory.count)
        repeat {
            _ = session.takeWritten()
            session.setBuffer(UnsafeMutableRawBufferPointer(rebasing: memory[..<room]))
            session.pump()
            let count = session.takeWritten()
            bytes += memory[..<count]
            guard count > 0 else { break }
        } while limit == nil
        session.setBuffer(UnsafeMutableRawBufferPointer(rebasing: memory[..<0]))
        return bytes
    }

    // MARK: Receiving

    @discardableResult
    func receive(_ bytes: [UInt8]) -> HTTP2Session.Failure? {
        let result = session.receive(bytes.span)
        failure = failure ?? result
        for index in 0..<session.eventCount {
            switch session.event(index) {
            case .ended(let slot, let code):
                note(slot, code: code)
                session.release(slot)
            case .goingAway(_, let last, _): goAways.append(last)
            case .settings: break
            }
        }
        session.clearEvents()
        return result
    }

    private func note(_ slot: Int, code: UInt32) {
        guard let tag = tags.removeValue(forKey: slot) else {
            strayEndings += 1
            return
        }
        let answer = session.answer(in: slot)
        ended[tag] = Ending(
            status: session[slot].status, body: Array(answer.body),
            headers: Array(answer.headers), isComplete: session[slot].isComplete,
            code: code, wasFramed: session[slot].firstByte != .max)
    }

    /// Receives the first frames from the peer.
    func greet(_ values: [(UInt8, UInt32)] = []) {
        receive(WireFrame.settings(values))
    }
}

/// Frames as a peer writes them, valid or invalid.
enum WireFrame {
    static func frame(_ type: UInt8, flags: UInt8 = 0, _ stream: Int32 = 0, _ payload: [UInt8] = [])
        -> [UInt8]
    {
        let count = payload.count
        var bytes = Array(number(UInt32(count)).dropFirst())
        bytes += [type, flags]
        bytes += number(UInt32(bitPattern: stream))
        return bytes + payload
    }
    static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    static func settings(_ values: [(UInt8, UInt32)] = []) -> [UInt8] {
        frame(4, 0, values.flatMap { [0, $0.0] + number($0.1) })
    }
    static func windowUpdate(_ stream: Int32, _ increment: UInt32) -> [UInt8] {
        frame(8, stream, number(increment))
    }
    static func reset(_ stream: Int32, _ code: UInt32) -> [UInt8] { frame(3, stream, number(code)) }
    static func goAway(_ last: UInt32, _ code: UInt32 = 0) -> [UInt8] {
        frame(7, 0, number(last) + number(code))
    }
    /// Returns a block of literals without indexing.
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            bytes += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            bytes += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return bytes
    }
    static func headers(_ stream: Int32, _ fields: [(String, String)], ends: Bool = false) -> [UInt8] {
        frame(1, flags: ends ? 5 : 4, stream, block(fields))
    }
    static func data(_ stream: Int32, _ text: String, ends: Bool = false) -> [UInt8] {
        frame(0, flags: ends ? 1 : 0, stream, Array(text.utf8))
    }

    struct Sent: Equatable {
        var type, flags: UInt8
        var stream: Int32
        var payload: [UInt8]
    }
    /// Returns the frames in the bytes that a client sent, without its preface.
    static func parse(_ bytes: [UInt8]) -> [Sent] {
        var rest = bytes[...]
        if rest.starts(with: "PRI ".utf8) { rest = rest.dropFirst(24) }
        var frames: [Sent] = []
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let stream = head[5...].reduce(0) { $0 << 8 | Int32($1) }
            frames.append(
                Sent(
                    type: head[3], flags: head[4], stream: stream,
                    payload: Array(rest.dropFirst(9).prefix(count))))
            rest = rest.dropFirst(9 + count)
        }
        return frames
    }
}

/// nghttp2's decoder, as an independent implementation of HPACK.
final class ReferenceInflater {
    private var inflater: OpaquePointer?
    init() { nghttp2_hd_inflate_new(&inflater) }
    deinit { nghttp2_hd_inflate_del(inflater) }

    struct Field: Equatable {
        var name, value: String
        /// Whether the field was a literal that must never be indexed.
        var isNeverIndexed: Bool
    }

    /// Limits the table, as SETTINGS_HEADER_TABLE_SIZE does once it is acknowledged.
    func limitTable(to bytes: Int) { nghttp2_hd_inflate_change_table_size(inflater, bytes) }
    var tableBytes: Int { nghttp2_hd_inflate_get_dynamic_table_size(inflater) }

    /// Returns the fields of a block; `nil` if the block is malformed.
    func inflate(_ block: [UInt8]) -> [Field]? {
        var fields: [Field] = []
        var offset = 0
        while true {
            var field = nghttp2_nv()
            var flags: Int32 = 0
            let taken = block.withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(
                    inflater, &field, &flags, $0.baseAddress.map { $0 + offset }, $0.count - offset, 1)
            }
            guard taken >= 0 else { return nil }
            offset += taken
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                fields.append(
                    Field(
                        name: String(
                            decoding: UnsafeBufferPointer(start: field.name, count: field.namelen),
                            as: UTF8.self),
                        value: String(
                            decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen),
                            as: UTF8.self),
                        isNeverIndexed: field.flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                nghttp2_hd_inflate_end_headers(inflater)
                return fields
            }
        }
    }
}
