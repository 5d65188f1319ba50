import Foundation
import GRDB
import TestSupport
import Testing

/// Tests stores that a command must not change.
struct InstanceTests {
    @Test func `a file that is not a store is left unchanged`() async throws {
        let workspace = try Workspace()
        try workspace.write("a letter", to: "var/pushmta.db")
        try await Self.expectFailure(workspace, naming: "not a PushMTA store")
        #expect(try workspace.text(of: "var/pushmta.db") == "a letter")
    }

    @Test func `a store from a newer version is left unchanged`() async throws {
        let workspace = try await Workspace.withApp()
        let database = try StoreFile.open(workspace.path("var/pushmta.db"))
        try await database.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('colder winters')")
        }
        try database.close()
        try await Self.expectFailure(workspace, naming: "newer version")
    }

    @Test func `a folder is not accepted as a store`() async throws {
        let workspace = try Workspace()
        try FileManager.default.createDirectory(
            atPath: workspace.path("var/pushmta.db"), withIntermediateDirectories: true)
        try await Self.expectFailure(workspace, naming: "pushmta.db")
    }

    @Test func `a path below a file is refused as a store`() async throws {
        let workspace = try Workspace()
        try workspace.write("a letter", to: "var")
        try await Self.expectFailure(workspace, naming: "pushmta.db")
        #expect(try workspace.text(of: "var") == "a letter")
    }

    @Test func `a key file that other users can read is not used`() async throws {
        let workspace = try await Workspace.withApp()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: workspace.path("var/instance.key"))
        let submit = try await workspace.run("delivery", "submit", "-", input: try Workspace.document())
        #expect(submit.status == 1)
        #expect(submit.errorLines.count == 1)
        #expect(submit.errors.contains("chmod 600"))
        let list = try await workspace.succeed("delivery", "list", "--json")
        #expect((try list.json() as? [Any])?.isEmpty == true)
    }

    @Test func `a lost key is reported and is not replaced`() async throws {
        let workspace = try await Workspace.withApp()
        try FileManager.default.removeItem(atPath: workspace.path("var/instance.key"))
        let run = try await workspace.run("run")
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.contains("instance.key"))
        #expect(!workspace.exists("var/instance.key"))
    }

    /// Commands that read, write or serve the store all report the same error in one line.
    private static func expectFailure(_ workspace: Workspace, naming text: String) async throws {
        for command in [["service", "list"], ["service", "create", "other"], ["run"], ["status"]] {
            let finished = try await workspace.run(command)
            #expect(finished.status == 1)
            #expect(finished.output.isEmpty)
            #expect(finished.errorLines.count == 1, "\(finished.errors)")
            #expect(finished.errors.contains(text), "\(finished.errors)")
        }
    }
}
