/// A gateway that is spoken to over HTTP: what it wants to see of a request, and a handler for each
/// connection.
///
/// The engines below (``HTTP2Conversation``, ``HTTP1Conversation``) know streams and frames and no gateway; a
/// gateway knows requests and answers and no frames.
package protocol HTTPGateway: AnyObject {
    /// The fields that requests are to carry, in the gateway's numbering; at most sixteen.
    var fieldNames: [String] { get }
    /// The response field that carries the request's note back; nil: there is none.
    var identifierField: StaticString? { get }
    /// How many bytes of a body are kept for the handler.
    var keptBody: UInt32 { get }
    /// Somebody connected.
    func handler(for caller: Caller) -> any HTTPRequestHandler
}

extension HTTPGateway {
    package var keptBody: UInt32 { 8192 }
}

/// Who is at the other end of a connection.
package struct Caller: Equatable, Sendable {
    package enum Certificate: Equatable, Sendable {
        case none
        /// Issued by our authority and valid; `uid` of its subject, empty where there is none.
        case valid(uid: String)
        case invalid
    }

    /// Counted from 1.
    package var connection: Int
    package var certificate: Certificate
    /// Whether ALPN chose HTTP/2.
    package var choseHTTP2: Bool

    package init(connection: Int, certificate: Certificate, choseHTTP2: Bool = true) {
        self.connection = connection
        self.certificate = certificate
        self.choseHTTP2 = choseHTTP2
    }
}

/// One connection's end of a gateway.
package protocol HTTPRequestHandler: AnyObject {
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
package enum Ending: Equatable, Sendable {
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

    package var name: StaticString {
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
