import Foundation
import GRDB
import TestSupport
import Testing

/// Made by the release before parts carried their messages: one delivery that ended, one with messages in
/// each state.
struct AStoreOfTheReleaseBefore {
    private static let files = "store-of-version-8"

    private func workplace(multiply count: Int = 0) throws -> Workplace {
        let workplace = try Workplace()
        let hex = try String(
            contentsOfFile: Workplace.fixture("\(Self.files)/instance.key.hex"), encoding: .utf8)
        let digits = Array(hex.filter(\.isHexDigit))
        let key = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        try workplace.write(Data(key), to: "var/instance.key")
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        try FileManager.default.setAttributes(attributes, ofItemAtPath: workplace.path("var/instance.key"))
        let store = try StoreFile.open(workplace.path("var/pushmta.db"))
        try store.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA application_id = \(0x504D_5441)")
            try db.execute(
                sql: try String(contentsOfFile: Workplace.fixture("\(Self.files)/store.sql"), encoding: .utf8)
            )
            if count > 0 { try db.execute(sql: Self.copies(count)) }
        }
        try store.close()
        return workplace
    }

    /// More deliveries like the second.
    private static func copies(_ count: Int) -> String {
        """
        CREATE TEMP TABLE n AS WITH RECURSIVE n (v) AS (VALUES (1) UNION ALL SELECT v + 1 FROM n WHERE v < \(count))
            SELECT v FROM n;
        CREATE TEMP TABLE d AS SELECT delivery.*, v FROM delivery, n WHERE id = 2;
        UPDATE d SET id = id + v;
        ALTER TABLE d DROP COLUMN v;
        INSERT INTO delivery SELECT * FROM d;
        INSERT INTO delivery_app SELECT delivery_id + v, app_id, revision_id FROM delivery_app, n WHERE delivery_id = 2;
        INSERT INTO delivery_content SELECT delivery_id + v, content FROM delivery_content, n WHERE delivery_id = 2;
        INSERT INTO part SELECT id + 10 * v, delivery_id + v, app_id, first_id + 1000 * v, last_id + 1000 * v,
            first_ordinal, open FROM part, n WHERE delivery_id = 2;
        INSERT INTO message SELECT id + 1000 * v, delivery_id + v, app_id, subscription_id, state, attempts, updated_at,
            due_at, failure_type, failure_reason, provider_reason, provider_id FROM message, n WHERE delivery_id = 2;
        """
    }

    @Test func `completion does not bring it up to date`() async throws {
        let workplace = try workplace()
        let store = workplace.folder.appending(path: "var/pushmta.db")
        let before = try Data(contentsOf: store)
        let finished = try await workplace.succeed(
            "---completion", "app", "show", "--", "positional@0", "3", "0", "pushmta", "app", "show", "")
        #expect(finished.output == "\n")
        #expect(try Data(contentsOf: store) == before)
    }

    @Test(arguments: [1, 2])
    func `its log is the same, ids included`(delivery: Int) async throws {
        let workplace = try workplace()
        let log = try await workplace.succeed("delivery", "log", "\(delivery)")
        let before = try String(
            contentsOfFile: Workplace.fixture("\(Self.files)/log-\(delivery).csv"), encoding: .utf8)
        #expect(log.output == before.replacing("registrationToken", with: "token"))
    }

    @Test func `what could not be read of it is named by recount and log, not forgotten`() async throws {
        let workplace = try workplace()
        let store = try StoreFile.open(workplace.path("var/pushmta.db"))
        try await store.writeWithoutTransaction { db in
            try db.execute(
                sql:
                    "UPDATE message SET state = 99 WHERE id = (SELECT min(first_id) FROM part WHERE delivery_id = 2)"
            )
        }
        try store.close()
        for _ in 0..<2 {
            let recounted = try await workplace.run("delivery", "recount", "2")
            #expect(recounted.status == 1)
            #expect(recounted.output.contains("still held: part ") && !recounted.output.contains("goes on"))
        }
        let shown = try await workplace.succeed("delivery", "show", "2")
        #expect(shown.output.contains("of an earlier version cannot be read"))
        let log = try await workplace.run("delivery", "log", "2")
        #expect(log.status == 1 && log.errors.contains("the log of delivery 2 is not whole"))
        #expect(log.errors.split(separator: "\n").count == 1)
        #expect(try await workplace.run("status").output.contains("held since 1970") == false)
        _ = try await workplace.succeed("delivery", "log", "1")
    }

    @Test func `who opens it while another process brings it up to date waits, and the master too`()
        async throws
    {
        let workplace = try workplace(multiply: 20)
        let file = unsafe open(workplace.path("var/pushmta.db"), O_RDWR)
        defer { close(file) }
        // As a process that migrates has it: F_OFD_SETLK.
        var turn = flock()
        turn.l_type = Int16(F_WRLCK)
        turn.l_whence = Int16(SEEK_SET)
        turn.l_start = 1 << 62 + 1
        turn.l_len = 1
        try #require(unsafe fcntl(file, 37, &turn) == 0)
        let said = (0..<3).map { workplace.path("said-\($0)") }
        let commands = try said.map { try workplace.start(["delivery", "list"], errors: $0) }
        let master = try workplace.start(["run"], errors: workplace.path("said-by-run"))
        let line = "another process brings the store up to date"
        for file in said + [workplace.path("said-by-run")] {
            try await eventually("\(file) says that it waits") {
                (try? String(contentsOfFile: file, encoding: .utf8))?.contains(line) == true
            }
        }
        turn.l_type = Int16(F_UNLCK)
        try #require(unsafe fcntl(file, 37, &turn) == 0)
        for (command, file) in zip(commands, said) {
            #expect(try await command.finished().status == 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == 1)
        }
        try await eventually("the master serves") { try await workplace.run("status").status == 0 }
        #expect(try await workplace.run("status").status == 0)
        master.signal(SIGTERM)
        #expect(try await master.finished().status == 0)
    }

    @Test func `of several processes that open it at once none fails`() async throws {
        let workplace = try workplace(multiply: 60)
        let commands = try (0..<5).map { _ in try workplace.start(["delivery", "list"]) }
        for command in commands {
            let ended = try await command.finished()
            #expect(ended.status == 0, "\(ended.errors)")
        }
    }

    @Test func `what had failed can be sent again, what was under way ends`() async throws {
        let workplace = try workplace()
        _ = try await workplace.succeed("delivery", "retry-failed", "2")
        let shown = try await workplace.succeed("delivery", "show", "2")
        #expect(shown.output.contains("retrying    20") && shown.output.contains("failed      0"))
        let recounted = try await workplace.succeed("delivery", "recount", "2")
        #expect(recounted.status == 0)
    }

    @Test func `whoever kills it in mid-migration, the next one goes on`() async throws {
        let copies = 150
        let workplace = try workplace(multiply: copies)
        var kills = 0
        for milliseconds in stride(from: 20, through: 400, by: 20) {
            let command = try workplace.start(["delivery", "list"])
            // At any moment: what is tested is what a kill leaves, whenever it comes.
            try await Task.sleep(for: .milliseconds(milliseconds))
            command.signal(SIGKILL)
            let ended = try await command.finished()
            if ended.status == 0 { break }
            kills += 1
        }
        let shown = try await workplace.succeed("delivery", "show", "\(2 + copies)")
        for figure in [
            "targeted    50", "pending     10", "sent        10", "retrying    10", "failed      10",
        ] {
            #expect(shown.output.contains(figure), "after \(kills) kills")
        }
        let log = try await workplace.succeed("delivery", "log", "2")
        #expect(
            log.output
                == (try String(contentsOfFile: Workplace.fixture("\(Self.files)/log-2.csv"), encoding: .utf8)
                    .replacing("registrationToken", with: "token"))
        )
        for delivery in [3, 2 + copies] {
            _ = try await workplace.succeed("delivery", "recount", "\(delivery)")
        }
    }
}
