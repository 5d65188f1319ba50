internal import PushModel
internal import PushTransport
package import PushWire

extension ConnectorCatalogue {
    /// Where an account's messages go to, for operators: the host and port that its connector connects to,
    /// override or not; nil where it has no gateway.
    package static func gateway(of order: AccountOrder) -> (host: String, port: Int)? {
        switch order.connector {
        case .iosHTTP2: return (APNsHosts.host(for: order), Int(order.gateway.port))
        case .ios:
            let endpoint = APNsBinaryHosts.gateway(order)
            return (endpoint.host, endpoint.port)
        case .androidPushConnector, .androidPushConnectorV2:
            let endpoint = FCMHosts.gateway(order.gateway)
            return (endpoint.host, endpoint.port)
        default: return nil
        }
    }

    /// Where its feedback service is; nil where its gateway tells at once.
    package static func feedback(of order: AccountOrder) -> (host: String, port: Int)? {
        guard order.connector == .ios else { return nil }
        let endpoint = APNsBinaryHosts.feedback(order)
        return (endpoint.host, endpoint.port)
    }
}
