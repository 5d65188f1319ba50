import Foundation
import Testing

@Suite(.eachEngine) struct AppSwitchTests {
    private static let certificate = ["--pem", Workspace.fixture("certificate.pem")]
    private static let key = [
        "--p8", Workspace.fixture("authkey.p8"), "--key-id", "ABC1234567", "--team-id", "DEF1234567",
    ]

    private func shown(_ workspace: Workspace, _ app: String = "neo") async throws -> [String: Any] {
        let json = try await workspace.succeed("app", "show", app, "--json").json()
        return try #require(json as? [String: Any])
    }

    @Test func `a switch whose test fails changes nothing, and --skip-test switches without the test`()
        async throws
    {
        let workspace = try await Workspace.withUnreachableApp("neo")
        let before = try await shown(workspace)
        let refused = try await workspace.run(["app", "switch", "neo"] + Self.key)
        #expect(refused.status == 3 && refused.output.isEmpty)
        #expect(refused.errorLines.first?.contains("nothing was changed") == true)
        #expect(refused.errorLines.first?.contains("--skip-test") == true)
        #expect(refused.errors.contains("127.0.0.1"))
        #expect(try await shown(workspace)["credential"] as? String == before["credential"] as? String)
        let switched = try await workspace.succeed(["app", "switch", "neo", "--skip-test"] + Self.key)
        #expect(
            switched.output
                == "app neo now uses iosHTTP2 in production with token:DEF1234567:ABC1234567\n")
        let text = try await workspace.succeed("app", "show", "neo").output
        #expect(text.contains("previous         iosHTTP2 production with certificate:"), "\(text)")
    }

    @Test func `one command switches an app back to the previous connector and credential`() async throws {
        let workspace = try await Workspace.withUnreachableApp("neo")
        let none = try await workspace.run("app", "switch-back", "neo")
        #expect(none.status == 3 && none.errors.contains("no former connection"))
        let before = try await shown(workspace)
        // The stub has no gateway, so its test succeeds.
        let stub = try await workspace.succeed("app", "switch", "neo", "--connector", "stub")
        #expect(stub.outputLines.count == 2 && stub.output.contains("nothing to test"))
        let refused = try await workspace.run("app", "switch-back", "neo")
        #expect(refused.status == 3 && refused.errors.contains("127.0.0.1"))
        let back = try await workspace.succeed("app", "switch-back", "neo", "--skip-test", "--json").json()
        #expect((back as? [String: Any])?["test"] is NSNull)
        let after = try await shown(workspace)
        for name in ["connector", "credential", "environment", "bundleId"] {
            #expect(after[name] as? String == before[name] as? String, "\(name)")
        }
        let former = try #require(after["formerConnection"] as? [String: Any])
        #expect(former["connector"] as? String == "stub")
    }

    @Test func `a running service carries out the switch after the command has made the test`() async throws {
        let workspace = try await Workspace.withUnreachableApp("neo")
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            let refused = try await workspace.run(["app", "switch", "neo"] + Self.key)
            #expect(refused.status == 3 && refused.errors.contains("127.0.0.1"))
            try await workspace.succeed("app", "switch", "neo", "--connector", "stub")
            try await workspace.succeed("app", "switch-back", "neo", "--skip-test")
            #expect(try await shown(workspace)["connector"] as? String == "iosHTTP2")
        }
        let audit = try await workspace.succeed("audit").output
        #expect(audit.contains("app.switch ") && audit.contains("app.switch-back"))
    }

    @Test func `app test tests other settings and changes nothing`() async throws {
        let workspace = try await Workspace.withUnreachableApp("neo")
        let stub = try await workspace.succeed("app", "test", "neo", "--connector", "stub")
        #expect(stub.output.contains("nothing to test"))
        let key = try await workspace.run(["app", "test", "neo"] + Self.key)
        #expect(key.status == 1 && key.output.contains("127.0.0.1"))
        let unsuitable = try await workspace.run("app", "test", "neo", "--connector", "androidPushConnector")
        #expect(unsuitable.status == 3 && unsuitable.errors.contains("reaches android"))
        #expect(try await shown(workspace)["formerConnection"] is NSNull)
    }

    @Test func `a pair has a certificate for each environment, and one command changes both apps`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let creation = [
            "app", "create", "neo", "--service", "neotrips", "--platform", "ios", "--integration-key", "neo",
            "--connector", "iosHTTP2", "--pair", "--pem", Workspace.fixture("certificate-production.pem"),
        ]
        let lacking = try await workspace.run(creation)
        #expect(lacking.status == 3 && lacking.errors.contains("--sandbox-p12 or --sandbox-pem"))
        let sandbox = ["--sandbox-pem", Workspace.fixture("certificate-development.pem")]
        let made = try await workspace.succeed(creation + sandbox)
        #expect(made.output == "app neo created\napp neo-sandbox created\n")
        let updated = try await workspace.succeed(
            "app", "update", "neo", "--pair", "--variable", "city=Paris", "--label", "Neo")
        #expect(updated.output == "app neo updated\napp neo-sandbox updated\n")
        for app in ["neo", "neo-sandbox"] {
            let text = try await workspace.succeed("app", "show", app).output
            #expect(text.contains("city=Paris") && text.contains("label            Neo\n"), "\(text)")
        }
        #expect(try await shown(workspace)["pairedWith"] as? String == "neo-sandbox")
        let own = try await workspace.run("app", "update", "neo", "--pair", "--bundle-id", "b")
        #expect(own.status == 3 && own.errors.contains("bundleId"))
        let alone = try await workspace.run("app", "update", "ios", "--pair", "--label", "x")
        #expect(alone.status == 3 && alone.errors.contains("ios-sandbox"))
        let two = try await workspace.run(creation + sandbox + ["--sandbox-p12", "x.p12"])
        #expect(two.status == 2)
    }
}
