internal import CPushShims
internal import PushModel

// The connection settings of all handles of this target. Nothing depends on the environment, or on defaults
// of libcurl that could differ between versions.
extension CurlHandle {
    /// Configures a handle that only connects and leaves sending and receiving to this target. See
    /// Docs/Inside/Transport.md, "The recipe".
    func connectOnly(
        to endpoint: Endpoint, tls: TLSIdentity, configuration: TLSStream.Configuration,
        watch: UnsafeMutablePointer<push_tls_watch>
    ) throws(TransportError) {
        try set(CURLOPT_CONNECT_ONLY, 1)
        try keepConnectionApart()
        try set(CURLOPT_URL, "https://\(endpoint)/")
        // libcurl itself offers "http/1.1" or nothing; our protocols are set on the SSL_CTX.
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_SSL_ENABLE_ALPN, 0)
        try Self.offer(configuration.protocols, in: watch)
        watch.pointee.read_buffer = 64 << 10
        try check("the TLS context function", push_tls_watch_install(easy, watch))
        // Apple requires an uncached lookup before each connection. The addresses are shuffled to distribute
        // the children over them.
        try set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
        try set(CURLOPT_DNS_SHUFFLE_ADDRESSES, 1)
        try set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
        try common(to: endpoint, tls: tls)
    }

    /// Applies the settings that connect-only streams and exchanges share.
    func common(to endpoint: Endpoint, tls: TLSIdentity) throws(TransportError) {
        try set(CURLOPT_NOSIGNAL, 1)
        // Otherwise a handle that is given up waits for its resolver thread, and blocks the whole loop.
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
        // An empty proxy prevents libcurl from reading http_proxy and similar variables from the environment.
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_PROXY, endpoint.proxy.map { "http://\($0)" } ?? "")
        guard let proxy = endpoint.proxy else { return }
        try Self.check(host: proxy.host)
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // libcurl percent-decodes CURLOPT_PROXYUSERNAME and similar options before version 8.8, and uses them
        // unchanged since then. All versions decode CURLOPT_PROXYUSERPWD.
        if let login = proxy.encodedLogin { try set(CURLOPT_PROXYUSERPWD, login) }
    }

    /// Throws an error if the host can never be valid. Such a host is a wrong setting, which must be reported
    /// before a connection attempt. libcurl decodes `%41` in the host of a URL, and would connect to a host
    /// other than the given one. A percent sign is therefore valid only before the zone of an IPv6 address.
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
            // Otherwise the directory that was compiled into libcurl would be trusted as well.
            try set(CURLOPT_CAPATH, nil as String?)
            try set(CURLOPT_CAINFO, path)
        case .pem(let text):
            guard !text.isEmpty else {
                throw TransportError(.setting("the PEM text of the trusted authorities is empty"))
            }
            try set(CURLOPT_CAPATH, nil as String?)
            try set(CURLOPT_CAINFO, nil as String?)
            // OpenSSL does not recognise a certificate that follows a byte order mark.
            try set(CURLOPT_CAINFO_BLOB, blob: ByteOrderMark.removed(from: text))
        }
        guard let certificate = tls.certificate else { return }
        guard !certificate.chainPEM.isEmpty, !certificate.keyPEM.isEmpty else {
            throw TransportError(.setting("a client certificate requires its PEM text and that of its key"))
        }
        try set(CURLOPT_SSLCERTTYPE, "PEM")
        try set(CURLOPT_SSLCERT_BLOB, blob: certificate.chainPEM)
        try set(CURLOPT_SSLKEYTYPE, "PEM")
        try set(CURLOPT_SSLKEY_BLOB, blob: certificate.keyPEM)
    }

    /// Sets the protocols in ALPN's wire format: each name preceded by its length.
    private static func offer(
        _ protocols: [String], in watch: UnsafeMutablePointer<push_tls_watch>
    ) throws(TransportError) {
        let wire = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        let room = MemoryLayout.size(ofValue: watch.pointee.offered)
        guard wire.count <= room, protocols.allSatisfy({ (1...32).contains($0.utf8.count) }) else {
            throw TransportError(.setting("ALPN names \(protocols): at most \(room) bytes in total"))
        }
        withUnsafeMutableBytes(of: &watch.pointee.offered) { $0.copyBytes(from: wire) }
        watch.pointee.offered_length = UInt32(wire.count)
    }
}
