import Foundation
import GRDB
import PushAPI
import PushConfig
import PushConnectors
import PushModel
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing
import pushmta

/// Tests with numbers in the store that the product never wrote. The code that reads these numbers may refuse
/// them, but must not end the process.
struct DamagedFiguresTests {
    private static let extremes: [Int64] = [.min, .max, -1, 0]

    /// Creates a delivery whose messages were refused and whose verdicts wait in a storm, and another
    /// delivery that has begun.
    private func workspace() async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(20))
        try await workspace.storm()
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        _ = try workspace.openStore().preparation.prepareChunk(of: DeliveryID(rawValue: 2), at: Workspace.now)
        return workspace
    }

    private func alter(_ workspace: Workspace) throws -> DatabaseQueue {
        let queue = try StoreFile.open(workspace.path("var/pushmta.db")) { $0.foreignKeysEnabled = false }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA ignore_check_constraints = 1") }
        return queue
    }

    @Test(arguments: ["delivery", "tally", "account_trust", "app", "subscription"])
    func `no value in the numeric columns of a row crashes a command that reads it`(table: String)
        async throws
    {
        let workspace = try await workspace()
        let mark = try await workspace.account(of: "ios")
        let store = try alter(workspace)
        let configuration = try ConfigurationFile.load(
            path: workspace.path("serverConf.xml"), schema: ConnectorCatalogue.settings)
        let operations = Operations(
            configuration: configuration, store: try workspace.openStore(), engine: NoEngine(mark: mark),
            clock: OperationsClock(moment: { Workspace.now }, monotonic: { MonotonicTime(nanoseconds: 0) }),
            caller: "a test")
        let columns = try await store.read { db in
            try Row.fetchAll(db, sql: "SELECT name FROM pragma_table_info('\(table)') WHERE type = 'INTEGER'")
                .map { $0["name"] as String }
        }
        #expect(columns.count >= 4)
        let sound = Self.readEverything(operations)
        #expect(sound == Self.commands)
        try await store.writeWithoutTransaction {
            try $0.execute(sql: "CREATE TEMP TABLE kept AS SELECT * FROM \(table)")
        }
        var answered = 0
        for column in columns {
            for value in Self.extremes {
                try await store.writeWithoutTransaction { db in
                    try db.execute(sql: "UPDATE OR IGNORE \(table) SET \(column) = \(value)")
                }
                answered += Self.readEverything(operations)
                try await store.writeWithoutTransaction { db in
                    try db.execute(sql: "DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM kept")
                }
            }
        }
        // Most commands do not read most of the damaged values.
        #expect(answered > columns.count * Self.extremes.count * Self.commands / 3)
        #expect(Self.readEverything(operations) == Self.commands)
    }

    private static let commands = 11

    /// - Returns: The number of operations that answered.
    private static func readEverything(_ operations: Operations) -> Int {
        var answered = 0
        func run(_ body: () throws -> Void) {
            do {
                try body()
                answered += 1
            } catch {
                // A refusal counts as an answer too. A crash would end the tests.
            }
        }
        run {
            let list = try operations.carryOut(ListDeliveries()).items
            _ = DeliveryView.table(list).lines + list.flatMap { $0.fields.map(\.value) }
            _ = try JSONValue(encoding: list).text
        }
        run {
            let status = try operations.carryOut(ShowStatus())
            _ = status.lines
            _ = try JSONValue(encoding: status).text
        }
        for id in [1, 2] as [Int64] {
            let id = DeliveryID(rawValue: id)
            run {
                let shown = try operations.carryOut(ShowDelivery(id: id, countsDuplicates: true))
                _ = shown.fields.map(\.value)
                _ = try JSONValue(encoding: shown).text
            }
            run { try ReadDeliveryLog(id: id).perform(in: operations) { _ = MessageLogRow.csv($0) } }
            run {
                try ReadDeliveryLog(id: id, userKey: "user7").perform(in: operations) {
                    _ = MessageLogRow.csv($0)
                }
            }
        }
        run {
            let explanation = try operations.carryOut(ExplainApp(app: "ios"))
            _ = explanation.lines
            _ = try JSONValue(encoding: explanation).text
        }
        run {
            let storms = try operations.carryOut(ShowStorms())
            _ = storms.flatMap(\.lines)
            _ = try JSONValue(encoding: storms).text
        }
        run { _ = try operations.carryOut(CountSubscribers()) }
        return answered
    }

    @Test func `an impossible count is marked and hides no other count, and a recount fixes it`() async throws
    {
        let workspace = try await workspace()
        let store = try alter(workspace)
        try await store.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    UPDATE tally SET count = 9223372036854775807 WHERE delivery_id = 1;
                    INSERT INTO tally SELECT 1, app_id, state, cause, 1, count FROM tally WHERE delivery_id = 1
                    """)
        }
        let list = try await workspace.succeed("delivery", "list").outputLines
        #expect(list[1].contains("inProgress") && list[2].contains("DAMAGED"), "\(list)")
        let rows = try #require(
            try await workspace.succeed("delivery", "list", "--json").json() as? [[String: Any]])
        #expect(rows[0]["damage"] == nil && rows[1]["damage"] is String)
        #expect(try await workspace.run("status").output.contains("inProgress"))
        let shown = try await workspace.succeed("delivery", "show", "1").output
        #expect(shown.contains("DAMAGED") && shown.contains("pushmta delivery recount 1"))
        let retried = try await workspace.run("delivery", "retry-failed", "1")
        #expect(
            retried.status != 0 && retried.errors.contains("first recount it: 'pushmta delivery recount'"),
            "\(retried.errors)")
        let recounted = try await workspace.succeed("delivery", "recount", "1").output
        #expect(recounted.contains("delivery 1 is finished"))
        #expect(try await !workspace.succeed("delivery", "show", "1").output.contains("DAMAGED"))
    }
}

/// An engine without a master, in which the app's account is the account under which its answers are stored.
private struct NoEngine: SendingEngine {
    let mark: AccountKey
    var isRunning: Bool { false }
    func status() throws -> MasterStatus? { nil }
    func wakeUp() {}
    func withdraw(_ delivery: DeliveryID) throws -> Int? { nil }
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut { .notTaken }
    func gateway(of connector: ConnectorName) throws -> GatewayOrder { GatewayOrder() }
    func account(of app: App) throws -> SendingAccount {
        let part = AccountKey(rawValue: "").part(of: app)
        let whole = mark.rawValue.dropLast(part.rawValue.count)
        return SendingAccount(
            name: "stub", mark: AccountKey(rawValue: String(whole)),
            order: AccountOrder(
                account: 1, connector: app.settings.connector, environment: app.settings.environment,
                credential: OpaqueCredential(bytes: []), gateway: GatewayOrder()))
    }
}
