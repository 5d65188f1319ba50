import Foundation
import Testing

/// Tests apps that use the old binary gateway.
struct AppCreateBinaryTests {
    private static func workspace() async throws -> Workspace {
        let workspace = try Workspace()
        try await workspace.succeed("service", "create", "neotrips")
        return workspace
    }

    @Test(arguments: [
        "--p12 certificate.p12 --password-file certificate-password.txt", "--pem certificate.pem",
    ])
    func `the binary connector accepts a certificate`(options: String) async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(Workspace.binaryApp("old") + Workspace.withFixtures(options))
        #expect(create.status == 0, "\(create.errors)")
        let show = try await workspace.succeed("app", "show", "old", "--json").json()
        #expect((show as? [String: Any])?["connector"] as? String == "ios")
    }

    @Test func `the URL of Campaign's page is accepted in place of the connector name`() async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(
            Workspace.binaryApp("old", connector: "https://campaign.example/nms/jsp/ios.jsp")
                + ["--pem", Workspace.fixture("certificate.pem")])
        #expect(create.status == 0, "\(create.errors)")
        #expect(try await workspace.succeed("app", "show", "old").output.contains("ios\n"))
    }

    @Test(arguments: ["--p8 authkey.p8 --key-id ABCDE12345 --team-id TEAM123456", ""])
    func `the binary connector refuses a key and requires a certificate`(options: String) async throws {
        let workspace = try await Self.workspace()
        let create = try await workspace.run(Workspace.binaryApp("old") + Workspace.withFixtures(options))
        #expect(create.status == 3)
        #expect(create.errors.contains("--p12 or --pem"))
    }

    @Test func `the binary gateway's payload limit, which is half as large, applies to a delivery`()
        async throws
    {
        let workspace = try await Workspace.withBinaryApp()
        func submit(_ bytes: Int, to app: String) async throws -> Finished {
            let content = ["title": "Hello", "body": String(repeating: "x", count: bytes)]
            return try await workspace.run(
                "delivery", "submit", "-", input: try Workspace.document(["apps": [app], "content": content]))
        }
        #expect(try await submit(1_800, to: "old").status == 0)
        let refused = try await submit(2_048, to: "old")
        #expect(refused.status == 3)
        #expect(refused.errorLines.count == 1)
        #expect(refused.errors.contains("app old") && refused.errors.contains("2048"))
    }

    @Test(.eachEngine)
    func `the payload limit of the binary gateway is a setting, which errors and explain name`()
        async throws
    {
        let workspace = try await Workspace.withBinaryApp(options: #"maxPayloadBytes="3000""#)
        func submit(_ bytes: Int) async throws -> Finished {
            let content = ["title": "Hello", "body": String(repeating: "x", count: bytes)]
            return try await workspace.run(
                "delivery", "submit", "-",
                input: try Workspace.document(["apps": ["old"], "content": content]))
        }
        #expect(try await submit(2_700).status == 0)
        let refused = try await submit(3_000)
        #expect(refused.status == 3)
        #expect(
            refused.errors.contains("the gateway's limit is 3000")
                && refused.errors.contains("nmac/iosBinary/@maxPayloadBytes sets the limit"),
            "\(refused.errors)")
        let explained = try await workspace.succeed("explain", "old")
        #expect(explained.output.contains("3 000 bytes"))
        let wrong = try Workspace(
            configuration: Workspace.configuration().replacing(
                "</serverConf>", with: #"<nmac><iosBinary maxPayloadBytes="5000"/></nmac></serverConf>"#))
        let check = try await wrong.run("config", "check")
        #expect((check.output + check.errors).contains("maxPayloadBytes"))
    }

    @Test func `testing an app fails with the reason if nothing listens at its gateway`() async throws {
        let workspace = try await Workspace.withBinaryApp()
        let test = try await workspace.run("app", "test", "old")
        #expect(test.status == 1)
        #expect(!test.output.isEmpty)
    }

    @Test func `a gateway that accepts the certificate passes the test of the app`() async throws {
        try await FeedbackSink.with { sink in
            let workspace = try await Workspace.withBinaryApp(
                gatewayPort: sink.binaryPort, trusting: "\(sink.certificates)/ca.pem",
                credential: ["--pem", "\(sink.certificates)/client.pem"])
            let test = try await workspace.run("app", "test", "old")
            #expect(test.status == 0, "\(test.output)")
        }
    }
}
