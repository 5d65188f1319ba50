import Foundation
import Testing

struct AppCreateAndroidTests {
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
        "androidPushConnector", "androidPushConnectorV2",
        "http://localhost:8080/nms/jsp/androidPushConnector.js",
        "http://localhost:8080/nms/jsp/androidPushConnectorV2.js",
    ])
    func `both connectors accept both credentials without a bundle id, under their names or Campaign's URLs`(
        connector: String
    ) async throws {
        let workspace = try await Self.workspace()
        for (name, options) in [
            ("v1", "--service-account service-account.json"),
            ("legacy", "--project-key-file project-key.txt"),
        ] {
            let create = try await workspace.run(
                Workspace.androidApp(name, connector: connector) + Workspace.withFixtures(options))
            #expect(create.status == 0, "\(create.errors)")
            #expect(create.output == "app \(name) created\n")
            // Google has shut down the service for which a project key is used.
            #expect(create.errors.isEmpty == (name == "v1"), "\(create.errors)")
            let show = try await workspace.succeed("app", "show", name, "--json")
            let app = try #require(try show.json() as? [String: Any])
            #expect(connector.replacing(".js", with: "").hasSuffix(app["connector"] as? String ?? "?"))
        }
    }

    @Test func `a service account is shown by its project and account, and a project key by its fingerprint`()
        async throws
    {
        let workspace = try await Self.workspace()
        for (name, options, shown) in [
            (
                "v1", "--service-account service-account.json",
                "project:neotrips-1a2b3:push@neotrips-1a2b3.iam.gserviceaccount.com"
            ),
            ("legacy", "--project-key-file project-key.txt", "projectkey:"),
        ] {
            let create = try await workspace.run(Workspace.androidApp(name) + Workspace.withFixtures(options))
            #expect(create.status == 0, "\(create.errors)")
            for options in [[], ["--json"]] {
                let show = try await workspace.run(["app", "show", name] + options)
                #expect(show.output.contains(shown))
                #expect(!show.output.contains("PRIVATE"))
                #expect(!show.output.contains("neo-secret"))
            }
        }
    }

    @Test(arguments: [
        "--service-account service-account-truncated.json",
        "--service-account service-account-broken-key.json",
        "--service-account service-account-elliptic-key.json",
        "--service-account service-account-without-project.json", "--service-account google-services.json",
        "--service-account project-key.txt", "--service-account authkey.p8",
        "--project-key-file project-key-empty.txt", "--project-key-file project-key-of-two-words.txt",
        "--project-key-file service-account.json", "--project-key-file certificate.p12",
    ])
    func `a bad credential is refused by file name, nothing is stored, and no secret is shown`(
        options: String
    )
        async throws
    {
        let workspace = try await Self.workspace()
        let arguments = Workspace.withFixtures(options)
        let create = try await workspace.run(Workspace.androidApp() + arguments)
        #expect(create.status == 3, "\(create.errors)")
        #expect(create.output.isEmpty)
        #expect(create.errorLines.count == 1)
        #expect(create.errors.hasPrefix("pushmta: \(arguments[1]): "))
        #expect(!create.errors.contains("neo-secret"))
        #expect(!create.errors.contains("MII"))
        try await Self.expectNoApp(workspace)
    }

    @Test(arguments: [
        (
            "android", "androidPushConnectorV2", "--pem certificate.pem",
            ["--service-account", "--project-key-file"]
        ),
        (
            "android", "androidPushConnector", "--p8 authkey.p8 --key-id ABCDE12345 --team-id TEAM123456",
            ["--service-account", "--project-key-file"]
        ),
        ("android", "androidPushConnectorV2", "", ["--service-account", "--project-key-file"]),
        ("ios", "iosHTTP2", "--service-account service-account.json", ["--p8", "--p12", "--pem"]),
        ("ios", "iosHTTP2", "--project-key-file project-key.txt", ["--p8", "--p12", "--pem"]),
        ("ios", "androidPushConnectorV2", "--service-account service-account.json", ["iosHTTP2", "stub"]),
        (
            "android", "iosHTTP2", "--service-account service-account.json",
            ["androidPushConnector", "androidPushConnectorV2", "stub"]
        ),
        ("android", "stub", "--service-account service-account.json", ["does not use a credential"]),
    ])
    func `a mismatched combination is refused, and the error names the matching ones`(
        platform: String, connector: String, credential: String, fitting: [String]
    ) async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(
            [
                "app", "create", "neo", "--service", "neotrips", "--platform", platform, "--integration-key",
                "key",
                "--connector", connector,
            ] + Workspace.withFixtures(credential))
        #expect(create.status == 3)
        #expect(create.errorLines.count == 1)
        for word in fitting { #expect(create.errors.contains(word), "\(create.errors)") }
        try await Self.expectNoApp(workspace)
    }

    @Test(arguments: [
        ("--service-account service-account.json --project-key-file project-key.txt", 2),
        ("--service-account service-account.json --pem certificate.pem", 2),
        ("--service-account service-account.json --key-id ABCDE12345", 2),
        ("--service-account nowhere.json", 1),
    ])
    func `two credentials, options for another credential and a missing file have different errors`(
        options: String, status: Int32
    ) async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(Workspace.androidApp() + Workspace.withFixtures(options))
        #expect(create.status == status)
        #expect(create.output.isEmpty)
        try await Self.expectNoApp(workspace)
    }

    @Test(arguments: ["[1]", "1", "\"text\"", "not json", "{}"])
    func `an invalid service account is refused by the name of its file`(contents: String) async throws {
        let workspace = try await Self.workspace()
        try workspace.write(contents, to: "account.json")
        let create = try await workspace.run(
            Workspace.androidApp() + ["--service-account", "account.json"])
        #expect(create.status == 3, "\(create.errors)")
        #expect(create.errors.contains("account.json: "), "\(create.errors)")
        try await Self.expectNoApp(workspace)
    }

    @Test(arguments: [
        ("--variable", "=x", "name[?|=default]"), ("--variable", "?", "name[?|=default]"),
        ("--sound", "abc", "internal=label"), ("--category", "abc", "internal=label"),
        ("--parameter", "a:int", "name[:kind], with one of the kinds text, number, date, boolean"),
        ("--platform", "palm", "ios, android"),
    ])
    func `a misspelled option is refused, and the error contains the correct spelling`(
        option: String, value: String, spelling: String
    ) async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(
            Workspace.androidApp() + Workspace.withFixtures("--service-account service-account.json")
                + [option, value])
        #expect(create.status == 2)
        #expect(create.errors.contains(option) && create.errors.contains(spelling), "\(create.errors)")
    }
}
