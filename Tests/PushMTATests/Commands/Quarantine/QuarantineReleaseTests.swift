import Foundation
import Testing

struct QuarantineReleaseTests {
    private static func workspace(_ count: Int = 4) async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(count))
        try await workspace.quarantineEverybody()
        return workspace
    }

    private static func release(_ workspace: Workspace, _ options: String...) async throws -> Finished {
        try await workspace.run(["quarantine", "release", "--app", "ios"] + options)
    }

    private static func count(_ workspace: Workspace) async throws -> String {
        try await workspace.succeed("subscribers", "count", "--app", "ios").output
    }

    @Test func `devices are released by token, by user key, or all at once for an app`() async throws {
        let workspace = try await Self.workspace()
        #expect(try await Self.count(workspace) == "0 valid, 4 quarantined, 0 disabled\n")
        // Apple's documentation writes tokens in upper case.
        let token = String(repeating: "0", count: 63) + "A"
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: "registrationToken,userKey\n\(token),ten\n")
        try await workspace.quarantineEverybody()
        #expect(try await Self.release(workspace, "--token", token).status == 0)
        #expect(try await Self.count(workspace) == "1 valid, 4 quarantined, 0 disabled\n")

        let one = try await Self.release(workspace, "--user-key", "user2")
        #expect(one.status == 0)
        #expect(one.output == "1 subscriber released, errors of 0 more forgotten\n")
        let rest = try await Self.release(workspace, "--all", "--yes")
        #expect(rest.output == "3 subscribers released, errors of 0 more forgotten\n")
        #expect(try await Self.count(workspace) == "5\n")
    }

    @Test func `the exit status shows that no device was released`() async throws {
        let workspace = try await Self.workspace()
        #expect(try await Self.release(workspace, "--token", "abcd").status == 1)
        #expect(try await Self.release(workspace, "--user-key", "nobody").status == 1)
        #expect(try await Self.release(workspace, "--all", "--yes").status == 0)
        let again = try await Self.release(workspace, "--all", "--yes")
        #expect(again.status == 1 && again.output.hasPrefix("nothing was released: no subscriber "))
    }

    @Test func `release requires --yes for all devices, and requires exactly one selection`() async throws {
        let workspace = try await Self.workspace()
        let unasked = try await Self.release(workspace, "--all")
        #expect(unasked.status == 3)
        #expect(unasked.errors.contains("--yes"))
        #expect(try await Self.release(workspace).status == 2)
        #expect(try await Self.release(workspace, "--all", "--user-key", "user1").status == 2)
        #expect(try await Self.release(workspace, "--yes", "--user-key", "user1").status == 2)
        #expect(try await Self.count(workspace) == "0 valid, 4 quarantined, 0 disabled\n")
    }

    @Test func `release also works for more devices than fit into one transaction`() async throws {
        let workspace = try await Self.workspace(2_300)
        let rest = try await Self.release(workspace, "--all", "--yes")
        #expect(rest.output == "2 300 subscribers released, errors of 0 more forgotten\n")
        #expect(try await Self.count(workspace) == "2300\n")
    }
}
