import Foundation
import Glibc
import PushModel
import PushStore
import Testing

struct BackupTests {
    /// A workplace with one delivery that has ended and one that has not.
    private func workspace() async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(5))
        for _ in 1...2 {
            try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        }
        try workspace.settle(DeliveryID(rawValue: 1))
        return workspace
    }

    @Test
    func `a backup is taken while a master is running, and a restored backup contains unfinished deliveries`()
        async throws
    {
        let workspace = try await workspace()
        let made = try await workspace.succeed("backup", "b.db")
        #expect(
            made.outputLines.count == 1 && made.output.hasSuffix(" in b.db and its key b.db.key\n")
                && made.errors.isEmpty)
        let again = try await workspace.run("backup", "b.db")
        #expect(again.status == 3 && again.errors.contains("--force") && again.errorLines.count == 1)
        try await workspace.withMaster { master in
            try await master.waitForOutput("delivery 2 is finished")
            let json = try await workspace.succeed("backup", "second.db", "--without-key", "--json").json()
            let members = try #require(json as? [String: Any])
            #expect(Set(members.keys) == ["file", "keyFile", "bytes", "milliseconds"])
            #expect(members["keyFile"] is NSNull && !workspace.exists("second.db.key"))
            let served = try await workspace.run("restore", "b.db", "--force")
            #expect(served.status == 3 && served.errors.contains("is served by a master"), "\(served.errors)")
            // The service must be stopped first; --force alone would not help.
            let plain = try await workspace.run("restore", "b.db")
            #expect(plain.status == 3 && plain.errors.contains("is served by a master"), "\(plain.errors)")
        }
        let there = try await workspace.run("restore", "b.db")
        #expect(there.status == 3 && there.errors.contains("--force"))
        let log = try await workspace.succeed("delivery", "log", "1").output
        let restored = try await workspace.succeed("restore", "b.db", "--force")
        #expect(restored.output.contains("1 delivery is held: 'pushmta delivery release' releases it"))
        #expect(restored.output.contains("the previous store is "))
        #expect(try await workspace.succeed("delivery", "log", "1").output == log)
        let status = try await workspace.run("status")
        #expect(
            status.outputLines.contains {
                $0.hasPrefix("HELD: delivery 2 is held since ") && $0.contains("delivery release")
            })
        #expect(try await workspace.succeed("delivery", "list").outputLines[1].contains("HELD"))
        let row = status.outputLines.first { $0.trimmingCharacters(in: .whitespaces).hasPrefix("2 ") }
        #expect(row?.contains("HELD") == true, "\(status.output)")
        let shown = try await workspace.succeed("delivery", "show", "2").outputLines
        #expect(shown.contains { $0.hasPrefix("HELD") && $0.contains("'pushmta delivery release 2'") })
        #expect(shown.contains { $0.hasPrefix("state ") && $0.hasSuffix(" HELD") })
        let resumed = try await workspace.run("delivery", "resume", "2")
        #expect(resumed.status == 3 && resumed.errorLines.count == 1)
        #expect(resumed.errors.contains("is HELD") && resumed.errors.contains("'pushmta delivery release 2'"))
        let recounted = try await workspace.run("delivery", "recount", "2")
        #expect(recounted.status == 1 && recounted.output.contains("release the delivery to let it continue"))
        try await workspace.withMaster { master in
            try await master.waitForOutput(
                "deliveries that had not ended by the time of the backup are held (1)")
            let check = try await workspace.run("status", "--check")
            #expect(check.status == 4 && check.outputLines.count == 1)
            #expect(
                check.output.contains("1 delivery has been HELD") && check.output.contains("delivery release")
            )
            let json = try await workspace.run("status", "--json").json() as? [String: Any]
            let deliveries = try #require(json?["deliveries"] as? [[String: Any]])
            #expect(deliveries.map { $0["held"] is String } == [true])
            #expect(
                try await workspace.succeed("delivery", "release", "2").output == "1 delivery continues\n")
            try await master.waitForOutput("delivery 2 is finished")
            #expect(try await workspace.run("status", "--check").status == 0)
        }
        #expect(
            try await workspace.succeed("delivery", "show", "2").outputLines.contains {
                $0.hasSuffix("finished")
            })
    }

    @Test func `a restore to an empty location includes the key`() async throws {
        let workspace = try await workspace()
        try await workspace.succeed("backup", "b.db")
        try workspace.write(Workspace.configuration(store: "new/pushmta.db"), to: "new.xml")
        let json = try await workspace.succeed("--config", "new.xml", "restore", "b.db", "--json").json()
        let members = try #require(json as? [String: Any])
        #expect(
            Set(members.keys) == ["store", "takenAt", "held", "replaced"] && members["held"] as? Int == 1)
        _ = try await workspace.succeed("--config", "new.xml", "app", "show", "ios")
        let trails = [
            try await workspace.succeed("audit", "--limit", "1"),
            try await workspace.succeed("--config", "new.xml", "audit", "--limit", "1"),
        ].map { $0.outputLines.last ?? "" }
        for (line, action) in zip(trails, ["store.backup", "store.restore"]) {
            #expect(line.contains("(command)") && line.hasSuffix("\(action)  b.db"), "\(line)")
        }
        let released = try await workspace.succeed(
            "--config", "new.xml", "delivery", "release", "--all", "--json"
        ).json()
        #expect((released as? [String: Any])?["released"] as? Int == 1)
        let again = try await workspace.succeed("--config", "new.xml", "delivery", "release", "--all")
        #expect(
            again.output == "no delivery was on hold because of a restored backup; nothing was changed\n")
        #expect(again.errors.isEmpty)
        let two = try await workspace.run("--config", "new.xml", "delivery", "release", "2")
        #expect(two.status == 3 && two.errors.contains("is not held"))
    }

    private static let wrong: [([String], Int32)] = [
        (["backup"], 2), (["restore"], 2), (["delivery", "release"], 2),
        (["delivery", "release", "1", "--all"], 2),
        (["restore", "absent.db"], 1), (["delivery", "release", "9"], 3), (["backup", "absent/b.db"], 1),
    ]

    @Test(arguments: wrong)
    func `an impossible request for a backup or restore is refused in one line`(
        arguments: [String], status: Int32
    ) async throws {
        let workspace = try Workspace()
        let finished = try await workspace.run(arguments)
        #expect(finished.status == status && finished.output.isEmpty, "\(finished.errors)")
        if status != 2 { #expect(finished.errorLines.count == 1) }
    }

    @Test func `a backup to a full disk is reported as failed and leaves no file`() async throws {
        let workspace = try await workspace()
        let started = try workspace.start(["backup", "b.db"], limits: "-f 64")
        let finished = try await started.finished()
        #expect(finished.status == 1 && finished.errorLines.count == 1, "\(finished.errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: workspace.path("."))
        #expect(left.filter { $0.hasPrefix("b.db") } == [])
    }

    @Test func `a damaged backup is refused in one line, and so is a pipe in place of a backup`() async throws
    {
        let workspace = try await workspace()
        try await workspace.succeed("backup", "b.db")
        let handle = try FileHandle(forUpdating: URL(filePath: workspace.path("b.db")))
        try handle.seek(toOffset: handle.seekToEnd() / 2)
        try handle.write(contentsOf: Data("damage".utf8))
        try handle.close()
        let damaged = try await workspace.run("restore", "b.db", "--force")
        #expect(damaged.status == 3 && damaged.errors.contains("b.db is damaged: "), "\(damaged.errors)")
        #expect(unsafe mkfifo(workspace.path("pipe"), 0o600) == 0)
        let pipe = try await workspace.run("restore", "pipe", "--force")
        #expect(pipe.status == 1 && pipe.errors.contains("is not a file"), "\(pipe.errors)")
        #expect(damaged.errorLines.count == 1 && pipe.errorLines.count == 1)
        #expect(!workspace.exists("var/pushmta.db.replaced"))
        _ = try await workspace.succeed("delivery", "show", "1")
    }

    @Test func `status shows the size of the store`() async throws {
        let workspace = try await workspace()
        let status = try await workspace.run("status")
        #expect(status.outputLines.contains { $0.hasPrefix("size ") && $0.contains(" free") })
        #expect(
            status.outputLines.contains {
                $0.hasPrefix("growth ") && $0.hasSuffix(" for a million more messages")
            })
        let json = try await workspace.run("status", "--json").json() as? [String: Any]
        let size = try #require(json?["size"] as? [String: Any])
        #expect(
            Set(size.keys) == ["bytes", "freeBytes", "diskFreeBytes", "logBytes", "bytesPerMillionMessages"])
        #expect(size["bytes"] as? Int ?? 0 > 0)
    }
}
