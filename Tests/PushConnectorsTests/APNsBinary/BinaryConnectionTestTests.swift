import GatewayKit
import PushConnectors
import PushModel
import Testing

@Suite struct BinaryConnectionTestTests {
    private func run(rules: String, credential: VerifiedCredential? = nil) throws -> ConnectionTestResult {
        let sink = try BinarySink(rules: rules)
        let result = ConnectionTest.run(
            settings: BinarySink.settings(), credential: try (credential ?? Gateway.certificate()).opaque,
            gateway: try sink.order(confirmAfterSeconds: 3_600))
        let log = try sink.log()
        #expect(log.allSatisfy { $0["token"] == String(repeating: "0", count: 64) })
        return result
    }

    @Test func `a gateway that rejects the test token has thereby accepted the certificate`() throws {
        let result = try run(rules: "* invalid-token\n")
        #expect(result.succeeded)
        #expect(result.lines.first?.hasPrefix("connected to") == true)
        #expect(result.lines.contains { $0.contains("8 invalid token") })
    }

    @Test func `silence counts as success, even if the account's own waiting time is longer`() throws {
        let result = try run(rules: "* accept\n")
        #expect(result.succeeded)
        #expect(result.lines.last?.contains("did not report an error") == true)
    }

    @Test(arguments: [
        ("close", "(closed without error packet)"), ("garbage", "(closed without error packet)"),
        ("status 3", "3 missing topic"),
    ])
    func `any other answer fails with its reason`(rule: String, words: String) throws {
        let result = try run(rules: "* \(rule)\n")
        #expect(!result.succeeded)
        #expect(result.lines.contains { $0.contains(words) })
        #expect(result.lines.contains { $0.contains("See Docs/Reference/GatewayAnswers.md#apns-binary-") })
    }

    @Test func `a refused certificate fails the connection test`() throws {
        let result = try run(rules: "* accept\n", credential: try BinarySink.stranger())
        #expect(!result.succeeded)
        #expect(result.lines.contains { $0.contains("(certificate or configuration)") })
    }
}
