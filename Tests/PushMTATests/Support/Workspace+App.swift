import Foundation
import Testing

extension Workspace {
    /// Creates a workplace with service `neotrips` and app `ios`, which sends nothing.
    static func withApp(
        _ configuration: String = Workspace.configuration(), options: [String] = []
    ) async throws -> Workspace {
        let workspace = try Workspace(configuration: configuration)
        try await workspace.succeed("service", "create", "neotrips", "--label", "Neo Trips")
        let creation = try await workspace.run(Self.stubApp("ios") + options)
        guard creation.status == 0 else { throw UnexpectedEnd(finished: creation) }
        return workspace
    }

    static func stubApp(_ name: String, platform: String = "ios") -> [String] {
        [
            "app", "create", name, "--service", "neotrips", "--platform", platform,
            "--integration-key", "key of \(name)", "--connector", "stub",
        ]
    }

    /// Creates a workplace with an app of this name whose gateway does not accept connections.
    static func withUnreachableApp(_ name: String) async throws -> Workspace {
        // Port 1 of the loopback address is reserved, so connections are refused at once.
        let configuration = Workspace.configuration().replacing(
            "</serverConf>", with: #"<nmac><relay address="127.0.0.1" port="1"/></nmac></serverConf>"#)
        let workspace = try await withApp(configuration)
        try await workspace.succeed(
            "app", "create", name, "--service", "neotrips", "--platform", "ios", "--integration-key", "key",
            "--connector", "iosHTTP2", "--bundle-id", "com.example.neotrips", "--pem",
            fixture("certificate.pem"))
        return workspace
    }

    struct UnexpectedEnd: Error { var finished: Finished }

    /// Returns a file of the given number of subscribers, all different and all valid.
    static func subscribers(_ count: Int) -> String {
        var text = "token,userKey\n"
        for index in 1...count {
            let digits = String(index, radix: 16)
            text += String(repeating: "0", count: 64 - digits.count) + digits + ",user\(index)\n"
        }
        return text
    }

    /// Returns a delivery document that passes all checks, with some of its members replaced, or removed by
    /// null.
    static func document(_ changes: [String: Any] = [:]) throws -> String {
        var document: [String: Any] = [
            "label": "Spring sale", "service": "neotrips", "apps": ["ios"], "target": ["all": true],
            "allowEmpty": true, "content": ["title": "Hello", "body": "Paris from 99 EUR"],
        ]
        for (key, value) in changes { document[key] = value is NSNull ? nil : value }
        return String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
    }
}
