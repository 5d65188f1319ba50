/// The reason for closing a stream or a connection. The reason identifies the party at fault, as far as it is
/// known.
package enum CloseCause: Sendable, Equatable, CustomStringConvertible {
    /// The name of the host (or of the proxy) did not resolve.
    case nameLookup(String)
    /// The configured host (or proxy host) is not valid. This is a wrong setting that does not resolve
    /// itself.
    case hostUnusable(String)
    case connectRefused(String)
    /// The process or the machine has no free descriptor. Nothing was sent.
    case tooManyOpenFiles
    /// The connection, TLS or the HTTP/2 greeting was not completed within the connect timeout.
    case connectTimeout(String)
    /// The proxy refused the tunnel. `status` is the proxy's HTTP status, if it sent one.
    case proxyRefused(status: Int, String)
    /// We do not trust the peer's certificate: wrong authority, expired, or another name.
    case peerCertificateRefused(String)
    /// The peer refused our certificate; the text describes the peer's TLS alert.
    case ourCertificateRefused(String)
    /// Our certificate, key or trusted authorities cannot be used at all; nothing was sent.
    case ourIdentityUnusable(String)
    /// Any other failure of the TLS handshake or record layer.
    case tls(String)
    /// TLS succeeded, but the peer did not agree on our protocol; `chosen` is the protocol that the peer
    /// chose instead.
    case protocolMissing(offered: String, chosen: String)
    /// The peer closed the connection, with close_notify (orderly) or without it.
    case peerClosed(orderly: Bool)
    case inputOutput(String)
    /// The peer violated HTTP/2, or its frames could not be parsed.
    case protocolError(String)
    /// The peer sent GOAWAY, and all requests that it allowed to finish have finished. The debug data is
    /// printable and limited in size.
    case goneAway(code: UInt32, debug: String)
    /// A PING was not answered in time, or the peer accepted none of the waiting data.
    case silent
    /// The peer answered PINGs but no request for this duration.
    case unanswered(seconds: Int64)
    /// The peer's SETTINGS allowed no stream for the duration of the connect timeout, while requests waited.
    case noStreams
    /// The peer exceeded ``PeerLimits``: it causes work but does not answer. The text states the limit.
    case abusive(String)
    /// This side closed the connection.
    case local

    /// Whether it is certain that no part of a request reached the peer's application.
    package var isBeforeOpening: Bool {
        switch self {
        case .nameLookup, .hostUnusable, .tooManyOpenFiles, .connectRefused, .connectTimeout, .proxyRefused,
            .peerCertificateRefused, .ourIdentityUnusable, .protocolMissing:
            true
        default: false
        }
    }

    /// A short name for metrics, from a small fixed set.
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
        case .nameLookup(let text): "the host name cannot be resolved: \(text)"
        case .hostUnusable(let text): "the host is not valid: \(text)"
        case .connectRefused(let text): "no connection: \(text)"
        case .tooManyOpenFiles: "too many open files: raise LimitNOFILE= of the service, or ulimit -n"
        case .connectTimeout(let text): "connection timed out: \(text)"
        case .proxyRefused(let status, let text): "the proxy refused (\(status)): \(text)"
        case .peerCertificateRefused(let text): "the peer's certificate is not trusted: \(text)"
        case .ourCertificateRefused(let text): "the peer refused our certificate: \(text)"
        case .ourIdentityUnusable(let text):
            "our certificate, key or trusted authorities cannot be used: \(text)"
        case .tls(let text): "TLS failed: \(text)"
        case .protocolMissing(let offered, let chosen):
            "the peer does not support \(offered)" + (chosen.isEmpty ? "" : ", it chose \(chosen)")
        case .peerClosed(let orderly):
            orderly ? "the peer closed the connection" : "the peer closed the connection without notice"
        case .inputOutput(let text): "connection lost: \(text)"
        case .protocolError(let text): "the peer violated HTTP/2: \(text)"
        case .goneAway(let code, let debug):
            "the peer sent GOAWAY (code \(code))" + (debug.isEmpty ? "" : ": \(debug)")
        case .silent: "the peer does not answer PING or does not read"
        case .unanswered(let seconds): "the peer answered PINGs but no request for \(seconds) s"
        case .noStreams: "the peer allows no requests (SETTINGS_MAX_CONCURRENT_STREAMS is 0)"
        case .abusive(let text): "closed as abusive: \(text)"
        case .local: "closed by us"
        }
    }
}
