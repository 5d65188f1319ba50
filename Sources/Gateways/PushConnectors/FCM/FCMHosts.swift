internal import PushTransport
internal import PushWire

/// Where FCM and its token endpoint are, unless the operator says otherwise.
enum FCMHosts {
    static func gateway(_ order: GatewayOrder) -> Endpoint {
        Endpoint(
            host: order.address.isEmpty ? FCMRequest.host : order.address, port: Int(order.port),
            proxy: order.proxy.map(HTTPProxy.init))
    }

    static func tokenEndpoint(_ endpoint: TokenEndpoint, _ order: GatewayOrder) -> Endpoint {
        let proxy = order.proxy.map(HTTPProxy.init)
        return order.tokenAddress.isEmpty
            ? Endpoint(host: endpoint.host, port: Int(endpoint.port), proxy: proxy)
            : Endpoint(host: order.tokenAddress, port: Int(order.tokenPort), proxy: proxy)
    }

    static func identity(_ order: GatewayOrder) -> TLSIdentity {
        order.trustedCertificates.isEmpty
            ? TLSIdentity() : TLSIdentity(trust: .pem(Array(order.trustedCertificates.utf8)))
    }
}
