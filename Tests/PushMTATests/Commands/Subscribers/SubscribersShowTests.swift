import Foundation
import Testing

struct SubscribersShowTests {
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
