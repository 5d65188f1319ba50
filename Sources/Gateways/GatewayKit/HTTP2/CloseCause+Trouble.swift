package import PushTransport

extension HTTPFailure {
    /// Certificates, ours or the peer's: nothing changes until somebody changes something.
    package var isCertificateTrouble: Bool {
        if case .connection(let cause) = cause { cause.isCertificateTrouble } else { false }
    }
    /// An answer without end, or what is as good as that.
    package var isAbuse: Bool {
        switch cause {
        case .connection(let cause): cause.isAbuse
        case .bodyTooLong: true
        default: false
        }
    }
}

extension CloseCause {
    /// Given up as hostile: trouble with the gateway, whatever it answered before.
    package var isAbuse: Bool { if case .abusive = self { true } else { false } }
    package var isCertificateTrouble: Bool {
        switch self {
        case .ourCertificateRefused, .ourIdentityUnusable, .peerCertificateRefused, .protocolMissing,
            .hostUnusable:
            true
        default: false
        }
    }
}
