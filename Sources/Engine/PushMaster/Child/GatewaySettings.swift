internal import Foundation
internal import Glibc
package import PushConfig
package import PushModel
internal import PushSchedule
internal import PushStore
package import PushWire

/// What serverConf.xml says about gateways, by connector: read with the file, the trusted certificates' text
/// included, because children have no files.
package struct GatewaySettings: Sendable {
    /// Nothing is sent for real: every account is served by the stub.
    let verifyMode: Bool
    private let connectors: [ConnectorName: Settings]

    private struct Settings: Sendable {
        var gateway = GatewayOrder()
        var terms = AccountTerms()
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
        _ declared: ConnectorTerms, _ configuration: ServerConfiguration
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

    /// What an account of that connector may have.
    func terms(of connector: ConnectorName) -> AccountTerms { connectors[connector]?.terms ?? AccountTerms() }

    package func gateway(of connector: ConnectorName) -> GatewayOrder {
        connectors[connector]?.gateway ?? GatewayOrder()
    }

    /// Whether its gateway is asked to check messages of this content and to give them to no device.
    package func validatesOnly(
        _ contentJSON: [UInt8], on platform: Platform, through connector: ConnectorName
    )
        -> Bool
    {
        connectors[connector]?.validatesOnly(contentJSON, platform) == true
    }

    /// Whether a feedback service tells of its apps' devices.
    func hasFeedback(_ connector: ConnectorName) -> Bool { connectors[connector]?.hasFeedback == true }

    /// Connectors whose accounts are to be reached, or fed, otherwise than before.
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
            throw .secretFile(path: path, why: "it has a control character")
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
    /// The proxy for a gateway's host, or nil where it is reached directly.
    fileprivate init?(_ configuration: ServerConfiguration, toward host: String) {
        guard let proxy = configuration.gatewayProxy(forHost: host), let port = proxy.port else { return nil }
        self.init(
            host: proxy.address, port: UInt16(clamping: port), user: proxy.login,
            password: proxy.password.reveal())
    }
}
