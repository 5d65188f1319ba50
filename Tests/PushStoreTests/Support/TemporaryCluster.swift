import Foundation
import PushStore
import Synchronization
import TestSupport
import Testing
import pushload

/// A PostgreSQL server for tests of the store, with databases that are copies of a template.
final class TemporaryCluster: Sendable {
    /// A server for all tests of this process that do not damage it; `nil` if PostgreSQL is not installed on
    /// this machine.
    static let shared: TemporaryCluster? = {
        do { return try TemporaryCluster() } catch {
            print("◇ tests on PostgreSQL do not run: \(error)")
            return nil
        }
    }()

    private let owner: TemporaryDatabaseServer
    private var server: DatabaseServer { owner.server }
    /// Copies that have not been used yet, and copies that are no longer needed. Several copies are created
    /// and dropped in one step, because each call starts a program, and the first drop waits until all
    /// written data is on disk.
    private let copies = Mutex<(unused: [String], used: [String])>(([], []))
    private static let madeAtOnce = 8
    private static let droppedAtOnce = 32

    init() throws {
        owner = try TemporaryDatabaseServer(below: FileManager.default.temporaryDirectory.path)
    }

    /// Ends every connection, as a crash does, and recovers.
    func restart() throws { try server.restart(.immediate) }
    func stop() throws { try server.stop(.immediate) }
    func start() throws { try server.start() }

    // MARK: Databases

    private func newName() -> String { owner.newName() }

    func makeDatabase(encoding: String? = nil) throws -> PostgreSQLServer {
        let name = newName()
        try server.query(
            "CREATE DATABASE \(name)" + (encoding.map { " ENCODING '\($0)' TEMPLATE template0" } ?? ""))
        return address(of: name)
    }

    /// Creates a copy that was dumped and restored.
    func makeDatabase(fromDumpOf original: PostgreSQLServer) throws -> PostgreSQLServer {
        let name = newName()
        try server.makeDatabase(name, fromDumpOf: original.database)
        return address(of: name)
    }

    func drop(_ database: PostgreSQLServer) throws { try drop([database.database]) }

    /// Takes a copy of the template, which is the same for all callers.
    func takeCopy(of template: PostgreSQLServer) throws -> PostgreSQLServer {
        if let name = copies.withLock({ $0.unused.popLast() }) { return address(of: name) }
        let names = (0..<Self.madeAtOnce).map { _ in newName() }
        try server.query(names.map { "CREATE DATABASE \($0) TEMPLATE \(template.database);" }.joined())
        copies.withLock { $0.unused += names.dropLast() }
        return address(of: names[names.count - 1])
    }

    func giveBack(_ copy: PostgreSQLServer) throws {
        let names: [String] = copies.withLock { copies in
            copies.used.append(copy.database)
            guard copies.used.count >= Self.droppedAtOnce else { return [] }
            defer { copies.used = [] }
            return copies.used
        }
        if !names.isEmpty { try drop(names) }
    }

    private func drop(_ names: [String]) throws {
        try server.query(names.map { "DROP DATABASE \($0) WITH (FORCE);" }.joined())
    }

    func address(of database: String, account: String = "postgres") -> PostgreSQLServer {
        PostgreSQLServer(hosts: [.init(name: server.folder)], account: account, database: database)
    }

    /// Runs statements one after the other, as another program would. Returns one line for each row.
    @discardableResult
    func run(_ sql: String, in database: String = "postgres") throws -> [String] {
        try server.query(sql, in: database)
    }
}

extension Trait where Self == EachEngine {
    static var eachEngine: EachEngine { EachEngine { TemporaryCluster.shared != nil } }
    static var onPostgreSQL: EachEngine { EachEngine([.postgreSQL]) { TemporaryCluster.shared != nil } }
}
