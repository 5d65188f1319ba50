import Foundation
import Testing

@Suite(.eachEngine) struct SubscribersShowTests {
    @Test func `one person's devices are shown, and are removed with --yes`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        let show = try await workspace.succeed("subscribers", "show", "--user-key", "user2")
        #expect(show.output.contains("user key          user2\n"))
        #expect(show.output.contains("state             valid\n"))
        let json = try await workspace.succeed("subscribers", "show", "--user-key", "user2", "--json").json()
        #expect((json as? [[String: Any]])?.first?["parameters"] as? [String: String] == [:])

        let asked = try await workspace.run("subscribers", "remove", "--user-key", "user2")
        #expect(asked.status == 3 && asked.errors.contains("--yes"))
        let removed = try await workspace.succeed("subscribers", "remove", "--user-key", "user2", "--yes")
        #expect(removed.output == "1 subscriber removed\n")
        #expect(try await workspace.run("subscribers", "show", "--user-key", "user2").status == 1)
        #expect(try await workspace.run("subscribers", "show").status == 2)
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "2\n")
    }

    @Test func `a device in quarantine is shown with the reason, the time and the delivery`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        try await workspace.quarantineEverybody()
        let lines = try await workspace.succeed("subscribers", "show", "--user-key", "user2").outputLines
        for (name, value) in [
            ("state", "quarantined"), ("reported by", "answer"), ("reason", "Unregistered"),
            ("by delivery", "1"),
        ] {
            #expect(lines.contains { $0.hasPrefix(name) && $0.hasSuffix("  \(value)") }, "\(lines)")
        }
        #expect(lines.contains { $0.hasPrefix("state since") && $0.hasSuffix("Z") })
        #expect(lines.contains { $0.hasPrefix("see") && $0.contains("GatewayAnswers.md#") })
        let token = try await workspace.run(
            "subscribers", "show", "--user-key", String(repeating: "ab", count: 32))
        #expect(token.status == 1 && token.errors.contains("If it is the token of a device"))
    }

    @Test func `subscribers are listed by service and by a condition on their parameters`() async throws {
        let workspace = try await Workspace.withApp()
        for (number, city) in [(1, "Rome"), (2, "Paris"), (3, "Rome")] {
            let token = String(repeating: "0", count: 63) + "\(number)"
            try await workspace.succeed(
                "subscribers", "add", "--app", "ios", "--token", token, "--user-key", "u\(number)",
                "--parameter", "city=\(city)")
        }
        func users(_ options: String...) async throws -> [String] {
            let list = try await workspace.succeed(["subscribers", "list", "--json"] + options).json()
            return try #require(list as? [[String: Any]]).compactMap { $0["userKey"] as? String }
        }
        #expect(try await users("--service", "neotrips") == ["u1", "u2", "u3"])
        let rome = #"{"city": "Rome"}"#
        #expect(try await users("--service", "neotrips", "--where", rome) == ["u1", "u3"])
        #expect(try await users("--app", "ios", "--where", #"{"not": {"city": "Rome"}}"#) == ["u2"])
        let wrong = try await workspace.run("subscribers", "list", "--app", "ios", "--where", "city=Rome")
        #expect(wrong.status == 2 && wrong.errors.contains(#"{"city": "Rome"}"#), "\(wrong.errors)")
        #expect(try await workspace.run("subscribers", "list", "--service", "none").status == 3)
    }

    @Test
    func
        `an import reports how many of its rows are in quarantine, and lifts no quarantine unless requested`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let list = Workspace.subscribers(3)
        try await workspace.succeed("subscribers", "import", "--app", "ios", "-", input: list)
        try await workspace.quarantineEverybody()
        let again = try await workspace.succeed("subscribers", "import", "--app", "ios", "-", input: list)
        #expect(again.output == "3 rows: 0 new, 0 changed, 3 unchanged, 0 repeated, 0 rejected\n")
        #expect(again.errors.contains("3 of these stay in quarantine"))
        let count = ["subscribers", "count", "--app", "ios"]
        #expect(try await workspace.succeed(count).output == "0 valid, 3 quarantined, 0 disabled\n")
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", "--lift-quarantine", input: list)
        #expect(try await workspace.succeed(count).output == "3\n")
    }
}
