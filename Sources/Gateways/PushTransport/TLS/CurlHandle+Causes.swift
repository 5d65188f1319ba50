internal import CPushShims
internal import PushSystem

// The interpretation of libcurl's codes and TLS alerts.
extension CurlHandle {
    /// Returns the reason why a connection was not established.
    func cause(ofConnecting code: CURLcode, watch: push_tls_watch) -> CloseCause {
        let text = text(code)
        if isShortOfDescriptors(code, watch) { return .tooManyOpenFiles }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .nameLookup(text)
        // libcurl checks non-ASCII names only when it connects.
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

    /// Reports whether the failure was caused by a lack of descriptors. If no socket could be opened, the
    /// error itself shows this. Other operations open descriptors internally and have already closed them
    /// again, so the number of free descriptors is checked.
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
    /// The number of descriptors that a connection needs: two for the resolver's thread, the descriptors that
    /// this thread opens, and the socket.
    private static let descriptorsOfAConnection: Int32 = 5

    /// Returns the reason why an established connection broke. A TLS 1.3 peer that refuses our certificate
    /// reports this only after the connection is established.
    func cause(ofBroken code: CURLcode, watch: push_tls_watch) -> CloseCause {
        if let refused = Self.refusal(watch) { return refused }
        let text = text(code)
        // OpenSSL 3's error text if the peer ends the TCP connection without close_notify. It occurs in the
        // cases that libcurl does not report as an ordinary end.
        if text.contains("unexpected eof") { return .peerClosed(orderly: false) }
        let system = long(CURLINFO_OS_ERRNO)
        guard system != 0 else { return .inputOutput(text) }
        return .inputOutput("\(text): \(SystemErrorText.of(Int32(clamping: system)))")
    }

    /// Classifies the peer's fatal alert as a refusal of our certificate or as any other alert (RFC 8446,
    /// 6.2).
    private static func refusal(_ watch: push_tls_watch) -> CloseCause? {
        guard watch.alert_received >= 0 else { return nil }
        let words = String(cString: push_tls_alert_text(watch.alert_received))
        switch watch.alert_received {
        // The alert handshake_failure, after our handshake was done
        case 40 where watch.handshake_done: return .ourCertificateRefused(words)
        case 41...46, 48, 49, 116: return .ourCertificateRefused(words)
        // The alert no_application_protocol
        case 120: return .protocolMissing(offered: "any protocol that we support", chosen: "")
        default: return .tls("the peer's alert: \(words)")
        }
    }
}
