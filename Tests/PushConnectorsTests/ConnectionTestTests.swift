import GatewayKit
import PushConnectors
import PushModel
import PushWire
import Testing
import pushsink

@Suite struct ConnectionTestTests {
    private func settings(connector: ConnectorName = .iosHTTP2, bundleID: String? = nil) throws -> AppSettings
    {
        AppSettings(
            name: "app", platform: .ios, integrationKey: "key", connector: connector,
            environment: .production,
            bundleID: try bundleID ?? Gateway.bundleID, credentialIdentity: "identity", messageIDFormat: .uuid
        )
    }

    private func run(_ gateway: Gateway, bundleID: String? = nil, trusted: Bool = true) throws
        -> ConnectionTestResult
    {
        ConnectionTest.run(
            settings: try settings(bundleID: bundleID), credential: try Gateway.key().opaque,
            gateway: try gateway.order(trusted: trusted))
    }

    @Test func `a gateway that rejects the test token has thereby accepted the credential`() throws {
        let gateway = try Gateway(rules: "* status 400 BadDeviceToken\n")
        let result = try run(gateway)
        #expect(result.succeeded)
        #expect(result.lines.count == 2)
        #expect(result.lines.first?.hasPrefix("connected to") == true)
        #expect(result.lines.last?.contains("BadDeviceToken") == true)
        let log = try gateway.log()
        #expect(log.map { $0["token"] ?? "" } == [String(repeating: "0", count: 64)])
    }

    @Test func `a gateway that accepts the test push has accepted the credential`() throws {
        let gateway = try Gateway()
        #expect(try run(gateway).succeeded)
    }

    @Test(arguments: ["InvalidProviderToken", "BadEnvironmentKeyIdInToken"])
    func `a refused key fails the test with the gateway's reason`(reason: String) throws {
        let gateway = try Gateway(rules: "* status 403 \(reason)\n")
        let result = try run(gateway)
        #expect(!result.succeeded)
        #expect(result.lines.contains { $0.contains(reason) })
        let link = "See Docs/Reference/GatewayAnswers.md#apns-\(reason.lowercased())"
        #expect(result.lines.count { $0.hasSuffix(link) } == 1, "\(result.lines)")
    }

    @Test func `a topic that does not belong to the app fails the test with the gateway's reason`() throws {
        let gateway = try Gateway()
        let result = try run(gateway, bundleID: "com.example.somebody-elses")
        #expect(!result.succeeded)
        #expect(result.lines.contains { $0.contains("TopicDisallowed") || $0.contains("BadTopic") })
    }

    @Test func `an unreachable gateway and an untrusted gateway fail the test with the reason`() throws {
        let gateway = try Gateway()
        let untrusted = try run(gateway, trusted: false)
        #expect(!untrusted.succeeded)
        #expect(untrusted.lines.contains { $0.contains("certificate") })
        _ = try gateway.log()
        let absent = try run(gateway)
        #expect(!absent.succeeded)
        #expect(absent.lines.contains { $0.contains("(connect failed)") })
    }

    @Test func `without a credential, the test contacts no gateway`() throws {
        let result = ConnectionTest.run(settings: try settings(), credential: nil, gateway: GatewayOrder())
        #expect(!result.succeeded)
        #expect(result.lines.count == 1)
    }

    @Test func `the stub connector has nothing to test`() throws {
        let result = ConnectionTest.run(
            settings: try settings(connector: .stub), credential: nil, gateway: GatewayOrder())
        #expect(result.succeeded)
    }
}
