import Foundation
import Testing

struct QuarantineAddTests {
    private static let token = String(repeating: "0", count: 63) + "2"

    private static func add(
        _ workspace: Workspace, _ token: String = token, app: String = "ios", reason: String = "a test device"
    ) async throws -> Finished {
        try await workspace.run(
            "quarantine", "add", "--app", app, "--token", token, "--reason", reason)
    }

    private static func workspace() async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        return workspace
    }

    @Test func `a device is quarantined, listed, counted and released`() async throws {
        let workspace = try await Self.workspace()
        let added = try await Self.add(workspace)
        #expect(added.status == 0 && added.output == "1 device quarantined\n", "\(added.errors)")
        let again = try await Self.add(workspace, reason: "another")
        #expect(again.status == 0)
        #expect(again.output == "the device was quarantined already; nothing changed\n")
        let list = try await workspace.succeed("quarantine", "list")
        #expect(list.outputLines.count == 2)
        #expect(list.output.contains("operator") && list.output.contains("a test device"))
        let count = try await workspace.succeed("subscribers", "count", "--app", "ios")
        #expect(count.output == "2 valid, 1 quarantined, 0 disabled\n")
        let audit = try await workspace.succeed("audit").output
        #expect(audit.contains("one device of app ios: a test device") && !audit.contains(Self.token))
        try await workspace.succeed("quarantine", "release", "--app", "ios", "--token", Self.token)
        #expect(
            try await workspace.succeed("quarantine", "list").output == "no subscriber is in quarantine\n")
    }

    @Test func `the running master quarantines a device, and the entry remains after a restart`() async throws
    {
        let workspace = try await Self.workspace()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving ")
            #expect(try await Self.add(workspace).status == 0)
        }
        #expect(try await workspace.succeed("quarantine", "list").output.contains("a test device"))
    }

    @Test func `invalid input is refused, and the error does not repeat the token`() async throws {
        let workspace = try await Self.workspace()
        let malformed = try await Self.add(workspace, "nonsense")
        #expect(malformed.status == 3 && malformed.errors.contains("token: must be an even number of hex"))
        #expect(!malformed.errors.contains("nonsense"))
        #expect(try await Self.add(workspace, app: "none").status == 3)
        #expect(try await Self.add(workspace, String(repeating: "f", count: 64)).status == 1)
        #expect(try await Self.add(workspace, reason: "").status == 3)
        #expect(try await Self.add(workspace, reason: "token \(Self.token)").status == 3)
        #expect(try await workspace.run("quarantine", "add", "--app", "ios", "--token", "aa").status == 2)
    }
}
