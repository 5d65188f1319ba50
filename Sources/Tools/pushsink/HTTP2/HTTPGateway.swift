internal import CSinkShims

/// A gateway that is spoken to over HTTP: what it wants to see of a request, and a handler for each
/// connection.
///
/// The engines below (``HTTP2Conversation``, ``HTTP1Conversation``) know streams and frames and no gateway; a
/// gateway knows requests and answers and no frames.
protocol HTTPGateway: AnyObject {
    /// The fields of requests that are looked at: as many of the first as it needs.
    var fields: [RequestField] { get }
    /// The response field that carries the request's note back; nil: there is none.
    var identifierField: StaticString? { get }
    /// How many bytes of a body are kept for the handler.
    var keptBody: UInt32 { get }
    var counts: SinkCounts { get }
    var log: RequestLog? { get }
    /// Somebody connected.
    func handler(for caller: Caller) -> any HTTPRequestHandler
}

extension HTTPGateway {
    var keptBody: UInt32 { 8192 }
    var log: RequestLog? { nil }
}

/// Who is at the other end of a connection.
struct Caller: Equatable, Sendable {
    enum Certificate: Equatable, Sendable {
        case none
        /// Issued by our authority and valid; `uid` of its subject, empty where there is none.
        case valid(uid: String)
        case invalid
    }

    /// Counted from 1.
    let connection: Int
    let certificate: Certificate
    /// Whether ALPN chose HTTP/2.
    let choseHTTP2: Bool
}

/// One connection's end of a gateway.
protocol HTTPRequestHandler {
    /// How many concurrent streams to advertise before anything was said.
    var streamsAtFirst: UInt32 { get }
    /// What is to happen to a request that has just arrived.
    func decide(_ request: HTTPRequest, at now: Instant) -> SinkAnswer
    /// The words of an answer that is about to be sent. Notes the id on the request.
    func compose(_ request: HTTPRequest, _ rejection: Rejection?) -> HTTPReply
    /// The request has reached its one and only ending; for an answered one just before the answer is sent.
    func record(_ request: HTTPRequest, _ ending: Ending, at now: Instant)
}

/// How a request ended, as logs and counts have it.
enum Ending: Equatable, Sendable {
    case accepted
    case rejected(Rejection)
    /// By rule never answered.
    case silent
    /// RST_STREAM with REFUSED_STREAM.
    case refused
    /// The connection was ended by rule before an answer was sent.
    case cut
    /// Above the last stream that GOAWAY named.
    case unprocessed
    /// The client closed the stream or the connection first, or the sink was stopped.
    case cancelled

    var name: StaticString {
        switch self {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .silent: "silent"
        case .refused: "refused"
        case .cut: "cut"
        case .unprocessed: "unprocessed"
        case .cancelled: "cancelled"
        }
    }
}

/// A request as it came over HTTP: the fields that the gateway asked for, and the body.
///
/// A view on memory of the connection: valid until the stream is closed.
package struct HTTPRequest {
    let raw: UnsafeMutablePointer<push_sink_request>

    init(_ raw: UnsafeMutablePointer<push_sink_request>) { self.raw = raw }

    package var stream: Int32 { raw.pointee.stream }

    /// Nil: the field was not sent.
    @inline(__always)
    package func value(_ field: RequestField) -> Bytes? {
        let value = push_sink_request_value(raw, Int32(field.rawValue))
        return value.start.map { Bytes(start: $0, count: value.count) }
    }

    /// The last part of APNs' path, wherever the request got to; empty where there is none.
    var deviceToken: Bytes {
        guard let path = value(.path), path.starts(with: "/3/device/") else { return .empty }
        return path.from(10)
    }

    /// Bit i is set where field number i was sent more than once.
    package var repeated: UInt32 { raw.pointee.repeated }

    /// The body, or as much of it as the gateway keeps.
    package var body: Bytes { Bytes(start: raw.pointee.body, count: Int(raw.pointee.body_kept)) }
    /// The length of the whole body.
    package var bodyLength: UInt64 { raw.pointee.body_total }

    /// What the gateway remembers of the request.
    package var mark: UInt64 {
        get { raw.pointee.mark }
        nonmutating set { raw.pointee.mark = newValue }
    }

    /// A part of the body that the gateway remembers; empty where it remembers none.
    var part: Bytes {
        get {
            let start = Int(raw.pointee.part_at)
            return Bytes(rebasing: body[start..<start + Int(raw.pointee.part_count)])
        }
        nonmutating set {
            guard let start = newValue.baseAddress, let base = body.baseAddress else { return }
            raw.pointee.part_at = UInt32(start - base)
            raw.pointee.part_count = UInt32(newValue.count)
        }
    }

    /// The 36 bytes that the gateway notes: the id that it answers with.
    package var note: UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(raw).advanced(by: MemoryLayout<push_sink_request>.offset(of: \.note)!)
            .assumingMemoryBound(to: UInt8.self)
    }
}

/// A request that is put together by hand: of HTTP/1.1, and by tests of what judges requests.
package final class HandmadeRequest {
    package let request = HTTPRequest(push_sink_request_make())

    /// `limit`: how much of a body is kept.
    package init(keeping limit: UInt32 = 8192) { request.raw.pointee.body_limit = limit }

    deinit { push_sink_request_free(request.raw) }

    /// Another request, the next of its connection.
    package func begin() {
        push_sink_request_clear(request.raw)
        request.raw.pointee.stream &+= 1
    }

    /// A field that was there already is a repeated one.
    package func add(_ field: RequestField, _ value: String) {
        let bytes = Array(value.utf8)
        push_sink_request_add_value(request.raw, Int32(field.rawValue), bytes, bytes.count)
    }

    package func add(body: [UInt8]) { push_sink_request_add_body(request.raw, body, body.count) }
}

/// The parts of a request that gateways look at, in the order in which the engine numbers them.
package enum RequestField: Int, CaseIterable, Sendable {
    case method, path, authorization
    // Of APNs alone:
    case topic, pushType, priority, expiration, identifier, collapse

    /// Those that FCM and its OAuth endpoint look at.
    static let ofGoogle = [method, path, authorization]

    var name: String {
        switch self {
        case .method: ":method"
        case .path: ":path"
        case .authorization: "authorization"
        case .topic: "apns-topic"
        case .pushType: "apns-push-type"
        case .priority: "apns-priority"
        case .expiration: "apns-expiration"
        case .identifier: "apns-id"
        case .collapse: "apns-collapse-id"
        }
    }
}

/// A project's messages per minute.
///
/// "A token bucket, refilled each rolling minute": the minute begins with the first message, not with the
/// clock's.
package struct QuotaBucket {
    /// 0: no limit.
    package let perMinute: Int
    private var left = 0
    private var minute: Instant?

    package init(perMinute: Int) { self.perMinute = perMinute }

    /// Takes `count` messages' worth. Nil: granted; else the seconds after which there is quota again.
    package mutating func take(_ count: Int, at now: Instant) -> Int? {
        guard perMinute > 0 else { return nil }
        if minute.map({ now.since($0) >= .seconds(60) }) ?? true {
            minute = now
            left = perMinute
        }
        guard left < count, let minute else {
            left -= count
            return nil
        }
        // What is left of a minute may be too little for a batch that a whole one has room for.
        return max(1, 60 - Int(now.since(minute).seconds))
    }
}
