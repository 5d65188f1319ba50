package import PushTransport

extension HTTPFailure {
    /// Whether the problem is a certificate, ours or the peer's, and lasts until an operator changes
    /// something.
    package var isCertificateFailure: Bool {
        if case .connection(let cause) = cause { cause.isCertificateFailure } else { false }
    }
    /// Whether the answer was endless or effectively endless.
    package var isAbuse: Bool {
        switch cause {
        case .connection(let cause): cause.isAbuse
        case .bodyTooLong: true
        default: false
        }
    }
}

extension CloseCause {
    /// Whether the connection was given up as hostile. The gateway is then at fault, even if it answered
    /// before.
    package var isAbuse: Bool { if case .abusive = self { true } else { false } }
    package var isCertificateFailure: Bool {
        switch self {
        case .ourCertificateRefused, .ourIdentityUnusable, .peerCertificateRefused, .protocolMissing,
            .hostUnusable:
            true
        default: false
        }
    }
}
