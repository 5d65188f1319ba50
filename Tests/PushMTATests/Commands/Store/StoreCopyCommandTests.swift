import Foundation
import PushModel
import PushStore
import TestSupport
import Testing

struct StoreCopyCommandTests {
    /// A workplace with a store, and a second configuration that names the destination of the copy.
    private func workspace(_ subscribers: Int = 50) async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(subscribers))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let store = try workspace.openStore()
        while try !store.preparation.prepareChunk(of: DeliveryID(rawValue: 1), at: Workspace.now).isComplete {
        }
        try workspace.write(Workspace.configuration(store: "new/pushmta.db"), to: "new.xml")
        return workspace
    }

    @Test func `a store is copied together with its key, and one line states what was compared`() async throws
    {
        let workspace = try await workspace()
        let copied = try await workspace.succeed("store", "copy", "--to", "new.xml")
        #expect(copied.outputLines.count == 1 && copied.errors.isEmpty)
        #expect(copied.output.contains("53 tables counted and 1 deliveries recounted: all match the source"))
        #expect(copied.output.contains("var/pushmta.db to ") && copied.output.contains("new/pushmta.db in "))
        let (before, after) = (
            try await workspace.succeed("delivery", "log", "1"),
            try await workspace.succeed("--config", "new.xml", "delivery", "log", "1")
        )
        #expect(before.output == after.output && before.outputLines.count == 51)
        // The app's credential can be decrypted.
        _ = try await workspace.succeed("--config", "new.xml", "app", "show", "ios")
        let (key, copy) = (workspace.path("var/instance.key"), workspace.path("new/instance.key"))
        #expect(try Data(contentsOf: URL(filePath: key)) == Data(contentsOf: URL(filePath: copy)))
        for file in ["new/instance.key", "new/pushmta.db"] {
            let rights =
                try FileManager.default.attributesOfItem(atPath: workspace.path(file))[.posixPermissions]
                as? Int
            #expect(rights == 0o600)
        }
    }

    @Test func `the figures are also available as JSON`() async throws {
        let workspace = try await workspace()
        let json = try await workspace.succeed("store", "copy", "--to", "new.xml", "--json").json()
        let report = try #require(json as? [String: Any])
        #expect(
            Set(report.keys) == [
                "from", "to", "rows", "tables", "deliveries", "milliseconds",
            ])
        let tables = try #require(report["tables"] as? [String: Int])
        #expect(tables["subscription"] == 50 && tables.values.reduce(0, +) == report["rows"] as? Int)
    }

    @Test func `an impossible copy is refused with one line, and nothing is created`() async throws {
        let workspace = try await workspace()
        func refused(_ arguments: [String], _ words: String...) async throws {
            let ended = try await workspace.run(["store", "copy"] + arguments)
            #expect(ended.status == 3 && ended.errorLines.count == 1 && ended.output.isEmpty, "\(arguments)")
            for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
        }
        try await refused(["--to", "serverConf.xml"], "to itself")
        try await refused(
            ["--config", "new.xml", "--to", "serverConf.xml"], "there is no store at", "new/pushmta.db")
        #expect(!workspace.exists("new"))
        let absent = try await workspace.run("store", "copy", "--to", "absent.xml")
        #expect(absent.status == 1 && absent.errorLines.count == 1 && absent.errors.contains("absent.xml"))
        try await workspace.withMaster { run in
            try await run.waitForOutput("serving")
            try await refused(["--to", "new.xml"], "var/pushmta.db is served by a master")
            #expect(!workspace.exists("new"))
            // Copying into a store that a master serves is refused too.
            try workspace.write(Workspace.configuration(store: "other/pushmta.db"), to: "other.xml")
            try await workspace.succeed("--config", "other.xml", "service", "list")
            try await refused(
                ["--config", "other.xml", "--to", "serverConf.xml"], "var/pushmta.db is served by a master")
        }
        try await workspace.succeed("store", "copy", "--to", "new.xml")
        try await refused(["--to", "new.xml"], "new/pushmta.db is already in use")
    }

    @Test func `a copy that is killed at any moment leaves no store behind, and the next copy succeeds`()
        async throws
    {
        let workspace = try await workspace(20_000)
        var (kills, unfinished) = (0, 0)
        // Each kill comes later than the previous one until the copy ends, so early and late stages are
        // covered equally, however long the copy takes. If the copy ended before there were enough kills
        // because the machine was busy, the series starts again.
        var milliseconds = 2.0
        let end = ContinuousClock.now + Patience.limit
        while ContinuousClock.now < end {
            defer { milliseconds *= 1.2 }
            let command = try workspace.start(["store", "copy", "--to", "new.xml"])
            // The kill comes at an arbitrary moment: the test checks what it leaves behind, whenever it
            // comes.
            try await Task.sleep(for: .milliseconds(milliseconds))
            command.signal(SIGKILL)
            let ended = try await command.finished()
            // The previous kill came between the copy's last step and the end of its process.
            #expect(ended.status != 3 || ended.errors.contains("new/pushmta.db is already in use"))
            if ended.status == 0 || ended.status == 3 {
                if kills >= 3, unfinished >= 2 { break }
                try FileManager.default.removeItem(atPath: workspace.path("new"))
                milliseconds = 1
                continue
            }
            kills += 1
            guard workspace.exists("new/pushmta.db") else { continue }
            let tried = try await workspace.run("--config", "new.xml", "delivery", "list")
            if tried.errors.contains("is an unfinished copy; run 'pushmta store copy' again") {
                #expect(tried.status == 1 && tried.errorLines.count == 1)
                unfinished += 1
            }
        }
        #expect(kills >= 3 && unfinished >= 2)
        let log = try await workspace.succeed("--config", "new.xml", "delivery", "log", "1")
        #expect(log.output == (try await workspace.succeed("delivery", "log", "1")).output)
        #expect(log.outputLines.count == 20_001)
        try await workspace.succeed("--config", "new.xml", "delivery", "recount", "1")
    }
}
