internal import GatewayAPNs
internal import GatewayKit
internal import PushModel
internal import PushTransport
internal import PushWire

/// The addresses of the binary gateway and its feedback service, and the TLS identity that this client
/// presents to them. If the operator does not configure addresses, they are the ones that Apple used until it
/// turned both services off ("Binary Provider API").
enum APNsBinaryHosts {
    static let production = "gateway.push.apple.com"

    static func gateway(_ order: AccountOrder) -> Endpoint {
        endpoint(order, "gateway", order.gateway.address, Int(order.gateway.port))
    }

    static func feedback(_ order: AccountOrder) throws(WireError) -> Endpoint {
        let settings = try APNsBinarySettings(json: order.gateway.settings)
        return endpoint(order, "feedback", settings.feedbackAddress, settings.feedbackPort)
    }

    private static func endpoint(
        _ order: AccountOrder, _ service: String, _ address: String, _ port: Int
    ) -> Endpoint {
        let apple =
            order.environment == .sandbox ? "\(service).sandbox.push.apple.com" : "\(service).push.apple.com"
        return Endpoint(
            host: address.isEmpty ? apple : address, port: port,
            proxy: order.gateway.proxy.map(HTTPProxy.init))
    }

    /// - Throws: ``ConnectorError`` if the credential is not a certificate, the only credential that this
    ///   protocol accepts.
    static func identity(_ order: AccountOrder) throws -> TLSIdentity {
        guard case .certificate(let certificate) = try APNsCredential(order.credential) else {
            throw ConnectorError(
                "connector \(order.connector) requires a certificate, not a key: import a .p12 or .pem")
        }
        var identity = TLSIdentity()
        if !order.gateway.trustedCertificates.isEmpty {
            identity.trust = .pem(Array(order.gateway.trustedCertificates.utf8))
        }
        identity.certificate = TLSIdentity.ClientCertificate(
            chainPEM: Array(certificate.certificatePEM.utf8), keyPEM: Array(certificate.privateKeyPEM.utf8))
        return identity
    }
}
