/// The address of a server that runs elsewhere, from a URL such as `https://push.example:8443`.
package struct GatewayAddress: Equatable, Sendable {
    package var host: String
    package var port: Int

    /// - Parameter option: The name of the option that contains the URL, for an error.
    package init(url: String, option: String = "gateway") throws(LoadError) {
        let refusal = LoadError(
            "--\(option) is \"\(DocumentValue.shortened(url))\"; it must be https://HOST or https://HOST:PORT"
        )
        guard url.hasPrefix("https://") else { throw refusal }
        var rest = url.dropFirst(8)
        if rest.last == "/" { rest.removeLast() }
        let pieces = rest.split(separator: ":", omittingEmptySubsequences: false)
        let isWord = pieces.first?.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || ".-".contains($0))
        }
        guard let host = pieces.first, !host.isEmpty, isWord == true, pieces.count <= 2 else { throw refusal }
        let port = pieces.count == 2 ? Int(pieces[1]) : 443
        guard let port, (1...65_535).contains(port) else { throw refusal }
        (self.host, self.port) = (String(host), port)
    }
}

/// A gateway that replaces the synthetic gateway.
package struct ExternalGateway: Equatable, Sendable {
    package var address: GatewayAddress
    /// The server that issues access tokens for the gateway. The gateway's protocol is FCM HTTP v1 if this is
    /// set, and APNs over HTTP/2 if this is `nil`.
    package var tokenServer: GatewayAddress?
    /// A folder that `pushsink certs` created, with the keys that the gateway knows and the authority that
    /// issued the gateway's certificate. If this is `nil`, the run creates its own keys and trusts the
    /// system's authorities.
    package var certificates: String?

    package init(_ address: GatewayAddress, tokenServer: GatewayAddress? = nil, certificates: String? = nil) {
        (self.address, self.tokenServer, self.certificates) = (address, tokenServer, certificates)
    }
}
