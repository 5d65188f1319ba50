import Foundation
import PushStore
import Synchronization
import Testing
import pushload

/// Runs a test once with its workspaces' stores in files, and once on PostgreSQL. If PostgreSQL is not
/// installed, the second run is left out, which is a failure in automated runs (`CI` in the environment).
struct EachEngine: SuiteTrait, TestTrait, TestScoping {
    /// Whether a ``Workspace`` that is created in this task has its store on PostgreSQL.
    @TaskLocal static var isPostgreSQL = false

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard DatabaseServer.isInstalled else {
            if ProcessInfo.processInfo.environment["CI"] != nil {
                Issue.record("PostgreSQL is not installed; run 'sudo apt-get install postgresql'")
            }
            return
        }
        let naming = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            issue.comments.append("with the store on PostgreSQL")
            return issue
        }
        try await naming.provideScope(for: test, testCase: testCase) {
            try await Self.$isPostgreSQL.withValue(true) { try await function() }
        }
    }
}

extension Trait where Self == EachEngine {
    static var eachEngine: EachEngine { EachEngine() }
}

/// A PostgreSQL server for the workspaces of this process. It ends with the process, however the process
/// ends, and its folder is removed.
final class WorkspaceServer: Sendable {
    static let shared = Result { try WorkspaceServer() }

    private let server: DatabaseServer
    private let lastDatabase = Mutex(0)
    private let keeper: Mutex<Keeper>

    /// Only the holder of the lock may use this.
    private struct Keeper: @unchecked Sendable {
        let caretaker: CleanupProcess
    }

    private init() throws {
        // The path of the server's socket has at most 107 bytes.
        let folder =
            FileManager.default.temporaryDirectory.path + "/pushmta-server-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        keeper = Mutex(
            Keeper(caretaker: try CleanupProcess(of: folder, log: folder + "/caretaker", removes: true)))
        server = try DatabaseServer(below: folder)
    }

    /// Creates an empty database.
    func makeDatabase() throws -> PostgreSQLServer {
        let number = lastDatabase.withLock { last in
            last += 1
            return last
        }
        try server.makeDatabase("workspace\(number)")
        return PostgreSQLServer(
            hosts: [.init(name: server.folder)], account: "postgres", database: "workspace\(number)")
    }
}
