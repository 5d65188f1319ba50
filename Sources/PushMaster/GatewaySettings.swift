internal import Foundation
internal import Glibc
package import PushConfig
package import PushModel
package import PushWire

/// What serverConf.xml says about gateways, by connector: read once at start, with the trusted certificates' text,
/// because children have no files.
package struct GatewaySettings: Sendable {
    /// Nothing is sent for real: every account is served by the stub.
    let verifyMode: Bool
    private let iosHTTP2: GatewayOrder

    package init(_ configuration: ServerConfiguration) throws(MasterError) {
        verifyMode = configuration.mta.verifyMode
        var gateway = GatewayOrder()
        gateway.address = configuration.nmac.relay.address
        gateway.port = UInt16(clamping: configuration.nmac.relay.port)
        gateway.trustedCertificates = try Self.text(ofFile: configuration.nmac.relay.trustedCertsChain)
        gateway.connectionsPerChild = UInt16(clamping: configuration.nmac.iosHTTP2.connectionsPerChild)
        gateway.requestTimeoutSeconds = UInt32(clamping: configuration.nmac.iosHTTP2.requestTimeoutSec)
        iosHTTP2 = gateway
    }

    package func gateway(of connector: ConnectorName) -> GatewayOrder {
        connector == .iosHTTP2 ? iosHTTP2 : GatewayOrder()
    }

    private static func text(ofFile path: String?) throws(MasterError) -> String {
        guard let path, !path.isEmpty else { return "" }
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw .system(what: "read the trusted certificates in", path: path, errorNumber: ENOENT)
        }
    }
}
