import Foundation
import Testing

struct SubscribersShowTests {
    @Test func `one person's devices are shown, and removed with --yes`() async throws {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workplace.subscribers(3))
        let show = try await workplace.succeed("subscribers", "show", "--user-key", "user2")
        #expect(show.output.contains("user key          user2\n"))
        #expect(show.output.contains("state             valid\n"))
        let json = try await workplace.succeed("subscribers", "show", "--user-key", "user2", "--json").json()
        #expect((json as? [[String: Any]])?.first?["parameters"] as? [String: String] == [:])

        let asked = try await workplace.run("subscribers", "remove", "--user-key", "user2")
        #expect(asked.status == 3 && asked.errors.contains("--yes"))
        let removed = try await workplace.succeed("subscribers", "remove", "--user-key", "user2", "--yes")
        #expect(removed.output == "1 subscriber removed\n")
        #expect(try await workplace.run("subscribers", "show", "--user-key", "user2").status == 1)
        #expect(try await workplace.run("subscribers", "show").status == 2)
        #expect(try await workplace.succeed("subscribers", "count", "--app", "ios").output == "2\n")
    }

    @Test func `an import reports how many of its rows are in quarantine, and lifts none unless requested`()
        async throws
    {
        let workplace = try await Workplace.withApp()
        let list = Workplace.subscribers(3)
        try await workplace.succeed("subscribers", "import", "--app", "ios", "-", input: list)
        try await workplace.quarantineEverybody()
        let again = try await workplace.succeed("subscribers", "import", "--app", "ios", "-", input: list)
        #expect(again.output == "3 rows: 0 new, 0 changed, 3 unchanged, 0 repeated, 0 rejected\n")
        #expect(again.errors.contains("3 of these stay in quarantine"))
        let count = ["subscribers", "count", "--app", "ios"]
        #expect(try await workplace.succeed(count).output == "0 valid, 3 quarantined, 0 disabled\n")
        try await workplace.succeed(
            "subscribers", "import", "--app", "ios", "-", "--lift-quarantine", input: list)
        #expect(try await workplace.succeed(count).output == "3\n")
    }
}
