import Foundation
import PushModel
import TestSupport
import Testing

struct ExplainTests {
    private static func settings(_ explanation: Finished) throws -> [String: (value: String, why: String)] {
        let members = try #require(try explanation.json() as? [String: Any])
        let rows = try #require(members["settings"] as? [[String: String]])
        return Dictionary(rows.map { ($0["setting"] ?? "", ($0["value"] ?? "", $0["why"] ?? "")) }) { $1 }
    }

    @Test
    func `explain shows the gateway and the rate of a binary app, each with its line of the configuration`()
        async throws
    {
        let workspace = try await Workspace.withBinaryApp(gatewayPort: 2_000, feedbackPort: 2_001)
        let explanation = try await workspace.succeed("explain", "old", "--json")
        let settings = try Self.settings(explanation)
        #expect(settings["connector"]?.value == "ios")
        #expect(settings["gateway"]?.value == "127.0.0.1")
        #expect(settings["gateway"]?.why == "nmac/iosBinary/@gateway, line 6")
        #expect(settings["port"]?.value == "2000")
        #expect(settings["feedback"]?.value == "127.0.0.1:2001")
        #expect(settings["feedback read"]?.value == "never")
        #expect(settings["environment"]?.value == "production")
        #expect(settings["topic"]?.value == "com.example.neotrips")
        #expect(settings["payload limit"]?.value == "2 048 bytes")
        #expect(settings["payload limit"]?.why == "nmac/iosBinary/@maxPayloadBytes, default")
        #expect(settings["confirmed after"]?.value == "1 s of silence")
        #expect(settings["unconfirmed frames"]?.why == "nmac/iosBinary/@unconfirmedFrames, default")
        #expect(settings["rate"]?.value == "100 000/s in each child")
        #expect(settings["proxy"]?.value == "none")
        #expect(settings["trust"]?.value == "the system's authorities")
        #expect(settings["credential"]?.value.hasPrefix("certificate:") == true)
        #expect(settings["credential"]?.why.hasSuffix("0 days ago") == true)
        #expect(settings["retries"]?.value == "5 on the first day, then one a day")
        #expect(settings["storm minimum"]?.value == "100 answers")
        let members = try #require(try explanation.json() as? [String: Any])
        #expect(members["master"] is NSNull)
        #expect(members["answers"] is NSNull)

        let text = try await workspace.succeed("explain", "old")
        #expect(text.output.contains("no master runs"))
        #expect(text.output.contains("the app has not received any through this account"))
        #expect(!text.output.contains("PRIVATE"))
    }

    @Test func `explain shows the settings that apply to apps with other connectors`() async throws {
        let workspace = try await Workspace.withAndroidApp("--service-account service-account.json")
        let android = try Self.settings(try await workspace.succeed("explain", "droid", "--json"))
        #expect(android["gateway"]?.why == "nmac/fcm/@address, line 6")
        #expect(android["token server"]?.value == "127.0.0.1")
        #expect(android["token server"]?.why == "nmac/fcm/@tokenAddress, line 6")
        #expect(android["token port"]?.value == "1")
        #expect(android["requests"]?.value == "8 at a time in each child, with all its accounts")
        #expect(android["quota"]?.value == "600 000 a minute")
        #expect(android["ramp"]?.value == "60 s after a rest")
        #expect(android["certificate"] == nil)

        let apple = try await workspace.run(
            Workspace.binaryApp("neo", connector: "iosHTTP2") + [
                "--pem", Workspace.fixture("certificate.pem"),
            ])
        #expect(apple.status == 0, "\(apple.errors)")
        let settings = try Self.settings(try await workspace.succeed("explain", "neo", "--json"))
        #expect(settings["gateway"]?.value == "api.push.apple.com")
        #expect(settings["gateway"]?.why == "the vendor's; nmac/relay/@address is not set")
        #expect(settings["payload limit"]?.value == "4 096 bytes")
        #expect(settings["connections"]?.value == "1 in each child")
    }

    @Test func `explain shows that a rehearsal uses the stub, and why`() async throws {
        let workspace = try await Workspace.withBinaryApp()
        try workspace.write(
            try workspace.text(of: "serverConf.xml").replacing("<mta ", with: "<mta verifyMode=\"true\" "),
            to: "serverConf.xml")
        let settings = try Self.settings(try await workspace.succeed("explain", "old", "--json"))
        #expect(settings["connector"]?.value == "stub")
        #expect(settings["connector"]?.why == "in place of ios: mta/@verifyMode, line 5")
        #expect(settings["gateway"]?.value == "none")
    }

    @Test func `explain warns about a certificate that expires soon`() async throws {
        let workspace = try Workspace()
        let certificates = workspace.path("certificates")
        let making = try RunningCommand(
            program: try BuiltProgram("pushsink").path, arguments: ["certs", certificates, "--days", "20"],
            folder: workspace.folder, input: "", output: nil)
        #expect(try await making.finished().status == 0)
        try await workspace.succeed("service", "create", "neotrips")
        let creation = try await workspace.run(
            Workspace.binaryApp("old") + ["--pem", "\(certificates)/client.pem"])
        #expect(creation.status == 0, "\(creation.errors)")
        let explanation = try await workspace.succeed("explain", "old", "--json")
        #expect(explanation.errors.contains("warning: the certificate expires in "))
        let credential = (try explanation.json() as? [String: Any])?["credential"] as? [String: Any]
        let days = try #require(credential?["daysLeft"] as? Int)
        #expect((18...20).contains(days))
        let certificate = try Self.settings(explanation)["certificate"]
        #expect(certificate?.why.contains("give the new one to the app") == true)
    }

    @Test(.eachEngine) func `explain states why a person did not get a push, and what to do`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        try await workspace.quarantineEverybody()
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let submitted = try await workspace.succeed("delivery", "list", "--json").json()
        let id = try #require((submitted as? [[String: Any]])?.first?["id"] as? Int)
        try workspace.settle(DeliveryID(rawValue: Int64(id))) { _ in
            .failed(.hard, .userUnknown, providerReason: "x")
        }
        let explain = ["explain", "--user-key", "user1", "--delivery", "\(id)"]
        let text = try await workspace.succeed(explain).output
        for part in [
            "registered  yes, 1 device\n", "state       1 quarantined\n", "targeted    yes\n",
            "was not sent: Address in quarantine, in quarantine", "(pushmta quarantine release)",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
        let json = try #require(try await workspace.succeed(explain + ["--json"]).json() as? [String: Any])
        let codes = (json["findings"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
        #expect(codes == ["excluded", "deviceExcluded"])
        // The newest messages include the one that the gateway refused.
        let newest = try await workspace.succeed("explain", "--user-key", "user1").output
        #expect(newest.contains("Unregistered") && newest.contains("GatewayAnswers.md#"), "\(newest)")

        let nobody = try await workspace.run("explain", "--user-key", "nobody")
        #expect(nobody.status == 1 && nobody.output.contains("no device is registered with this user key"))
        for wrong in [
            ["explain"], ["explain", "ios", "--user-key", "user1"], ["explain", "ios", "--delivery", "1"],
            ["explain", "--user-key", "a", "--token", "b"],
            ["explain", "--user-key", "a", "--delivery", "f5e4d3c2-b1a0-8f9e-8d7c-6b5a49382716"],
        ] {
            #expect(try await workspace.run(wrong).status == 2, "\(wrong)")
        }
        #expect(try await workspace.run("explain", "--user-key", "a", "--delivery", "99").status == 3)
        #expect(try await workspace.run("explain", "--user-key", "a", "--app", "none").status == 3)
    }

    @Test func `explaining an unknown app is refused`() async throws {
        #expect(try await Workspace().run("explain", "nobody").status == 3)
    }

    @Test func `if a master is running, explain, status and the waiting delivery report the account's state`()
        async throws
    {
        let workspace = try await Workspace.withBinaryApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "old", "-", input: Workspace.subscribers(3))
        try await workspace.succeed(
            "delivery", "submit", "-", input: try Workspace.document(["apps": ["old"]]))
        try await workspace.withMaster { _ in
            var account: [String: Any] = [:]
            try await eventually("the account is held") {
                let explanation = try await workspace.run("explain", "old", "--json")
                guard explanation.status == 0 else { return false }
                let report = (try explanation.json() as? [String: Any])?["master"] as? [String: Any]
                account = report?["account"] as? [String: Any] ?? [:]
                return account["state"] as? String ?? "working" != "working"
            }
            // No process listens on port 1.
            #expect((account["reason"] as? String)?.isEmpty == false)
            let troubles = try #require(account["troubles"] as? [[String: Any]])
            #expect(troubles.first?["text"] as? String == account["reason"] as? String)
            #expect((account["children"] as? [Int])?.count == 1)

            let text = try await workspace.succeed("explain", "old")
            #expect(text.output.contains("troubles since the master started"))
            #expect(text.output.contains("\nchild "))
            let link = "See Docs/Reference/GatewayAnswers.md#apns-binary-connection-lost"
            #expect(text.output.contains(link), "\(text.output)")
            let name = try #require(account["name"] as? String)
            let status = try await workspace.succeed("status")
            #expect(status.outputLines.contains { $0.hasPrefix("\(name) is ") && $0.contains(link) })
            let show = try await workspace.succeed("delivery", "show", "1")
            #expect(
                show.outputLines.contains {
                    $0.hasPrefix("waits") && $0.contains(name) && $0.contains(link)
                })
        }
    }
}
