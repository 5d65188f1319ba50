import Testing

struct TokenTests {
    @Test func `a token is printed once, listed without its secret, and can be revoked`() async throws {
        let workspace = try Workspace()
        let created = try await workspace.succeed("token", "create", "billing", "--scope", "send")
        #expect(created.outputLines.count == 1 && created.output.hasPrefix("pmta_"))
        let list = try await workspace.succeed("token", "list")
        #expect(list.output.contains("billing") && !list.output.contains("pmta_"))

        let again = try await workspace.run("token", "create", "billing", "--scope", "read")
        #expect(again.status == 3)
        #expect(
            again.errors == "pushmta: there is already a token named billing; choose another name\n")
        #expect(try await workspace.run("token", "create", "other").status == 2)
        #expect(try await workspace.run("token", "create", "other", "--scope", "all").status == 2)

        let unknown = try await workspace.run("token", "create", "x", "--scope", "read", "--service", "shop")
        #expect(unknown.status == 3 && unknown.errors.contains("there is no service shop"))
        try await workspace.succeed("service", "create", "shop")
        _ = try await workspace.succeed("token", "create", "x", "--scope", "read", "--service", "shop")
        let table = try await workspace.succeed("token", "list").outputLines
        #expect(table.first?.contains("SERVICES") == true)
        #expect(table.contains { $0.hasPrefix("billing") && $0.contains("send") && $0.contains("all") })
        #expect(table.contains { $0.hasPrefix("x ") && $0.contains("shop") })

        let revoked = try await workspace.succeed("token", "revoke", "billing")
        #expect(revoked.output == "token billing revoked\n")
        #expect(try await workspace.run("token", "revoke", "billing").status == 3)
        let trail = try await workspace.succeed("audit", "--json")
        let page = try #require(try trail.json() as? [String: Any])
        let lines = try #require(page["items"] as? [[String: Any]])
        let actions = ["token.revoke", "token.create", "service.create", "token.create"]
        #expect(lines.map { $0["action"] as? String } == actions)
        #expect(lines.allSatisfy { ($0["who"] as? String)?.hasPrefix("user ") == true })
        #expect(!trail.output.contains("pmta_"))
    }
}
