/// serverConf.xml as values: what the programs are told.
///
/// `ServerConfiguration()` is a file with nothing in it, its paths still as they would be written; a loaded
/// one (``ConfigurationFile``) has absolute paths and has been checked, each value by itself and all
/// together. Property names are the file's; a name that does not say its unit in the file says it here.
/// Whoever adds a property adds its ``ConfigurationKey``: without one nothing can set it.
package struct ServerConfiguration: Equatable, Sendable {
    package var store = StoreConfiguration()
    package var proxy = ProxyConfiguration()
    package var mta = MTAConfiguration()
    package var nmac = NMACConfiguration()
    package var web = WebConfiguration()
    package var tracking = TrackingConfiguration()
    package var trackinglogd = TrackingLogConfiguration()

    package init() {}

    /// The proxy through which a gateway's host is to be reached; nil for a direct connection.
    package func gatewayProxy(forHost host: String) -> ProxyServer? {
        guard nmac.useHTTPProxy, proxy.isEnabled, !proxy.bypasses(host) else { return nil }
        return proxy.forTLS
    }
}

/// A host and a port that stand for a gateway's own.
package struct HostAndPort: Equatable, Sendable {
    package var host: String
    package var port: Int

    /// Nil where no host is named.
    package init?(host: String, port: Int) {
        guard !host.isEmpty else { return nil }
        self.host = host
        self.port = port
    }
}
