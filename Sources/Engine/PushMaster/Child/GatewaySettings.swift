internal import Foundation
internal import Glibc
package import PushConfig
package import PushModel
internal import PushSchedule
package import PushWire

/// What serverConf.xml says about gateways, by connector: read with the file, the trusted certificates' text
/// included, because children have no files.
package struct GatewaySettings: Sendable {
    /// Nothing is sent for real: every account is served by the stub.
    let verifyMode: Bool
    private let iosHTTP2: GatewayOrder
    private let fcm: GatewayOrder
    private let ios: GatewayOrder
    private let projectQuota: TokenBucket?

    package init(_ configuration: ServerConfiguration) throws(MasterError) {
        let nmac = configuration.nmac
        verifyMode = configuration.mta.verifyMode

        var apns = GatewayOrder()
        apns.address = nmac.relay.address
        apns.port = UInt16(clamping: nmac.relay.port)
        apns.trustedCertificates = try Self.text(ofFile: nmac.relay.trustedCertsChain)
        apns.connectionsPerChild = UInt16(clamping: nmac.iosHTTP2.connectionsPerChild)
        apns.requestTimeoutSeconds = UInt32(clamping: nmac.iosHTTP2.requestTimeoutSec)
        apns.proxy = ProxyOrder(configuration, toward: apns.address, otherwise: "api.push.apple.com")
        iosHTTP2 = apns

        var google = GatewayOrder()
        google.address = nmac.fcm.address
        google.port = UInt16(clamping: nmac.fcm.port)
        google.trustedCertificates = try Self.text(ofFile: nmac.fcm.trustedCertsChain)
        google.requestTimeoutSeconds = UInt32(clamping: nmac.fcm.requestTimeoutSec)
        google.parallelRequests = UInt16(clamping: configuration.mta.child.maxGCMConnectPerChild)
        google.keepsMessageIDs = nmac.fcm.keepMessageIds
        google.tokenAddress = nmac.fcm.tokenAddress
        google.tokenPort = UInt16(clamping: nmac.fcm.tokenPort)
        google.proxy = ProxyOrder(configuration, toward: google.address, otherwise: "fcm.googleapis.com")
        fcm = google

        let binary = nmac.iosBinary
        var old = GatewayOrder()
        old.address = binary.gateway
        old.port = UInt16(clamping: binary.gatewayPort)
        old.feedbackAddress = binary.feedback
        old.feedbackPort = UInt16(clamping: binary.feedbackPort)
        old.confirmAfterSeconds = UInt32(clamping: binary.confirmAfterSec)
        old.unconfirmedFrames = UInt32(clamping: binary.unconfirmedFrames)
        old.trustedCertificates = try Self.text(ofFile: binary.trustedCertsChain)
        old.proxy = ProxyOrder(configuration, toward: old.address, otherwise: "gateway.push.apple.com")
        ios = old
        projectQuota =
            nmac.fcm.messagesPerMinute > 0
            ? TokenBucket(messagesPerMinute: nmac.fcm.messagesPerMinute, rampUpSeconds: nmac.fcm.rampUpSec)
            : nil
    }

    /// What an account of that connector may have: Google grants each project a quota; frames that a silent
    /// gateway has not refused yet wait in capacity of their own.
    func terms(of connector: ConnectorName) -> AccountTerms {
        switch connector {
        case .androidPushConnector, .androidPushConnectorV2: AccountTerms(quota: projectQuota)
        case .ios: AccountTerms(ownCapacity: Int(ios.unconfirmedFrames))
        default: AccountTerms()
        }
    }

    package func gateway(of connector: ConnectorName) -> GatewayOrder {
        switch connector.rawValue {
        case "iosHTTP2": iosHTTP2
        case "androidPushConnector", "androidPushConnectorV2": fcm
        case "ios": ios
        default: GatewayOrder()
        }
    }

    /// Connectors whose accounts are to be reached, or fed, otherwise than before.
    func changed(since old: GatewaySettings) -> Set<ConnectorName> {
        let all: [ConnectorName] = [.iosHTTP2, .ios, .androidPushConnector, .androidPushConnectorV2]
        return Set(
            all.filter {
                gateway(of: $0) != old.gateway(of: $0) || terms(of: $0).quota != old.terms(of: $0).quota
            })
    }

    private static func text(ofFile path: String?) throws(MasterError) -> String {
        guard let path, !path.isEmpty else { return "" }
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw .system(what: "read the trusted certificates in", path: path, errorNumber: ENOENT)
        }
    }
}

extension ProxyOrder {
    /// The proxy for a gateway's host, or nil where it is reached directly.
    fileprivate init?(_ configuration: ServerConfiguration, toward address: String, otherwise host: String) {
        let host = address.isEmpty ? host : address
        guard let proxy = configuration.gatewayProxy(forHost: host), let port = proxy.port else { return nil }
        self.init(
            host: proxy.address, port: UInt16(clamping: port), user: proxy.login,
            password: proxy.password.reveal())
    }
}
