import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import Testing
import pushsink

/// Tests of ``ConnectionTest`` with Android's credentials.
@Suite struct FCMConnectionTestTests {
    private func run(
        _ sink: FCMSink, credential: VerifiedCredential? = nil, trusted: Bool = true
    ) throws -> ConnectionTestResult {
        let credential = try credential ?? FCMSink.serviceAccount()
        let settings = AppSettings(
            name: "app", platform: .android, integrationKey: "key", connector: .androidPushConnectorV2,
            environment: .production, bundleID: "", credentialIdentity: credential.identity,
            messageIDFormat: .uuid)
        return ConnectionTest.run(
            settings: settings, credential: credential.opaque, gateway: try sink.order(trusted: trusted))
    }

    @Test func `each type of credential is tested with one message that reaches no device`() throws {
        for credential in [try FCMSink.serviceAccount(), try FCMSink.projectKey()] {
            let sink = try FCMSink()
            let result = try run(sink, credential: credential)
            #expect(result.succeeded)
            #expect(result.lines.first?.hasPrefix("connected to") == true)
            let log = try sink.log()
            #expect(log.map { $0["validate_only"] ?? "" } == ["yes"])
            #expect(log.map { $0["token"] ?? "" } == ["connection-test"])
        }
    }

    @Test(arguments: ["fcm INVALID_ARGUMENT message.token", "rpc 400 INVALID_ARGUMENT", "fcm UNREGISTERED"])
    func `a gateway that rejects the test token has thereby accepted the credential`(rule: String) throws {
        let result = try run(try FCMSink(rules: "* \(rule)\n"))
        #expect(result.succeeded)
        #expect(result.lines.last?.contains("accepts the credential") == true)
    }

    @Test(arguments: [
        "rpc 403 PERMISSION_DENIED", "rpc 404 NOT_FOUND", "rpc 401 UNAUTHENTICATED", "html 502",
    ])
    func `a refused project fails the test with the gateway's reason`(rule: String) throws {
        let result = try run(try FCMSink(rules: "* \(rule)\n"))
        #expect(!result.succeeded)
        #expect(result.lines.contains { $0.hasPrefix("the gateway refused: ") })
        #expect(result.lines.contains { $0.contains("See Docs/Reference/GatewayAnswers.md#fcm-") })
    }

    @Test func `a service account that receives no access token fails the test with the endpoint's reason`()
        throws
    {
        let sink = try FCMSink(oauth: "* oauth invalid_grant\n")
        let result = try run(sink)
        #expect(!result.succeeded)
        #expect(result.lines.last?.hasPrefix("invalid_grant: Check this machine's clock") == true)
        #expect(
            result.lines.last?.hasSuffix("See Docs/Reference/GatewayAnswers.md#oauth-invalid_grant") == true)
        #expect(try sink.log().isEmpty)
    }

    @Test func `an untrusted gateway fails the test with the reason`() throws {
        let result = try run(try FCMSink(), trusted: false)
        #expect(!result.succeeded)
        #expect(result.lines.contains { $0.contains("certificate") })
    }
}
