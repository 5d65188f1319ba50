internal import CPushShims
internal import Glibc

/// A listening socket on this machine's own address, what is spoken there, and under which certificate.
final class Listener {
    let descriptor: Int32
    let port: UInt16
    let tls: TLSIdentity
    let converse: (Caller, any ConversationHost) -> any Conversation

    /// `port` 0: any free one. Only loopback addresses are served: nobody's real devices are behind this.
    init(
        address: String, port: UInt16, tls: TLSIdentity,
        converse: @escaping (Caller, any ConversationHost) -> any Conversation
    ) throws(SinkError) {
        guard push_sink_is_loopback(address) else { throw SinkError(.notLoopback(address)) }
        var bound: UInt16 = 0
        descriptor = push_sink_listen(address, port, &bound)
        guard descriptor >= 0 else {
            throw SinkError(.cannotListen(address: address, port: port, why: String(cString: strerror(errno))))
        }
        self.port = bound
        self.tls = tls
        self.converse = converse
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

/// The certificate that is served, and whose client certificates are taken.
final class TLSIdentity {
    enum ClientCertificates: String, CaseIterable {
        /// Asked for; a bad one ends the handshake, as with Apple.
        case asked
        /// As `asked`, and the handshake needs one.
        case required
        /// A bad one passes the handshake, and its requests are answered 403 BadCertificate.
        case judged
    }

    let context: OpaquePointer

    /// Paths of PEM files: chain and key; issuer of client certificates. `alpn`: the protocol insisted upon.
    init(
        identity: String, authority: String, alpn: String, clients: ClientCertificates
    ) throws(SinkError) {
        var problem = [CChar](repeating: 0, count: 512)
        let context = push_sink_tls_context_make(
            identity, authority, alpn, clients == .required, clients == .judged, &problem, problem.count)
        guard let context else { throw SinkError(.tls(problem.cText)) }
        self.context = context
    }

    deinit { push_sink_tls_context_free(context) }
}

extension [CChar] {
    /// The text before the first zero byte.
    var cText: String { String(decoding: prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) }
}
