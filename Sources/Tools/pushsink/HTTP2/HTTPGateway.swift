internal import CSinkShims

/// A gateway over HTTP: the parts of a request that it needs, and a handler for each connection.
///
/// The protocol engines (``HTTP2Conversation``, ``HTTP1Conversation``) handle streams and frames, and do not
/// depend on the gateway. A gateway handles requests and answers, and does not depend on frames.
protocol HTTPGateway: AnyObject {
    /// The fields of requests that the gateway reads. They must be the first cases of `RequestField`.
    var fields: [RequestField] { get }
    /// The name of the response field that contains the request's `note`; `nil` if there is no such field.
    var identifierField: StaticString? { get }
    /// The number of bytes of a body that are kept for the handler.
    var keptBody: UInt32 { get }
    var counts: SinkCounts { get }
    var log: RequestLog? { get }
    /// Returns a handler for a client that has connected.
    func handler(for caller: Caller) -> any HTTPRequestHandler
}

extension HTTPGateway {
    var keptBody: UInt32 { 8192 }
    var log: RequestLog? { nil }
}

/// The peer of a connection.
struct Caller: Equatable, Sendable {
    enum Certificate: Equatable, Sendable {
        case none
        /// The certificate is valid and was issued by our authority. `uid` is the UID of the certificate's
        /// subject; it is empty if the subject has no UID.
        case valid(uid: String)
        case invalid
    }

    /// The number of the connection, counted from 1.
    let connection: Int
    let certificate: Certificate
    /// Whether ALPN chose HTTP/2.
    let choseHTTP2: Bool
}

/// The part of a gateway that handles one connection.
protocol HTTPRequestHandler {
    /// The number of concurrent streams to advertise before any request.
    var streamsAtFirst: UInt32 { get }
    /// Returns the action for a request that has just arrived.
    func decide(_ request: HTTPRequest, at now: Instant) -> SinkAnswer
    /// Returns the content of an answer that is about to be sent. Stores the id in the request's note.
    func compose(_ request: HTTPRequest, _ rejection: Rejection?) -> HTTPReply
    /// Records the ending of a request. Each request has exactly one ending. An answered request is recorded
    /// just before its answer is sent.
    func record(_ request: HTTPRequest, _ ending: RequestOutcome, at now: Instant)
}

/// The way in which a request ended, for logs and counts.
enum RequestOutcome: Equatable, Sendable {
    case accepted
    case rejected(Rejection)
    /// A rule prevents any answer.
    case silent
    /// The gateway sent RST_STREAM with REFUSED_STREAM.
    case refused
    /// A rule ended the connection before an answer was sent.
    case cut
    /// The stream is above the last stream that a GOAWAY named.
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

/// A request that arrived over HTTP: the fields that the gateway reads, and the body.
///
/// The request is a view on memory that belongs to the connection, and is valid until the stream is closed.
package struct HTTPRequest {
    let raw: UnsafeMutablePointer<push_sink_request>

    init(_ raw: UnsafeMutablePointer<push_sink_request>) { self.raw = raw }

    package var stream: Int32 { raw.pointee.stream }

    /// Returns the value of a field; `nil` if it was not sent.
    @inline(__always)
    package func value(_ field: RequestField) -> Bytes? {
        let value = push_sink_request_value(raw, Int32(field.rawValue))
        return value.start.map { Bytes(start: $0, count: value.count) }
    }

    /// The last part of APNs' path, even if the request was not processed completely; empty if there is no
    /// such part.
    var deviceToken: Bytes {
        guard let path = value(.path), path.starts(with: "/3/device/") else { return .empty }
        return path.from(10)
    }

    /// Bit i is set if field number i was sent more than once.
    package var repeated: UInt32 { raw.pointee.repeated }

    /// The body, or the part of it that the gateway keeps.
    package var body: Bytes { Bytes(start: raw.pointee.body, count: Int(raw.pointee.body_kept)) }
    /// The length of the complete body.
    package var bodyLength: UInt64 { raw.pointee.body_total }

    /// A value that the gateway remembers with the request.
    package var mark: UInt64 {
        get { raw.pointee.mark }
        nonmutating set { raw.pointee.mark = newValue }
    }

    /// The part of the body that the gateway remembers; empty if there is none.
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

    /// The 36 bytes in which the gateway stores the id for its answer.
    package var note: UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(raw).advanced(by: MemoryLayout<push_sink_request>.offset(of: \.note)!)
            .assumingMemoryBound(to: UInt8.self)
    }
}

/// A request that is assembled in code, for HTTP/1.1 and for tests of the code that checks requests.
package final class SyntheticRequest {
    package let request = HTTPRequest(push_sink_request_make())

    /// `limit`: the number of bytes of a body that are kept.
    package init(keeping limit: UInt32 = 8192) { request.raw.pointee.body_limit = limit }

    deinit { push_sink_request_free(request.raw) }

    /// Begins the next request on the same connection.
    package func begin() {
        push_sink_request_clear(request.raw)
        request.raw.pointee.stream &+= 1
    }

    /// Adds a field. If the field was already added, it counts as repeated.
    package func add(_ field: RequestField, _ value: String) {
        let bytes = Array(value.utf8)
        push_sink_request_add_value(request.raw, Int32(field.rawValue), bytes, bytes.count)
    }

    package func add(body: [UInt8]) { push_sink_request_add_body(request.raw, body, body.count) }
}

/// The parts of a request that gateways read, in the order in which the protocol engine numbers them.
package enum RequestField: Int, CaseIterable, Sendable {
    case method, path, authorization
    // Fields for APNs only:
    case topic, pushType, priority, expiration, identifier, collapse

    /// The fields that FCM and its OAuth endpoint read.
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

/// The quota of a project, in messages per minute.
///
/// "A token bucket, refilled each rolling minute": the minute begins with the first message and not with the
/// clock's minute.
package struct QuotaBucket {
    /// The number of messages per minute. 0 means no limit.
    package let perMinute: Int
    private var left = 0
    private var minute: Instant?

    package init(perMinute: Int) { self.perMinute = perMinute }

    /// Takes the quota of `count` messages. Returns `nil` if it is granted, otherwise the number of seconds
    /// until there is quota again.
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
        // A batch may exceed the rest of this minute's quota, although it fits into the quota of a whole
        // minute.
        return max(1, 60 - Int(now.since(minute).seconds))
    }
}
