import Foundation
import PushModel
import Testing

struct UserTests {
    @Test func `the documents describe each role as the program does`() throws {
        let page = try String(
            contentsOf: PushMTATests.repository.appending(path: "Docs/Operate/People.md"), encoding: .utf8)
        for role in Role.allCases {
            let scopes = AccessScope.allCases.filter(role.scopes.contains).map { "`\($0.rawValue)`" }
            let row = ["`\(role.rawValue)`", scopes.joined(separator: ", "), role.about]
            #expect(page.contains("\n| \(row.joined(separator: " | ")) |\n"), "\(role)")
        }
    }

    @Test func `a person gets a link, has a role, and can be reset and removed`() async throws {
        let workspace = try Workspace()
        _ = try await workspace.succeed("service", "create", "shop")
        let created = try await workspace.succeed(
            "user", "create", "Anna", "--role", "marketer", "--service", "shop")
        #expect(created.outputLines.count == 2)
        #expect(
            created.outputLines.first?.hasPrefix("Anna (marketer) sets a password with this link") == true)
        let link = try #require(created.outputLines.last)
        #expect(link.wholeMatch(of: /\/console\/welcome\?key=[A-Za-z0-9_-]{43}/) != nil)

        let again = try await workspace.run("user", "create", "anna", "--role", "viewer")
        #expect(again.status == 3)
        #expect(again.errors == "pushmta: there is already a person named anna; choose another name\n")
        #expect(try await workspace.run("user", "create", "bert").status == 2)
        #expect(try await workspace.run("user", "create", "bert", "--role", "root").status == 2)
        let bad = try await workspace.run("user", "create", "a b", "--role", "viewer")
        #expect(bad.status == 3 && bad.errors.hasPrefix("pushmta: name: must consist of letters"))

        let listed = try await workspace.succeed("user", "list")
        #expect(listed.outputLines.count == 2)
        #expect(listed.output.contains("Anna") && listed.output.contains("not set"))
        let shown = try await workspace.succeed("user", "show", "anna", "--json").json() as? [String: Any]
        #expect(shown?["role"] as? String == "marketer" && shown?["services"] as? [String] == ["shop"])

        let role = try await workspace.succeed("user", "role", "anna", "--role", "viewer")
        #expect(role.output == "Anna has the role viewer, services: all\n")
        let reset = try await workspace.succeed("user", "reset", "anna")
        #expect(reset.outputLines.last != link)
        #expect(try await workspace.succeed("user", "sessions", "anna").outputLines.count <= 1)
        #expect(try await workspace.succeed("user", "sign-out", "anna").output == "0 sessions ended\n")
        #expect(try await workspace.succeed("user", "remove", "anna").output == "person Anna removed\n")
        #expect(try await workspace.run("user", "remove", "anna").status == 3)

        let trail = try await workspace.succeed("audit", "--json")
        let page = try #require(try trail.json() as? [String: Any])
        let lines = try #require(page["items"] as? [[String: Any]])
        #expect(
            lines.compactMap { $0["action"] as? String }.prefix(4) == [
                "user.remove", "user.reset", "user.role", "user.create",
            ])
        #expect(!trail.output.contains("key="))
    }

    @Test func `the last admin is removed only with --force`() async throws {
        let workspace = try Workspace()
        _ = try await workspace.succeed("user", "create", "anna", "--role", "admin")
        for words in [["user", "remove", "anna"], ["user", "role", "anna", "--role", "viewer"]] {
            let refused = try await workspace.run(words)
            #expect(refused.status == 3)
            #expect(
                refused.errors == """
                    pushmta: anna is the last person with the role admin; give the role to another person \
                    first, or repeat the command with --force

                    """)
        }
        _ = try await workspace.succeed("user", "role", "anna", "--role", "viewer", "--force")
        _ = try await workspace.succeed("user", "role", "anna", "--role", "admin")
        _ = try await workspace.succeed("user", "remove", "anna", "--force")
        #expect(try await workspace.succeed("user", "list", "--json").output == "[]\n")
    }

    @Test func `a running service carries the commands out, also with --force`() async throws {
        let workspace = try Workspace()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving ")
            _ = try await workspace.succeed("user", "create", "anna", "--role", "admin")
            #expect(try await workspace.run("user", "remove", "anna").status == 3)
            let removed = try await workspace.succeed("user", "remove", "anna", "--force")
            #expect(removed.output == "person anna removed\n")
        }
    }
}
