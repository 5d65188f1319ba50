import Foundation
import PushStore
import TestSupport
import Testing
import pushload

/// The PostgreSQL server of the workspaces of this process.
enum WorkspaceServer {
    private static let shared = Result {
        try TemporaryDatabaseServer(below: FileManager.default.temporaryDirectory.path)
    }

    /// Creates an empty database.
    static func makeDatabase() throws -> PostgreSQLServer {
        let owner = try shared.get()
        let name = owner.newName()
        try owner.server.makeDatabase(name)
        return PostgreSQLServer(
            hosts: [.init(name: owner.server.folder)], account: "postgres", database: name)
    }
}

extension Trait where Self == EachEngine {
    /// Runs a test once with its workspaces' stores in files, and once on PostgreSQL.
    static var eachEngine: EachEngine { EachEngine { DatabaseServer.isInstalled } }
}
