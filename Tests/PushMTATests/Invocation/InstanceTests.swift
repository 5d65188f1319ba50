import Foundation
import GRDB
import TestSupport
import Testing

/// Tests stores that a command must not touch.
struct InstanceTests {
    @Test func `a file that is not a store is left unchanged`() async throws {
        let workplace = try Workplace()
        try workplace.write("a letter", to: "var/pushmta.db")
        try await Self.expectFailure(workplace, naming: "not a PushMTA store")
        #expect(try workplace.text(of: "var/pushmta.db") == "a letter")
    }

    @Test func `a store of a newer version is left unchanged`() async throws {
        let workplace = try await Workplace.withApp()
        let database = try StoreFile.open(workplace.path("var/pushmta.db"))
        try await database.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('colder winters')")
        }
        try database.close()
        try await Self.expectFailure(workplace, naming: "newer version")
    }

    @Test func `a folder is not accepted as a store`() async throws {
        let workplace = try Workplace()
        try FileManager.default.createDirectory(
            atPath: workplace.path("var/pushmta.db"), withIntermediateDirectories: true)
        try await Self.expectFailure(workplace, naming: "pushmta.db")
    }

    @Test func `a store cannot be located below a file`() async throws {
        let workplace = try Workplace()
        try workplace.write("a letter", to: "var")
        try await Self.expectFailure(workplace, naming: "pushmta.db")
        #expect(try workplace.text(of: "var") == "a letter")
    }

    @Test func `a key that other users can read is not used`() async throws {
        let workplace = try await Workplace.withApp()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: workplace.path("var/instance.key"))
        let submit = try await workplace.run("delivery", "submit", "-", input: try Workplace.document())
        #expect(submit.status == 1)
        #expect(submit.errorLines.count == 1)
        #expect(submit.errors.contains("chmod 600"))
        let list = try await workplace.succeed("delivery", "list", "--json")
        #expect((try list.json() as? [Any])?.isEmpty == true)
    }

    @Test func `a lost key is reported and not replaced`() async throws {
        let workplace = try await Workplace.withApp()
        try FileManager.default.removeItem(atPath: workplace.path("var/instance.key"))
        let run = try await workplace.run("run")
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.contains("instance.key"))
        #expect(!workplace.exists("var/instance.key"))
    }

    /// Reading, writing and serving commands all report the same in one line.
    private static func expectFailure(_ workplace: Workplace, naming text: String) async throws {
        for command in [["service", "list"], ["service", "create", "other"], ["run"], ["status"]] {
            let finished = try await workplace.run(command)
            #expect(finished.status == 1)
            #expect(finished.output.isEmpty)
            #expect(finished.errorLines.count == 1, "\(finished.errors)")
            #expect(finished.errors.contains(text), "\(finished.errors)")
        }
    }
}
