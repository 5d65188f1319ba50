import Foundation
import Testing

struct AppCreateTests {
    /// The options for an APNs app, except those for the credential.
    private static let apns = [
        "app", "create", "neo", "--service", "neotrips", "--platform", "ios", "--integration-key", "key",
        "--connector", "iosHTTP2", "--bundle-id", "com.example.neotrips",
    ]
    private static let ids = ["--key-id", "ABCDE12345", "--team-id", "TEAM123456"]

    private static func workspace() async throws -> Workspace {
        let workspace = try Workspace()
        try await workspace.succeed("service", "create", "neotrips")
        return workspace
    }

    private static func expectNoApp(_ workspace: Workspace) async throws {
        let list = try await workspace.succeed("app", "list", "--json")
        #expect((try list.json() as? [Any])?.isEmpty == true)
    }

    @Test(arguments: [
        "--p8 authkey.p8 --key-id ABCDE12345 --team-id TEAM123456",
        "--p12 certificate.p12 --password-file certificate-password.txt",
        "--p12 certificate-keychain.p12 --password-file certificate-password.txt",
        "--pem certificate.pem",
    ])
    func `a valid credential is accepted and never shown`(options: String) async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(Self.apns + Workspace.withFixtures(options))
        #expect(create.status == 0, "\(create.errors)")
        #expect(create.output == "app neo created\n")
        let show = try await workspace.succeed("app", "show", "neo", "--json")
        let app = try #require(try show.json() as? [String: Any])
        #expect(app["bundleId"] as? String == "com.example.neotrips")
        #expect((app["credential"] as? String)?.isEmpty == false)
        #expect(!show.output.contains("PRIVATE"))
    }

    @Test func `a VoIP certificate determines the app's bundle id, and its pushes have the suffix once`()
        async throws
    {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(
            Self.apns + Workspace.withFixtures("--pem certificate-voip.pem")
                + ["--bundle-id", "com.example.neotrips"])
        #expect(create.status == 0 && !create.errors.contains("warning"), "\(create.errors)")
        _ = try await workspace.succeed("app", "delete", "neo", "--yes")
        let named = try await workspace.run(Self.apns + Workspace.withFixtures("--pem certificate-voip.pem"))
        #expect(named.status == 0, "\(named.errors)")
        try await workspace.succeed(
            "subscribers", "import", "--app", "neo", "-", input: Workspace.subscribers(1))
        try workspace.write(
            #"{"label": "x", "service": "neotrips", "content": {"ios": {"type": "voip"}, "custom": {"call": 1}}}"#,
            to: "d.json")
        let preview = try await workspace.succeed("delivery", "preview", "d.json", "--user-key", "user1")
        #expect(
            preview.outputLines.contains {
                $0.hasPrefix("apns-topic ") && $0.hasSuffix(" com.example.neotrips.voip")
            },
            "\(preview.output)")
    }

    @Test(arguments: [
        "--p8 authkey-truncated.p8 --key-id ABCDE12345 --team-id TEAM123456",
        "--p8 authkey-wrong-curve.p8 --key-id ABCDE12345 --team-id TEAM123456",
        "--p8 authkey.p8 --key-id short --team-id TEAM123456",
        "--p8 certificate.pem --key-id ABCDE12345 --team-id TEAM123456",
        "--p12 certificate.p12",
        "--p12 certificate.p12 --password-file certificate-password-wrong.txt",
        "--p12 certificate-truncated.p12 --password-file certificate-password.txt",
        "--p12 authkey.p8",
        "--pem certificate-without-key.pem",
        "--pem certificate-expired.pem",
        "--p12 certificate-without-key.p12", "--pem certificate-development.pem",
        "--pem certificate-production.pem --environment sandbox", "--pem certificate-distribution.pem",
        "--pem certificate-pass.pem", "--pem certificate-website.pem",
    ])
    func `a bad credential is refused by the name of its file before anything is stored`(options: String)
        async throws
    {
        let workspace = try await Self.workspace()
        let arguments = Workspace.withFixtures(options)
        let create = try await workspace.run(Self.apns + arguments)
        #expect(create.status == 3)
        #expect(create.output.isEmpty)
        #expect(create.errorLines.count == 1)
        #expect(create.errors.contains(arguments[1]))
        #expect(!create.errors.contains("neo-secret"))
        try await Self.expectNoApp(workspace)
    }

    @Test(arguments: [
        ("--p8 authkey.p8", 2), ("--p8 authkey.p8 --key-id ABCDE12345", 2), ("--key-id ABCDE12345", 2),
        ("--pem certificate.pem --p12 certificate.p12", 2), ("--password-file certificate-password.txt", 2),
        ("--p8 nowhere.p8 --key-id ABCDE12345 --team-id TEAM123456", 1), ("", 3),
    ])
    func `an incomplete credential is refused`(options: String, status: Int32) async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(Self.apns + Workspace.withFixtures(options))
        #expect(create.status == status)
        #expect(create.output.isEmpty)
        try await Self.expectNoApp(workspace)
    }

    @Test func `an unknown connector is refused, and the error names the existing connectors`() async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(
            "app", "create", "neo", "--service", "neotrips", "--platform", "ios", "--integration-key", "key",
            "--connector", "iosHTTP3")
        #expect(create.status == 3)
        #expect(create.errorLines.count == 1)
        #expect(create.errors.contains("iosHTTP3"))
        #expect(create.errors.contains("iosHTTP2"))
        #expect(create.errors.contains("stub"))
        try await Self.expectNoApp(workspace)
    }

    @Test func `a connector is also recognised by the URL of Campaign's page`() async throws {
        let workspace = try await Self.workspace()
        var arguments = Self.apns + Workspace.withFixtures("--p8 authkey.p8") + Self.ids
        arguments[arguments.firstIndex(of: "iosHTTP2") ?? 0] = "http://localhost:8080/nms/jsp/iosHTTP2.jsp"
        let create = try await workspace.run(arguments)
        #expect(create.status == 0, "\(create.errors)")
    }

    @Test(arguments: [
        ["--platform", "android", "--connector", "iosHTTP2"],
        ["--platform", "ios", "--connector", "stub", "--variable", "a", "--variable", "a=1"],
        ["--platform", "ios", "--connector", "stub", "--variable", "aps"],
        ["--platform", "ios", "--connector", "stub", "--sound", "s=One", "--sound", "s=Two"],
    ])
    func `contradictory settings are refused`(options: [String]) async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(
            ["app", "create", "neo", "--service", "neotrips", "--integration-key", "key"] + options)
        #expect(create.status == 3)
        #expect(create.errorLines.count == 1)
        try await Self.expectNoApp(workspace)
    }

    @Test func `a stub app needs no credential and accepts none`() async throws {
        let workspace = try await Self.workspace()
        let none = try await workspace.run(Workspace.stubApp("neo"))
        #expect(none.status == 0)
        let some = try await workspace.run(
            Workspace.stubApp("other") + Workspace.withFixtures("--pem certificate.pem"))
        #expect(some.status == 3)
    }

    @Test func `an unknown service and a duplicate app name are refused`() async throws {
        let workspace = try Workspace()
        let orphan = try await workspace.run(Workspace.stubApp("neo"))
        #expect(orphan.status == 3)
        #expect(orphan.errors.contains("neotrips"))
        try await workspace.succeed("service", "create", "neotrips")
        #expect(try await workspace.run(Workspace.stubApp("neo")).status == 0)
        let second = try await workspace.run(Workspace.stubApp("neo"))
        #expect(second.status == 3)
        #expect(second.errorLines.count == 1)
    }

    @Test func `if no topic is given, the certificate determines the topic`() async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(
            Self.apns.dropLast(2) + Workspace.withFixtures("--pem certificate.pem"))
        #expect(create.status == 0, "\(create.errors)")
        #expect(create.errors.contains("valid until 2126-"))
        #expect(try await workspace.succeed("app", "show", "neo").output.contains("com.example.neotrips"))
    }

    @Test func `if no format is requested, ids have the configured format`() async throws {
        let configuration = Workspace.configuration().replacing(
            "</serverConf>", with: #"<tracking messageIdFormat="uuid"/></serverConf>"#)
        let workspace = try await Workspace.withApp(configuration)
        #expect(try await workspace.succeed("app", "show", "ios").output.contains("message ids      uuid"))
    }
}
