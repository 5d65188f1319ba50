internal import CSinkShims
internal import Glibc

/// A listening socket on a loopback address, with its protocol and its certificate.
final class Listener {
    let descriptor: Int32
    let port: UInt16
    let tls: TLSIdentity
    /// The counts of this gateway's connections.
    let counts: SinkCounts
    /// The number of open connections.
    var open = 0
    /// The rule that selects the connections to be broken off during the handshake.
    var door: ConnectionFaults?
    let converse: (Caller, any ConversationHost) -> any Conversation

    /// `port` 0 means any free port. Only loopback addresses are served, because no real devices are behind
    /// this gateway.
    init(
        address: String, port: UInt16, tls: TLSIdentity, counts: SinkCounts, door: ConnectionFaults?,
        converse: @escaping (Caller, any ConversationHost) -> any Conversation
    ) throws(SinkError) {
        guard push_sink_is_loopback(address) else {
            throw SinkError(
                """
                cannot listen on \(address): a synthetic gateway serves this machine only; use 127.0.0.1 \
                or ::1
                """
            )
        }
        var bound: UInt16 = 0
        descriptor = push_sink_listen(address, port, &bound)
        guard descriptor >= 0 else {
            throw SinkError(
                "cannot listen on \(address) port \(port): \(SinkError.systemText); "
                    + "choose another port, or 0 for any free port")
        }
        self.port = bound
        self.tls = tls
        self.counts = counts
        self.door = door
        self.converse = converse
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

/// The certificate of the server, and the authority whose client certificates the server accepts.
final class TLSIdentity {
    enum ClientCertificates {
        /// The server requests a certificate. A bad certificate ends the handshake, as with Apple.
        case asked
        /// The server requests a certificate, and the handshake fails without a valid one.
        case required
        /// The handshake succeeds even with a bad certificate, but requests on such a connection are answered
        /// with 403 BadCertificate.
        case judged
    }

    let context: OpaquePointer

    /// Uses the server's chain and key from the set, and the set's authority for client certificates. `alpn`
    /// contains the accepted protocols, separated by commas, in order of preference. If it is empty, ALPN is
    /// not used.
    init(_ set: CertificateSet, alpn: String, clients: ClientCertificates) throws(SinkError) {
        var problem = [CChar](repeating: 0, count: 512)
        let context = push_sink_tls_context_make(
            set.path(CertificateSet.Name.server), set.path(CertificateSet.Name.authority), alpn,
            clients == .required, clients == .judged, &problem, problem.count)
        guard let context else { throw SinkError(problem.cText) }
        self.context = context
    }

    deinit { push_sink_tls_context_free(context) }
}

extension [CChar] {
    /// The text before the first zero byte.
    var cText: String { String(decoding: prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) }
}

/// The settings that all gateways of a sink share: the address on which they listen, their certificates, and
/// how they misbehave.
struct SinkPlan {
    let certificates: CertificateSet
    let address: String
    /// Whether to check requests completely and count distinct values.
    let isThorough: Bool
    let stopAfter: [Int]
    let randomFaults: RandomFaultOptions

    func serve(
        _ name: String, port: UInt16, tls: TLSIdentity, counts: SinkCounts, log: RequestLog? = nil,
        door: ConnectionFaults? = nil, kind: HTTP2Kind? = nil,
        converse: @escaping (Caller, any ConversationHost) -> any Conversation
    ) throws(SinkError) -> ServedGateway {
        let listener = try Listener(
            address: address, port: port, tls: tls, counts: counts, door: door, converse: converse)
        return ServedGateway(name: name, listener: listener, log: log, kind: kind)
    }

    /// Serves a gateway over HTTP/2 and, if `alsoHTTP1` is set, also over HTTP/1.1. In that case, ALPN
    /// selects the protocol, and a client that does not offer a protocol uses HTTP/1.1.
    func serve(
        _ name: String, _ gateway: any HTTPGateway, port: UInt16, tls: TLSIdentity,
        door: ConnectionFaults? = nil,
        alsoHTTP1: Bool = true
    ) throws(SinkError) -> ServedGateway {
        let kind = HTTP2Kind(gateway)
        return try serve(
            name, port: port, tls: tls, counts: gateway.counts, log: gateway.log, door: door, kind: kind
        ) { caller, host in
            if caller.choseHTTP2 || !alsoHTTP1 {
                return HTTP2Conversation(kind, caller: caller, host: host)
            }
            return HTTP1Conversation(kind, caller: caller, host: host)
        }
    }

    /// Returns `address:port` in the form that a URL contains.
    func place(_ port: UInt16) -> String { "\(address.contains(":") ? "[\(address)]" : address):\(port)" }
}

/// A gateway on its own port.
struct ServedGateway {
    /// The name under which the gateway's port and counts are reported.
    let name: String
    let listener: Listener
    let log: RequestLog?
    fileprivate let kind: HTTP2Kind?

    var summary: Summary { listener.counts.summary(peak: kind?.peak ?? (0, 0)) }
}
