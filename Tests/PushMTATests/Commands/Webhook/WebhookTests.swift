import TestSupport
import Testing

struct WebhookTests {
    @Test func `a webhook's secret is printed once, and the webhook's state and changes are shown`()
        async throws
    {
        let workspace = try Workspace()
        let receiver = try HTTPReceiver()
        let created = try await workspace.succeed("webhook", "create", "crm", "--url", receiver.url)
        #expect(created.outputLines.count == 1 && created.output.hasPrefix("whsec_"))
        let list = try await workspace.succeed("webhook", "list")
        #expect(
            list.output.contains(
                "sent failed quarantined received clicked registered unregistered optedOut excluded expired "
                    + "cancelled")
                && list.output.contains("working"))
        let shown = try await workspace.succeed("webhook", "show", "crm")
        #expect(shown.output.contains(receiver.url) && !shown.output.contains("whsec_"))
        let tested = try await workspace.succeed("webhook", "test", "crm")
        #expect(tested.output == "accepted: HTTP 200\n" && receiver.requests.count == 1)

        let disabled = try await workspace.succeed(
            "webhook", "update", "crm", "--disable", "--event", "failed")
        #expect(disabled.output == "webhook crm updated: disabled\n")
        let status = try await workspace.run("status")
        #expect(status.output.contains("WEBHOOK crm is disabled: by user "))
        #expect(try await workspace.succeed("webhook", "update", "crm").output == disabled.output)
        #expect(try await workspace.run("webhook", "update", "crm", "--enable", "--disable").status == 2)
        let rotated = try await workspace.succeed("webhook", "rotate-secret", "crm", "--json")
        let json = try #require(try rotated.json() as? [String: Any])
        #expect((json["secret"] as? String)?.hasPrefix("whsec_") == true)
        #expect("\(json["secret"] ?? "")\n" != created.output)

        let refused = try await workspace.run("webhook", "create", "two", "--url", "http://crm.example.com/")
        #expect(refused.status == 3 && refused.errors.contains("use https://"))
        #expect(
            try await workspace.run("webhook", "create", "two", "--url", receiver.url, "--event", "x").status
                == 2)
        receiver.stop()
        #expect(try await workspace.run("webhook", "test", "crm").status == 1)
        #expect(try await workspace.succeed("webhook", "delete", "crm").output == "webhook crm deleted\n")
        #expect(try await workspace.run("webhook", "show", "crm").status == 3)
    }
}
