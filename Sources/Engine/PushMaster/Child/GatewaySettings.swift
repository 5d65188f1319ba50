internal import Foundation
internal import Glibc
package import PushConfig
package import PushModel
internal import PushSchedule
internal import PushStore
package import PushWire

/// The settings for gateways in serverConf.xml, keyed by connector. The files that serverConf.xml names, such
/// as the trusted certificates, are read together with it, because children do not read files.
package struct GatewaySettings: Sendable {
    /// Whether no message is actually sent, because the stub connector serves every account.
    let verifyMode: Bool
    private let connectors: [ConnectorName: Settings]

    private struct Settings: Sendable {
        var gateway = GatewayOrder()
        var terms = AccountLimits()
        var hasFeedback = false
        var validatesOnly: @Sendable ([UInt8], Platform) -> Bool = { _, _ in false }
    }

    package init(
        _ configuration: ServerConfiguration, connectors rows: [ConnectorRow]
    ) throws(MasterError) {
        verifyMode = configuration.mta.verifyMode
        var connectors: [ConnectorName: Settings] = [:]
        for row in rows {
            var settings = try Self.settings(row.terms(configuration), configuration)
            settings.validatesOnly = row.validatesOnly
            connectors[row.name] = settings
        }
        self.connectors = connectors
    }

    private static func settings(
        _ declared: ConnectorOptions, _ configuration: ServerConfiguration
    ) throws(MasterError) -> Settings {
        var settings = Settings()
        settings.gateway.address = declared.address
        settings.gateway.port = UInt16(clamping: declared.port)
        settings.gateway.trustedCertificates = try text(ofFile: declared.trustedCertsChain)
        settings.gateway.secret = try secret(inFile: declared.secretFile)
        settings.gateway.settings = declared.settings
        let host = declared.address.isEmpty ? declared.ownHost : declared.address
        if !host.isEmpty { settings.gateway.proxy = ProxyOrder(configuration, toward: host) }

        settings.terms.quota = declared.quota.map {
            TokenBucket(messagesPerMinute: $0.messagesPerMinute, rampUpSeconds: $0.rampUpSeconds)
        }
        settings.terms.ownCapacity = declared.ownCapacity
        settings.terms.acceptancesArriveLate = declared.acceptancesArriveLate
        let answer = Int64(declared.answerSeconds)
        settings.terms.stallPatienceSeconds =
            declared.acceptancesArriveLate
            ? answer + StallCause.patienceSeconds : max(StallCause.patienceSeconds, 2 * answer)
        settings.hasFeedback = declared.feedbackPeriodSeconds != nil
        return settings
    }

    /// Returns the limits that apply to each account of the connector.
    func terms(of connector: ConnectorName) -> AccountLimits {
        connectors[connector]?.terms ?? AccountLimits()
    }

    package func gateway(of connector: ConnectorName) -> GatewayOrder {
        connectors[connector]?.gateway ?? GatewayOrder()
    }

    /// Reports whether the gateway is asked only to check messages with this content, without sending them to
    /// a device.
    package func validatesOnly(
        _ contentJSON: [UInt8], on platform: Platform, through connector: ConnectorName
    )
        -> Bool
    {
        connectors[connector]?.validatesOnly(contentJSON, platform) == true
    }

    /// Reports whether the connector has a feedback service, which reports on the devices of the connector's
    /// apps.
    func hasFeedback(_ connector: ConnectorName) -> Bool { connectors[connector]?.hasFeedback == true }

    /// Returns the connectors whose gateways are now reached differently, or whose accounts now have a
    /// different quota.
    func changed(since old: GatewaySettings) -> Set<ConnectorName> {
        Set(
            connectors.keys.filter {
                gateway(of: $0) != old.gateway(of: $0) || terms(of: $0).quota != old.terms(of: $0).quota
            })
    }

    private static let maxSecretBytes = 4_096

    private static func secret(inFile path: String?) throws(MasterError) -> OpaqueCredential {
        guard let path, !path.isEmpty else { return OpaqueCredential(bytes: []) }
        let line: [UInt8]?
        do throws(PrivateFile.Failure) {
            line = try PrivateFile.firstLine(of: path, limit: maxSecretBytes)
        } catch {
            throw .secretFile(path: path, why: error.words)
        }
        if line?.contains(where: { $0 < 0x20 || $0 == 0x7F }) == true {
            throw .secretFile(path: path, why: "it contains a control character")
        }
        guard let line else { throw .secretFile(path: path, why: "its first line is empty") }
        return OpaqueCredential(bytes: line)
    }

    private static func text(ofFile path: String?) throws(MasterError) -> String {
        guard let path, !path.isEmpty else { return "" }
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw .system(what: "read the trusted certificates in", path: path, errorNumber: ENOENT)
        }
    }
}

extension ProxyOrder {
    /// Creates the proxy for a gateway's host, or `nil` if the host is reached directly.
    fileprivate init?(_ configuration: ServerConfiguration, toward host: String) {
        guard let proxy = configuration.gatewayProxy(forHost: host), let port = proxy.port else { return nil }
        self.init(
            host: proxy.address, port: UInt16(clamping: port), user: proxy.login,
            password: proxy.password.reveal())
    }
}
