import Foundation
import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing
import pushsink

/// The synthetic FCM and its token endpoint, and the order by which a child reaches them.
final class FCMSink {
    private let directory: String
    private let gateway: Gateway
    private let port: UInt16
    private let tokenPort: UInt16

    init(_ arguments: [String] = [], rules: String = "* accept\n", oauth: String = "* accept\n") throws {
        directory = try Files.makeTemporaryDirectory()
        try Files.replace("\(directory)/rules", with: Array(rules.utf8))
        try Files.replace("\(directory)/oauth", with: Array(oauth.utf8))
        gateway = try Gateway(
            [
                "--fcm-port", "0", "--fcm-rules", "\(directory)/rules", "--oauth-rules", "\(directory)/oauth",
                "--fcm-log",
                "\(directory)/log", "--summary", "\(directory)/summary",
            ] + arguments)
        let output = try Files.text("\(gateway.directory)/output")
        port = try #require(output.firstMatch(of: /fcm 127\.0\.0\.1:(\d+)\n/).flatMap { UInt16($0.1) })
        tokenPort = try #require(output.firstMatch(of: /oauth 127\.0\.0\.1:(\d+)\n/).flatMap { UInt16($0.1) })
    }

    deinit {
        gateway.stop()
        Files.removeDirectory(directory)
    }

    /// Ends the gateway and returns FCM's log.
    func log() throws -> [Gateway.Line] {
        _ = try gateway.log()
        return try Gateway.lines(of: "\(directory)/log")
    }

    /// Ends the gateway and returns the counts of FCM and of the token endpoint.
    func summary() throws -> (fcm: Summary, oauth: Summary) {
        _ = try gateway.log()
        let gateways = try #require(Summary(json: try Files.read("\(directory)/summary"))?.gateways)
        return (try #require(gateways["fcm"]), try #require(gateways["oauth"]))
    }

    static func serviceAccount() throws -> VerifiedCredential {
        try CredentialIntake.serviceAccount(try Gateway.file(CertificateSet.Name.serviceAccount))
    }

    static func projectKey() throws -> VerifiedCredential {
        try CredentialIntake.projectKey(try Gateway.file(CertificateSet.Name.projectKey))
    }

    func order(parallel: Int = 8, trusted: Bool = true) throws -> GatewayOrder {
        var order = GatewayOrder()
        order.address = "127.0.0.1"
        order.port = port
        try order.change(FCMSettings.self) {
            ($0.tokenAddress, $0.tokenPort) = ("127.0.0.1", Int(tokenPort))
            $0.parallelRequests = parallel
        }
        if trusted {
            order.trustedCertificates = String(
                decoding: try Gateway.file(CertificateSet.Name.authority), as: UTF8.self)
        }
        return order
    }

    /// Returns a sender with messages for the gateway.
    func sender(
        messages: Int, token: String = "aa", connector: ConnectorName = .androidPushConnectorV2,
        parallel: Int = 8,
        credential: VerifiedCredential? = nil, tracking: Bool = true, gateway: GatewayOrder? = nil,
        shared: SharedRequests = SharedRequests()
    ) throws -> Sender {
        try Sender(
            Sender.order(
                try (credential ?? Self.serviceAccount()).opaque, try gateway ?? order(parallel: parallel),
                connector: connector),
            messages: messages, token: token, job: Self.job(tracking: tracking), shared: shared)
    }

    static func job(
        content: String = #"{"title":"Hello","body":"World"}"#, tracking: Bool = true
    ) -> JobOrder {
        Sender.job(bundleID: "com.example", content: content, platform: .android, tracking: tracking)
    }
}
