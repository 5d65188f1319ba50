import Foundation
import GRDB
import PushModel
import PushStore
import TestSupport
import Testing

struct PurgeTests {
    private static func ago(_ days: Int) -> WallMoment {
        WallMoment(millisecondsSince1970: Workspace.now.millisecondsSince1970 - Int64(days) * 86_400_000)
    }

    /// Creates a workplace with three subscribers and with deliveries to them that ended the given numbers of
    /// days ago.
    private func workspace(endedDaysAgo days: Int..., settings: String = "") async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        let text = try workspace.text(of: "serverConf.xml")
        try workspace.write(
            text.replacingOccurrences(of: "</serverConf>", with: "\(settings)</serverConf>"),
            to: "serverConf.xml")
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        for (index, days) in days.enumerated() {
            try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
            try workspace.settle(DeliveryID(rawValue: Int64(index + 1)), at: Self.ago(days))
        }
        return workspace
    }

    @Test
    func `messages are removed after their retention time, and the delivery's record shows their removal`()
        async throws
    {
        let workspace = try await workspace(endedDaysAgo: 31, 29)
        func fields(_ id: Int) async throws -> [String] {
            try await workspace.succeed("delivery", "show", "\(id)").outputLines
        }
        let before = try await fields(1)
        let dry = try await workspace.succeed("purge", "--dry-run")
        #expect(dry.output == "would remove 3 messages of 1 delivery\n")
        #expect(try await fields(1) == before)
        #expect(before.contains { $0.hasPrefix("messages") && $0.contains("kept until 20") })
        let purged = try await workspace.succeed("purge")
        #expect(purged.output == "removed 3 messages of 1 delivery\n" && purged.errors.isEmpty)
        #expect(
            try await workspace.succeed("purge").output
                == "nothing has been kept for longer than its retention time\n")
        let after = try await fields(1)
        #expect(after.contains { $0.hasPrefix("messages") && $0.contains("removed on 20") })
        #expect(after.filter { !$0.hasPrefix("messages") } == before.filter { !$0.hasPrefix("messages") })
        let list = try await workspace.succeed("delivery", "list").outputLines
        #expect(list.count == 3 && list.allSatisfy { !$0.contains("DAMAGED") })
        // A request for the removed messages is answered with the reason.
        let log = try await workspace.run("delivery", "log", "1")
        #expect(log.status == 1 && log.output.isEmpty && log.errorLines.count == 1)
        #expect(log.errors.contains("the messages of delivery 1 were removed on 20"))
        #expect(log.errors.contains("the counts of the delivery remain"))
        for verb in ["retry-failed", "recount"] {
            let refused = try await workspace.run("delivery", verb, "1")
            #expect(refused.status == 3 && refused.errors.contains("were removed on"), "\(refused.errors)")
        }
        #expect(try await workspace.succeed("delivery", "log", "2").outputLines.count == 4)
    }

    @Test
    func `purge leaves the size of the file unchanged, with more free space in the file, as its help states`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        try workspace.write((0..<20_000).map { "user\($0)\n" }.joined(), to: "keys")
        try await workspace.succeed(
            "delivery", "submit", "-", "--user-keys", "keys",
            input: try Workspace.document(["target": NSNull()]))
        try workspace.settle(DeliveryID(rawValue: 1), at: Self.ago(31))
        func size() async throws -> (bytes: Int, free: Int) {
            let status = try await workspace.run("status", "--json").json() as? [String: Any]
            let size = try #require(status?["size"] as? [String: Any])
            return (try #require(size["bytes"] as? Int), try #require(size["freeBytes"] as? Int))
        }
        let before = try await size()
        try await workspace.succeed("purge")
        let after = try await size()
        #expect(after.bytes == before.bytes && after.free > before.free, "\(before) \(after)")
        let help = try await workspace.succeed("purge", "--help").output.split { $0.isWhitespace }
        #expect(help.joined(separator: " ").contains("frees no space on the disk"))
        #expect(help.joined(separator: " ").contains("smaller, copy the store: 'pushmta store copy'"))
    }

    @Test
    func `purge with fewer days than configured removes more, except from a delivery with its own retention`()
        async throws
    {
        let workspace = try await workspace(endedDaysAgo: 10, 5, settings: #"<nmac retentionDays="0"/>"#)
        let own = try Workspace.document(["schedule": ["retentionDays": 100]])
        try await workspace.succeed("delivery", "submit", "-", input: own)
        try workspace.settle(DeliveryID(rawValue: 3), at: Self.ago(50))
        #expect(try await workspace.succeed("purge").output.hasPrefix("nothing"))
        #expect(try await workspace.succeed("delivery", "show", "1").output.contains("kept forever"))
        let json = try await workspace.succeed("delivery", "show", "3", "--json").json() as? [String: Any]
        #expect(json?["retentionDays"] as? Int == 100 && json?["messagesKeptUntil"] is String)
        #expect(json?["messagesRemovedAt"] is NSNull)
        let unasked = try await workspace.run("purge", "--older-than", "7")
        #expect(unasked.status == 3 && unasked.errors.contains("--yes"))
        let purged = try await workspace.succeed("purge", "--older-than", "7", "--yes", "--json").json()
        let members = try #require(purged as? [String: Any])
        #expect(
            Set(members.keys) == [
                "dryRun", "deliveries", "messages", "subscribers", "verdicts", "userKeys", "retentionDays",
            ])
        #expect(members["deliveries"] as? Int == 1 && members["messages"] as? Int == 3)
        #expect(members["retentionDays"] as? Int == 7)
    }

    @Test func `a subscriber whose token has been in quarantine for a long time is removed too`() async throws
    {
        let workspace = try await workspace(settings: #"<nmac><quarantine purgeDelay="2d"/></nmac>"#)
        let store = try workspace.openStore()
        let app = try #require(try store.catalogue.apps().first)
        let token = try #require(try store.subscribers.page(of: app.id).records.first?.token)
        let now = WallMoment(Workspace.now.time.advanced(bySeconds: 60))
        let step = try store.feedback.apply([(token, now.time)], to: app.id, at: now)
        #expect(step.findings.map(\.result) == [.disabled])
        let file = try StoreFile.open(workspace.path("var/pushmta.db"))
        try await file.writeWithoutTransaction {
            try $0.execute(sql: "UPDATE quarantine SET since = since - 3 * 86400")
        }
        try file.close()
        #expect(
            try await workspace.succeed("purge", "--dry-run").output.hasPrefix(
                "would remove 1 subscriber whose"))
        #expect(try await workspace.succeed("purge").output.hasPrefix("removed 1 subscriber whose"))
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "2\n")
    }

    @Test func `a running master purges automatically and reports the removal`() async throws {
        let workspace = try await workspace(endedDaysAgo: 31)
        try await workspace.withMaster { master in
            try await master.waitForOutput("removed after the retention period: 3 messages of 1 delivery")
        }
        #expect(try await workspace.run("delivery", "log", "1").status == 1)
    }

    @Test(arguments: [["--older-than", "0"], ["--older-than", "x"], ["--older-than", "3651"], ["extra"]])
    func `invalid arguments are wrong usage`(arguments: [String]) async throws {
        let finished = try await Workspace().run(["purge"] + arguments)
        #expect(finished.status == 2)
    }
}
