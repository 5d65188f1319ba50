import Foundation
import PushStore
import Synchronization
import pushload

/// A PostgreSQL server of this process's own, in a temporary folder: it ends with the process, however that does.
final class TemporaryCluster: Sendable {
    /// One for all tests of this process that do no harm to it; nil where this machine has no PostgreSQL.
    static let shared: TemporaryCluster? = {
        do { return try TemporaryCluster() } catch {
            print("◇ tests on PostgreSQL do not run: \(error)")
            return nil
        }
    }()

    private let server: DatabaseServer
    private let keeper: Mutex<Keeper>
    private let lastDatabase = Mutex(0)

    /// Used by whoever has the lock.
    private struct Keeper: @unchecked Sendable {
        let caretaker: FolderCaretaker
    }

    init() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/pushmta-cluster-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        keeper = Mutex(
            Keeper(caretaker: try FolderCaretaker(of: folder, log: folder + "/caretaker", removes: true)))
        server = try DatabaseServer(below: folder)
    }

    deinit {
        keeper.withLock {
            $0.caretaker.dismiss()
            $0.caretaker.wait()
        }
    }

    /// Ends every connection as a crash does, and recovers.
    func restart() throws { try server.restart(.immediate) }
    func stop() throws { try server.stop(.immediate) }
    func start() throws { try server.start() }

    // MARK: Databases

    /// A database of a new name is made, like another one where that is named.
    func makeDatabase(like template: String? = nil, encoding: String? = nil) throws -> PostgreSQLServer {
        let number = lastDatabase.withLock { last in
            last += 1
            return last
        }
        try server.makeDatabase("test\(number)", like: template, encoding: encoding)
        return address(of: "test\(number)")
    }

    func drop(_ database: PostgreSQLServer) throws { try server.dropDatabase(database.database) }

    func address(of database: String, account: String = "postgres") -> PostgreSQLServer {
        PostgreSQLServer(hosts: [.init(name: server.folder)], account: account, database: database)
    }

    /// What another program makes of statements, one after the other: a line a row.
    @discardableResult
    func run(_ sql: String, in database: String = "postgres") throws -> [String] {
        try server.query(sql, in: database)
    }
}
