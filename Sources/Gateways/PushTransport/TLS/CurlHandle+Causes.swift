internal import CPushShims
internal import PushSystem

// What libcurl's codes and TLS alerts mean to us.
extension CurlHandle {
    /// Why a connection did not come about.
    func cause(ofConnecting code: CURLcode, watch: push_tls_watch) -> CloseCause {
        let text = text(code)
        if isShortOfDescriptors(code, watch) { return .tooManyOpenFiles }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .nameLookup(text)
        // Names outside ASCII are looked at only now.
        case CURLE_URL_MALFORMAT: return .hostUnusable(text)
        case CURLE_OPERATION_TIMEDOUT: return .connectTimeout(text)
        case CURLE_PEER_FAILED_VERIFICATION: return .peerCertificateRefused(text)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR:
            return .ourIdentityUnusable(text)
        default: break
        }
        let proxyStatus = long(CURLINFO_HTTP_CONNECTCODE)
        if proxyStatus != 0, !(200..<300).contains(proxyStatus) {
            return .proxyRefused(status: proxyStatus, text)
        }
        if let refused = Self.refusal(watch) { return refused }
        switch code {
        case CURLE_COULDNT_CONNECT: return .connectRefused(text)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_INVALIDCERTSTATUS:
            return .tls(text)
        default: return .inputOutput(text)
        }
    }

    /// The socket says so itself. For the others, which open what they need out of our sight, it is looked at
    /// how many descriptors are left now that they have closed theirs.
    private func isShortOfDescriptors(_ code: CURLcode, _ watch: push_tls_watch) -> Bool {
        switch code {
        case CURLE_COULDNT_CONNECT: watch.socket_error == EMFILE || watch.socket_error == ENFILE
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_SSL_CACERT_BADFILE,
            CURLE_FAILED_INIT,
            CURLE_OUT_OF_MEMORY:
            !push_descriptors_free(Self.descriptorsOfAConnection)
        default: false
        }
    }
    /// Two for the resolver's thread, what that opens, and the socket.
    private static let descriptorsOfAConnection: Int32 = 5

    /// Why a connection that stood is broken. A TLS 1.3 peer that refuses our certificate says so only now.
    func cause(ofBroken code: CURLcode, watch: push_tls_watch) -> CloseCause {
        if let refused = Self.refusal(watch) { return refused }
        let text = text(code)
        // OpenSSL 3's words for a TCP end without close_notify, where libcurl does not make a plain end of
        // it.
        if text.contains("unexpected eof") { return .peerClosed(orderly: false) }
        let system = long(CURLINFO_OS_ERRNO)
        guard system != 0 else { return .inputOutput(text) }
        return .inputOutput("\(text): \(SystemErrorText.of(Int32(clamping: system)))")
    }

    /// The peer's fatal alert, sorted into "your certificate" and anything else (RFC 8446, 6.2).
    private static func refusal(_ watch: push_tls_watch) -> CloseCause? {
        guard watch.alert_received >= 0 else { return nil }
        let words = String(cString: push_tls_alert_text(watch.alert_received))
        switch watch.alert_received {
        // handshake_failure, after ours
        case 40 where watch.handshake_done: return .ourCertificateRefused(words)
        case 41...46, 48, 49, 116: return .ourCertificateRefused(words)
        // no_application_protocol
        case 120: return .protocolMissing(offered: "any protocol that we do", chosen: "")
        default: return .tls("the peer's alert: \(words)")
        }
    }
}
