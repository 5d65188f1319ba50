internal import CSinkShims

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

    /// Paths of PEM files: chain and key; issuer of client certificates. `alpn`: the protocols
    /// taken, the best first, with commas; empty: ALPN is not spoken.
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
