internal import Synchronization

/// The identity of a store's database. A database that was recreated or restored has the same name but is a
/// different one.
struct DatabaseIdentity: Equatable {
    /// The identifier of the server's files. The files of a standby have the same identifier, so a failover
    /// does not change it.
    var system: Int64
    /// A number that no other database of the server has ever had.
    var database: Int64

    init(of link: PostgreSQLLink) throws {
        let row = try PostgreSQLSession(link).row(
            sql: """
                SELECT (SELECT system_identifier FROM pg_control_system()),
                    (SELECT CAST(oid AS BIGINT) FROM pg_database WHERE datname = current_database())
                """)
        guard let row else {
            let why = "the server does not report the identity of the database; check dbcnx/@server"
            throw PostgreSQLError.unreachable(why: why)
        }
        (system, database) = (try row[0], try row[1])
    }
}

/// The identity that all connections of an opened store share. A connection that finds a different identity
/// reads and writes nothing.
final class IdentityWatch: Sendable {
    private struct State {
        var identity: DatabaseIdentity?
        /// The number of the last group that is known to be committed, for each writer of this process. Other
        /// hosts count their groups independently.
        var lastGroups: [String: Int64] = [:]
        var isReplaced = false
    }

    private let state = Mutex(State())

    /// Whether a connection found another database, or found that this database lacks data that had been
    /// committed.
    var isReplaced: Bool { state.withLock { $0.isReplaced } }

    func noteCommitted(_ group: WrittenGroup) {
        state.withLock { $0.lastGroups[group.writer] = max($0.lastGroups[group.writer] ?? 0, group.number) }
    }

    /// - Throws: If the connection leads to a different database than this process's first connection.
    func check(_ link: PostgreSQLLink) throws {
        let found = try DatabaseIdentity(of: link)
        let known = state.withLock { state in
            if state.identity == nil { state.identity = found }
            return state
        }
        var isSame = known.identity == found && !known.isReplaced
        // A restored backup of the same server lacks the last groups, as does a replica that was behind.
        for (writer, number) in known.lastGroups where isSame {
            let last = try PostgreSQLSession(link).value(
                Int64.self, sql: "SELECT last_group FROM writer WHERE name = ?1", arguments: [writer])
            isSame = last.map { $0 >= number } ?? false
        }
        guard !isSame else { return }
        state.withLock { $0.isReplaced = true }
        throw PostgreSQLError.unreachable(
            why:
                """
                it is no longer the database that was opened: it was recreated or restored from a backup; \
                start the service again if it is the right one
                """
        )
    }
}
