import Foundation
import Testing

extension Workplace {
    /// Creates a workplace with service `neotrips` and app `old`, which uses the binary gateway at these
    /// ports.
    static func withBinaryApp(
        gatewayPort: Int = 1, feedbackPort: Int = 1, trusting authority: String = "",
        credential: [String] = ["--pem", Workplace.fixture("certificate.pem")]
    ) async throws -> Workplace {
        let gateway = """
            <nmac><iosBinary gateway="127.0.0.1" gatewayPort="\(gatewayPort)" feedback="127.0.0.1"
                feedbackPort="\(feedbackPort)" confirmAfterSec="1" trustedCertsChain="\(authority)"/></nmac>
            """
        let workplace = try Workplace(
            configuration: configuration().replacing("</serverConf>", with: gateway + "</serverConf>"))
        try await workplace.succeed("service", "create", "neotrips")
        let creation = try await workplace.run(binaryApp("old") + credential)
        guard creation.status == 0 else { throw UnexpectedEnd(finished: creation) }
        return workplace
    }

    /// Returns the arguments of `app create` for an app of the binary gateway. The credential's options
    /// follow.
    static func binaryApp(_ name: String, connector: String = "ios") -> [String] {
        [
            "app", "create", name, "--service", "neotrips", "--platform", "ios", "--integration-key",
            "key of \(name)",
            "--connector", connector, "--bundle-id", "com.example.neotrips",
        ]
    }
}
