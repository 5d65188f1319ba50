internal import CPushShims
internal import PushModel

// How every handle of this target connects. Nothing is left to the environment or to a default of libcurl's
// that could differ between versions.
extension CurlHandle {
    /// Connect and no more; the bytes are ours. See Docs/Transport.md, "The recipe".
    func connectOnly(
        to endpoint: Endpoint, tls: TLSIdentity, configuration: TLSStream.Configuration,
        watch: UnsafeMutablePointer<push_tls_watch>
    ) throws(TransportError) {
        try set(CURLOPT_CONNECT_ONLY, 1)
        try keepConnectionApart()
        try set(CURLOPT_URL, "https://\(endpoint)/")
        // libcurl offers "http/1.1" by itself or nothing; what we offer is set on the SSL_CTX.
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_SSL_ENABLE_ALPN, 0)
        try Self.offer(configuration.protocols, in: watch)
        watch.pointee.read_buffer = 64 << 10
        try check("the TLS context function", push_tls_watch_install(easy, watch))
        // Apple asks for an uncached lookup before each connection; shuffled, so that children spread out.
        try set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
        try set(CURLOPT_DNS_SHUFFLE_ADDRESSES, 1)
        try set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
        try common(to: endpoint, tls: tls)
    }

    /// What connect-only streams and exchanges share.
    func common(to endpoint: Endpoint, tls: TLSIdentity) throws(TransportError) {
        try set(CURLOPT_NOSIGNAL, 1)
        // Otherwise a handle that gives up waits for its resolver thread, and with it the whole loop.
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_TCP_NODELAY, 1)
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_TCP_KEEPIDLE, 60)
        try set(CURLOPT_TCP_KEEPINTVL, 20)
        try trust(tls)
        try Self.check(host: endpoint.host)
        if let detour = endpoint.connectTo {
            try Self.check(host: detour.host)
            try set(CURLOPT_CONNECT_TO, list: ["\(endpoint):\(detour.description)"])
        }
        // An empty proxy keeps libcurl from reading http_proxy and its like from the environment.
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_PROXY, endpoint.proxy.map { "http://\($0)" } ?? "")
        guard let proxy = endpoint.proxy else { return }
        try Self.check(host: proxy.host)
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // CURLOPT_PROXYUSERNAME and its like are percent-decoded by libcurl before 8.8 and taken raw since
        // then; CURLOPT_PROXYUSERPWD is decoded by every version.
        if let login = proxy.encodedLogin { try set(CURLOPT_PROXYUSERPWD, login) }
    }

    /// What can never be a host is a wrong setting, to be told before anything is tried. libcurl decodes
    /// `%41` in the host of a URL, and would connect to another one than it was told; only a zone of an IPv6
    /// address has a percent sign.
    private static func check(host: String) throws(TransportError) {
        guard let url = curl_url() else { throw TransportError(.outOfMemory(what: "a URL")) }
        defer { curl_url_cleanup(url) }
        guard !host.contains("%") || host.contains(":"),
            curl_url_set(url, CURLUPART_HOST, bracketed(host), 0) == CURLUE_OK
        else {
            throw TransportError(.setting("the host '\(host)' is neither a name nor an address"))
        }
    }

    private func trust(_ tls: TLSIdentity) throws(TransportError) {
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        switch tls.trust {
        case .system: break
        case .file(let path):
            // The folder that libcurl was built with would be trusted besides.
            try set(CURLOPT_CAPATH, nil as String?)
            try set(CURLOPT_CAINFO, path)
        case .pem(let text):
            guard !text.isEmpty else {
                throw TransportError(.setting("the trusted authorities' PEM text is empty"))
            }
            try set(CURLOPT_CAPATH, nil as String?)
            try set(CURLOPT_CAINFO, nil as String?)
            // OpenSSL would miss a certificate behind a byte order mark.
            try set(CURLOPT_CAINFO_BLOB, blob: ByteOrderMark.removed(from: text))
        }
        guard let certificate = tls.certificate else { return }
        guard !certificate.chainPEM.isEmpty, !certificate.keyPEM.isEmpty else {
            throw TransportError(.setting("a client certificate needs its PEM text and that of its key"))
        }
        try set(CURLOPT_SSLCERTTYPE, "PEM")
        try set(CURLOPT_SSLCERT_BLOB, blob: certificate.chainPEM)
        try set(CURLOPT_SSLKEYTYPE, "PEM")
        try set(CURLOPT_SSLKEY_BLOB, blob: certificate.keyPEM)
    }

    /// ALPN's wire form: each name behind its length.
    private static func offer(
        _ protocols: [String], in watch: UnsafeMutablePointer<push_tls_watch>
    ) throws(TransportError) {
        let wire = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        let room = MemoryLayout.size(ofValue: watch.pointee.offered)
        guard wire.count <= room, protocols.allSatisfy({ (1...32).contains($0.utf8.count) }) else {
            throw TransportError(.setting("ALPN names \(protocols): at most \(room) bytes together"))
        }
        withUnsafeMutableBytes(of: &watch.pointee.offered) { $0.copyBytes(from: wire) }
        watch.pointee.offered_length = UInt32(wire.count)
    }
}
