import Foundation
import Testing

struct SubscribersAddTests {
    private static let token = String(repeating: "0", count: 62) + "aB"

    private static func add(_ workspace: Workspace, _ options: String...) async throws -> Finished {
        try await workspace.run(["subscribers", "add", "--app", "ios"] + options)
    }

    @Test func `a subscriber is created, updated, and listed`() async throws {
        let workspace = try await Workspace.withApp()
        let created = try await Self.add(
            workspace, "--token", Self.token, "--user-key", "anna", "--parameter", "city=Rome=Roma")
        #expect(created.status == 0 && created.output == "subscriber created\n", "\(created.errors)")
        let again = try await Self.add(workspace, "--token", Self.token, "--user-key", "anna", "--json")
        let answer = try #require(try again.json() as? [String: Any])
        #expect(answer["result"] as? String == "unchanged" && answer["excluded"] as? Bool == false)
        let changed = try await Self.add(
            workspace, "--token", Self.token, "--user-key", "bert", "--parameter", "city=Rome=Roma")
        #expect(changed.output == "subscriber updated\n")

        let list = try await workspace.succeed("subscribers", "list", "--app", "ios")
        #expect(list.outputLines.count == 2 && list.outputLines[0].hasPrefix("TOKEN"))
        #expect(list.outputLines[1].hasPrefix("00000000…  bert") && list.outputLines[1].contains("valid"))
        let json = try await workspace.succeed("subscribers", "list", "--app", "ios", "--json").json()
        let subscriber = try #require((json as? [[String: Any]])?.first)
        #expect(subscriber["parameters"] as? [String: String] == ["city": "Rome=Roma"])
        #expect(subscriber["token"] as? String == Self.token.lowercased())
        #expect(
            try await workspace.succeed("subscribers", "list", "--app", "ios", "--whole-tokens").output
                .contains(Self.token.lowercased()))
        let audit = try await workspace.succeed("audit").output
        #expect(audit.contains("subscribers.add") && !audit.lowercased().contains(Self.token.lowercased()))
    }

    @Test func `a quarantined subscriber stays in quarantine unless the caller lifts the quarantine`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let options = ["--token", Self.token, "--user-key", "anna"]
        func add(_ more: String...) async throws -> Finished {
            try await workspace.run(["subscribers", "add", "--app", "ios"] + options + more)
        }
        #expect(try await add().status == 0)
        try await workspace.succeed(
            "quarantine", "add", "--app", "ios", "--token", Self.token, "--reason", "why")
        #expect(try await add().errors.contains("--lift-quarantine"))
        let list = ["subscribers", "list", "--app", "ios", "--state", "quarantined", "--json"]
        #expect((try await workspace.succeed(list).json() as? [Any])?.count == 1)
        #expect(try await add("--lift-quarantine").errors.isEmpty)
        #expect((try await workspace.succeed(list).json() as? [Any])?.isEmpty == true)
    }

    @Test func `a result with more than one page is printed as one list`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(2_100))
        let list = try await workspace.succeed("subscribers", "list", "--app", "ios")
        #expect(list.outputLines.count == 2_101)
        let json = try await workspace.succeed("subscribers", "list", "--app", "ios", "--json").json()
        #expect((json as? [Any])?.count == 2_100)
    }

    @Test func `invalid input is refused`() async throws {
        let workspace = try await Workspace.withApp()
        #expect(try await Self.add(workspace, "--token", Self.token).status == 2)
        #expect(try await Self.add(workspace, "--user-key", "anna").status == 2)
        for parameter in [["--parameter", "city"], ["--parameter", "a=1", "--parameter", "a=2"]] {
            let options = ["subscribers", "add", "--app", "ios", "--token", Self.token, "--user-key", "a"]
            #expect(try await workspace.run(options + parameter).status == 2, "\(parameter)")
        }
        let malformed = try await Self.add(workspace, "--token", "nonsense", "--user-key", "anna")
        #expect(malformed.status == 3 && !malformed.errors.contains("nonsense"))
        let absent = ["subscribers", "add", "--app", "none", "--token", Self.token, "--user-key", "a"]
        #expect(try await workspace.run(absent).status == 3)
        #expect(try await workspace.run("subscribers", "list").status == 2)
        #expect(try await workspace.run("subscribers", "list", "--app", "none").status == 3)
        let empty = try await workspace.succeed("subscribers", "list", "--app", "ios")
        #expect(empty.output == "there is no such subscriber\n")
        #expect(try await workspace.succeed("subscribers", "list", "--app", "ios", "--json").output == "[]\n")
    }
}
