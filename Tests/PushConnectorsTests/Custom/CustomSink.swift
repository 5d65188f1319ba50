import Foundation
import GatewayCustom
import GatewayKit
import PushModel
import PushWire
import Testing
import pushsink

/// The synthetic receiver, and the order by which a child reaches it.
final class CustomSink {
    private let directory: String
    private let gateway: Gateway
    private let port: UInt16

    init(rules: String = "* accept\n") throws {
        directory = try Files.makeTemporaryDirectory()
        try Files.replace("\(directory)/rules", with: Array(rules.utf8))
        gateway = try Gateway(
            [
                "--custom-port", "0", "--custom-rules", "\(directory)/rules", "--custom-log",
                "\(directory)/log", "--summary", "\(directory)/summary",
            ])
        let output = try Files.text("\(gateway.directory)/output")
        port = try #require(output.firstMatch(of: /custom 127\.0\.0\.1:(\d+)\n/).flatMap { UInt16($0.1) })
    }

    deinit {
        gateway.stop()
        Files.removeDirectory(directory)
    }

    /// Ends the receiver and returns its log.
    func log() throws -> [Gateway.Line] {
        _ = try gateway.log()
        return try Gateway.lines(of: "\(directory)/log")
    }

    /// Ends the receiver and returns its counts.
    func summary() throws -> Summary {
        _ = try gateway.log()
        let gateways = try #require(Summary(json: try Files.read("\(directory)/summary"))?.gateways)
        return try #require(gateways["custom"])
    }

    func order(
        secret: String? = nil, _ change: (inout CustomSettings) -> Void = { _ in }
    ) throws -> GatewayOrder {
        var order = GatewayOrder()
        let right = try Gateway.file(CertificateSet.Name.projectKey).filter { $0 > 0x20 }
        order.secret = OpaqueCredential(bytes: secret.map { Array($0.utf8) } ?? right)
        order.trustedCertificates = String(
            decoding: try Gateway.file(CertificateSet.Name.authority), as: UTF8.self)
        try order.change(CustomSettings.self) {
            $0.url = "https://127.0.0.1:\(port)/push"
            change(&$0)
        }
        return order
    }

    /// Returns a sender with messages for the receiver.
    func sender(
        messages: Int, tokens: [Int: String] = [:], platform: Platform = .other,
        content: String = #"{"title":"Hello","body":"World"}"#, order: GatewayOrder? = nil
    ) throws -> Sender {
        try Sender(
            Sender.order(
                OpaqueCredential(bytes: []), try order ?? self.order(),
                connector: ConnectorName(rawValue: "custom")),
            messages: messages, tokens: tokens,
            job: Sender.job(bundleID: "sms", content: content, platform: platform))
    }
}
