import PushConfig
import PushMaster
import PushModel
import PushStore

extension MasterFixture {
    func directory(_ adjust: (inout ServerConfiguration) -> Void = { _ in }) throws -> AccountDirectory {
        var configuration = ServerConfiguration()
        adjust(&configuration)
        let loop = loop
        return AccountDirectory(
            store: store, key: key, gateways: try GatewaySettings(configuration), define: { loop.send($0) })
    }

    /// Creates an app with a token credential.
    func apple(
        _ name: String, identity: String = "token:TEAM:KEY", environment: PushEnvironment = .production,
        secret: String? = nil, subscribers: Int = 0
    ) throws -> App {
        try app(
            name, subscribers: subscribers, connector: .iosHTTP2, identity: identity,
            environment: environment,
            credential: OpaqueCredential(bytes: Array("secret of \(secret ?? identity)".utf8)))
    }
}
