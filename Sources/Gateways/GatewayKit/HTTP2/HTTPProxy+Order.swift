package import PushTransport
package import PushWire

extension HTTPProxy {
    /// Creates the proxy from the master's order.
    package init(_ order: ProxyOrder) {
        self.init(
            host: order.host, port: Int(order.port), user: order.user.isEmpty ? nil : order.user,
            password: order.user.isEmpty ? nil : order.password)
    }
}
