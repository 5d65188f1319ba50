import Foundation
import Testing

extension Workspace {
    /// Returns the arguments of `app create` for an FCM app. The credential's options follow.
    static func androidApp(_ name: String = "droid", connector: String = "androidPushConnectorV2") -> [String]
    {
        [
            "app", "create", name, "--service", "neotrips", "--platform", "android",
            "--integration-key", "key of \(name)", "--connector", connector,
        ]
    }

    /// Returns options as they are typed. A word that contains a dot is a file in Fixtures.
    static func withFixtures(_ options: String) -> [String] {
        options.split(separator: " ").map { $0.contains(".") ? fixture(String($0)) : String($0) }
    }

    /// Creates a workplace with service `neotrips` and app `droid`. No process listens as its gateway or
    /// OAuth server: port 1 of the loopback address is reserved, so connections are refused at once.
    static func withAndroidApp(_ credential: String) async throws -> Workspace {
        let gateway = #"<fcm address="127.0.0.1" port="1" tokenAddress="127.0.0.1" tokenPort="1"/>"#
        let workspace = try Workspace(
            configuration: configuration().replacing(
                "</serverConf>", with: "<nmac>\(gateway)</nmac></serverConf>"))
        try await workspace.succeed("service", "create", "neotrips")
        let creation = try await workspace.run(androidApp() + withFixtures(credential))
        guard creation.status == 0 else { throw UnexpectedEnd(finished: creation) }
        return workspace
    }
}
