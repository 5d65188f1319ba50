/// Where a gateway of somebody else listens, from a URL: `https://push.example:8443`.
package struct GatewayAddress: Equatable, Sendable {
    package var host: String
    package var port: Int
    /// A folder that `pushsink certs` made, whose keys it knows and whose authority vouches for it; nil: keys of the run's
    /// own, and the system's authorities.
    package var certificates: String?

    package init(url: String, certificates: String? = nil) throws(LoadError) {
        let refusal = LoadError(
            "--gateway is \"\(DocumentValue.shortened(url))\"; it takes https://HOST or https://HOST:PORT")
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
        (self.host, self.port, self.certificates) = (String(host), port, certificates)
    }
}
