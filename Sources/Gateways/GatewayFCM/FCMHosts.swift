internal import GatewayKit
internal import PushTransport
internal import PushWire

/// The addresses of FCM and of its token endpoint. The operator can configure addresses that replace
/// Google's.
enum FCMHosts {
    static func gateway(_ order: GatewayOrder) -> Endpoint {
        Endpoint(
            host: order.address.isEmpty ? FCMRequest.host : order.address, port: Int(order.port),
            proxy: order.proxy.map(HTTPProxy.init))
    }

    static func tokenEndpoint(
        _ endpoint: TokenEndpoint, _ order: GatewayOrder, _ settings: FCMSettings
    ) -> Endpoint {
        let proxy = order.proxy.map(HTTPProxy.init)
        return settings.tokenAddress.isEmpty
            ? Endpoint(host: endpoint.host, port: Int(endpoint.port), proxy: proxy)
            : Endpoint(host: settings.tokenAddress, port: settings.tokenPort, proxy: proxy)
    }

    static func identity(_ order: GatewayOrder) -> TLSIdentity {
        order.trustedCertificates.isEmpty
            ? TLSIdentity() : TLSIdentity(trust: .pem(Array(order.trustedCertificates.utf8)))
    }
}
