/// The values of serverConf.xml: the settings of the programs.
///
/// `ServerConfiguration()` represents an empty file, with paths as they would be written. A loaded
/// configuration (``ConfigurationFile``) has absolute paths, and its values have been checked individually
/// and together. Property names are those of the file; if a name in the file does not state its unit, the
/// property name does. Every new property needs a ``ConfigurationKey``, because nothing else can set it.
package struct ServerConfiguration: Equatable, Sendable {
    package var store = StoreConfiguration()
    package var proxy = ProxyConfiguration()
    package var mta = MTAConfiguration()
    package var nmac = NMACConfiguration()
    package var web = WebConfiguration()
    package var tracking = TrackingConfiguration()
    package var trackinglogd = TrackingLogConfiguration()

    package init() {}

    /// Returns the proxy for connections to a gateway's host, or `nil` for direct connections.
    package func gatewayProxy(forHost host: String) -> ProxyServer? {
        guard nmac.useHTTPProxy, proxy.isEnabled, !proxy.bypasses(host) else { return nil }
        return proxy.forTLS
    }
}

/// A host and a port that replace a gateway's own.
package struct HostAndPort: Equatable, Sendable {
    package var host: String
    package var port: Int

    /// `nil` if the host is empty.
    package init?(host: String, port: Int) {
        guard !host.isEmpty else { return nil }
        self.host = host
        self.port = port
    }
}
