import Foundation
import Testing

extension Workspace {
    /// Creates a workplace with service `neotrips` and app `old`, which uses the binary gateway at these
    /// ports.
    static func withBinaryApp(
        gatewayPort: Int = 1, feedbackPort: Int = 1, trusting authority: String = "",
        options: String = "", credential: [String] = ["--pem", Workspace.fixture("certificate.pem")]
    ) async throws -> Workspace {
        let gateway = """
            <nmac><iosBinary gateway="127.0.0.1" gatewayPort="\(gatewayPort)" feedback="127.0.0.1"
                feedbackPort="\(feedbackPort)" confirmAfterSec="1" trustedCertsChain="\(authority)" \(options)/></nmac>
            """
        let workspace = try Workspace(
            configuration: configuration().replacing("</serverConf>", with: gateway + "</serverConf>"))
        try await workspace.succeed("service", "create", "neotrips")
        let creation = try await workspace.run(binaryApp("old") + credential)
        guard creation.status == 0 else { throw UnexpectedEnd(finished: creation) }
        return workspace
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
