/// Why a stream or a connection is closed. Says whose fault it is, as far as that can be known.
package enum CloseCause: Sendable, Equatable, CustomStringConvertible {
    /// The name of the host (or of the proxy) did not resolve.
    case nameLookup(String)
    /// What was given as the host (or the proxy's) cannot be one: a wrong setting, which time does not heal.
    case hostUnusable(String)
    case connectRefused(String)
    /// This process, or the machine, has no descriptor left; nothing was sent.
    case tooManyOpenFiles
    /// No connection, no TLS or no HTTP/2 greeting within the connect time-out.
    case connectTimeout(String)
    /// The proxy would not let us through; its status where it gave one.
    case proxyRefused(status: Int, String)
    /// We do not trust the peer's certificate: wrong authority, expired, other name.
    case peerCertificateRefused(String)
    /// The peer refused ours: the words of its TLS alert.
    case ourCertificateRefused(String)
    /// Our certificate, key or trusted authorities cannot be used at all; nothing was sent.
    case ourIdentityUnusable(String)
    /// Any other failure of the TLS handshake or record layer.
    case tls(String)
    /// TLS is fine but the peer did not agree on the protocol that we speak; what it chose instead.
    case protocolMissing(offered: String, chosen: String)
    /// The peer closed: in order (with close_notify) or without.
    case peerClosed(orderly: Bool)
    case inputOutput(String)
    /// The peer broke HTTP/2, or its frames could not be understood.
    case protocolError(String)
    /// The peer said GOAWAY and everything it let finish has finished. The debug data is printable and
    /// bounded.
    case goneAway(code: UInt32, debug: String)
    /// A PING was not answered in time, or the peer took in nothing of what waited to be sent.
    case silent
    /// The peer answered PINGs, and no request for so long.
    case unanswered(seconds: Int64)
    /// The peer's SETTINGS allowed no stream for as long as connecting may take, while requests waited.
    case noStreams
    /// The peer keeps us at work and answers nothing: more than ``PeerLimits`` allow, and of what.
    case abusive(String)
    /// We closed it.
    case local

    /// Certainly nothing that was asked reached the peer's application.
    package var isBeforeOpening: Bool {
        switch self {
        case .nameLookup, .hostUnusable, .tooManyOpenFiles, .connectRefused, .connectTimeout, .proxyRefused,
            .peerCertificateRefused, .ourIdentityUnusable, .protocolMissing:
            true
        default: false
        }
    }

    /// A short name for metrics, one of a fixed few.
    package var label: String {
        switch self {
        case .nameLookup: "name-lookup"
        case .hostUnusable: "host-unusable"
        case .connectRefused: "connect-refused"
        case .tooManyOpenFiles: "too-many-open-files"
        case .connectTimeout: "connect-timeout"
        case .proxyRefused: "proxy-refused"
        case .peerCertificateRefused: "peer-certificate-refused"
        case .ourCertificateRefused: "our-certificate-refused"
        case .ourIdentityUnusable: "our-identity-unusable"
        case .tls: "tls"
        case .protocolMissing: "protocol-missing"
        case .peerClosed: "peer-closed"
        case .inputOutput: "input-output"
        case .protocolError: "protocol-error"
        case .goneAway: "gone-away"
        case .silent: "silent"
        case .unanswered: "unanswered"
        case .noStreams: "no-streams"
        case .abusive: "abusive"
        case .local: "local"
        }
    }

    package var description: String {
        switch self {
        case .nameLookup(let text): "the name does not resolve: \(text)"
        case .hostUnusable(let text): "the host cannot be one: \(text)"
        case .connectRefused(let text): "no connection: \(text)"
        case .tooManyOpenFiles: "too many open files: raise LimitNOFILE= of the service, or ulimit -n"
        case .connectTimeout(let text): "no connection in time: \(text)"
        case .proxyRefused(let status, let text): "the proxy refused (\(status)): \(text)"
        case .peerCertificateRefused(let text): "the peer's certificate is not trusted: \(text)"
        case .ourCertificateRefused(let text): "the peer refused our certificate: \(text)"
        case .ourIdentityUnusable(let text):
            "our certificate, key or trusted authorities cannot be used: \(text)"
        case .tls(let text): "TLS failed: \(text)"
        case .protocolMissing(let offered, let chosen):
            "the peer does not speak \(offered)" + (chosen.isEmpty ? "" : ", it chose \(chosen)")
        case .peerClosed(let orderly): orderly ? "the peer closed" : "the peer closed without notice"
        case .inputOutput(let text): "connection lost: \(text)"
        case .protocolError(let text): "the peer broke HTTP/2: \(text)"
        case .goneAway(let code, let debug):
            "the peer went away (code \(code))" + (debug.isEmpty ? "" : ": \(debug)")
        case .silent: "the peer answers no PING or takes in nothing"
        case .unanswered(let seconds): "the peer answered PINGs and no request for \(seconds) s"
        case .noStreams: "the peer allows no request (SETTINGS_MAX_CONCURRENT_STREAMS is 0)"
        case .abusive(let text): "given up as hostile: \(text)"
        case .local: "closed by us"
        }
    }
}
