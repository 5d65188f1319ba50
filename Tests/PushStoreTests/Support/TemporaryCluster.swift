import Foundation
import PushStore
import Synchronization
import pushload

/// A PostgreSQL server owned by this process, in a temporary folder. It ends with the process, however the
/// process ends.
final class TemporaryCluster: Sendable {
    /// A server for all tests of this process that do not damage it; `nil` if PostgreSQL is not installed on
    /// this machine.
    static let shared: TemporaryCluster? = {
        do { return try TemporaryCluster() } catch {
            print("◇ tests on PostgreSQL do not run: \(error)")
            return nil
        }
    }()

    private let server: DatabaseServer
    private let keeper: Mutex<Keeper>
    private let lastDatabase = Mutex(0)
    /// Copies that have not been used yet, and copies that are no longer needed. Several copies are created
    /// and dropped in one step, because each call starts a program, and the first drop waits until all
    /// written data is on disk.
    private let copies = Mutex<(unused: [String], used: [String])>(([], []))
    private static let madeAtOnce = 8
    private static let droppedAtOnce = 32

    /// Only the holder of the lock may use this.
    private struct Keeper: @unchecked Sendable {
        let caretaker: CleanupProcess
    }

    init() throws {
        let folder =
            FileManager.default.temporaryDirectory.path + "/pushmta-cluster-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        keeper = Mutex(
            Keeper(caretaker: try CleanupProcess(of: folder, log: folder + "/caretaker", removes: true)))
        server = try DatabaseServer(below: folder)
    }

    deinit {
        keeper.withLock {
            $0.caretaker.dismiss()
            $0.caretaker.wait()
        }
    }

    /// Ends every connection, as a crash does, and recovers.
    func restart() throws { try server.restart(.immediate) }
    func stop() throws { try server.stop(.immediate) }
    func start() throws { try server.start() }

    // MARK: Databases

    private func newName() -> String {
        let number = lastDatabase.withLock { last in
            last += 1
            return last
        }
        return "test\(number)"
    }

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
