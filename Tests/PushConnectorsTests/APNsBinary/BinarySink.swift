import GatewayAPNs
import GatewayAPNsBinary
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing
import pushsink

/// The synthetic binary gateway and its feedback service, and the order by which a child reaches them.
final class BinarySink {
    let gateway: Gateway
    private let directory: String
    private let port: UInt16
    private let feedbackPort: UInt16

    init(rules: String = "* accept\n", feedback: String = "") throws {
        directory = try Files.makeTemporaryDirectory()
        try Files.replace("\(directory)/rules", with: Array(rules.utf8))
        try Files.replace("\(directory)/feedback", with: Array(feedback.utf8))
        gateway = try Gateway([
            "--binary-port", "0", "--binary-rules", "\(directory)/rules", "--binary-log", "\(directory)/log",
            "--feedback-port", "0", "--feedback", "\(directory)/feedback",
        ])
        let output = try Files.text("\(gateway.directory)/output")
        port = try #require(output.firstMatch(of: /binary 127\.0\.0\.1:(\d+)\n/).flatMap { UInt16($0.1) })
        feedbackPort = try #require(
            output.firstMatch(of: /feedback 127\.0\.0\.1:(\d+)\n/).flatMap { UInt16($0.1) })
    }

    deinit {
        gateway.stop()
        Files.removeDirectory(directory)
    }

    /// Ends the gateway and returns the notifications that it examined.
    func log() throws -> [Gateway.Line] {
        _ = try gateway.log()
        return try Gateway.lines(of: "\(directory)/log")
    }

    static func stranger() throws -> VerifiedCredential {
        try CredentialIntake.pem(certificateAndKey: try Gateway.file(CertificateSet.Name.stranger))
    }

    func order(confirmAfterSeconds: Int = 1, unconfirmedFrames: Int = 100_000) throws -> GatewayOrder {
        var order = GatewayOrder()
        order.address = "127.0.0.1"
        order.port = port
        try order.change(APNsBinarySettings.self) {
            ($0.feedbackAddress, $0.feedbackPort) = ("127.0.0.1", Int(feedbackPort))
            ($0.confirmAfterSeconds, $0.unconfirmedFrames) = (confirmAfterSeconds, unconfirmedFrames)
        }
        order.trustedCertificates = String(
            decoding: try Gateway.file(CertificateSet.Name.authority), as: UTF8.self)
        return order
    }

    /// Returns a sender with messages for the gateway.
    func sender(
        messages: Int, tokens: [Int: String] = [:], credential: VerifiedCredential? = nil,
        gateway: GatewayOrder? = nil,
        content: String = #"{"title":"Hello"}"#
    ) throws -> Sender {
        try Sender(
            Sender.order(
                try (credential ?? Gateway.certificate()).opaque, try gateway ?? order(), connector: .ios),
            messages: messages, tokens: tokens, job: Sender.job(bundleID: "com.example", content: content))
    }

    static func settings() -> AppSettings {
        AppSettings(
            name: "app", platform: .ios, integrationKey: "key", connector: .ios, environment: .production,
            bundleID: "com.example", credentialIdentity: "identity", messageIDFormat: .uuid)
    }
}
