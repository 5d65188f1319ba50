internal import Synchronization

/// Which database a store is: one that was made anew, or restored, has the same name and is another.
struct DatabaseIdentity: Equatable {
    /// Of the server's files: those of a standby have the same, so that a failover changes nothing.
    var system: Int64
    /// A number that no other database of the server ever had.
    var database: Int64

    init(of link: PostgreSQLLink) throws {
        let row = try PostgreSQLSession(link).row(
            sql: """
                SELECT (SELECT system_identifier FROM pg_control_system()),
                    (SELECT CAST(oid AS BIGINT) FROM pg_database WHERE datname = current_database())
                """)
        guard let row else {
            throw PostgreSQLError.unreachable(why: "the server does not say which database this is")
        }
        (system, database) = (try row[0], try row[1])
    }
}

/// The identity that all connections of one opened store agree about: whoever finds another one reads and
/// writes nothing.
final class IdentityWatch: Sendable {
    private struct State {
        var identity: DatabaseIdentity?
        /// The numbers of the last groups that are known to be committed, by their writers in this process. Those of
        /// other hosts say nothing of these.
        var lastGroups: [String: Int64] = [:]
        var isReplaced = false
    }

    private let state = Mutex(State())

    /// Whether a connection found another database, or this one as it was before something that had been
    /// committed.
    var isReplaced: Bool { state.withLock { $0.isReplaced } }

    func noteCommitted(_ group: WrittenGroup) {
        state.withLock { $0.lastGroups[group.writer] = max($0.lastGroups[group.writer] ?? 0, group.number) }
    }

    /// - Throws: where the connection leads to another database than the first one did.
    func check(_ link: PostgreSQLLink) throws {
        let found = try DatabaseIdentity(of: link)
        let known = state.withLock { state in
            if state.identity == nil { state.identity = found }
            return state
        }
        var isSame = known.identity == found && !known.isReplaced
        // A backup of the same server that was put in place has forgotten the last ones, and so has a replica that
        // was behind.
        for (writer, number) in known.lastGroups where isSame {
            let last = try PostgreSQLSession(link).value(
                Int64.self, sql: "SELECT last_group FROM writer WHERE name = ?1", arguments: [writer])
            isSame = last.map { $0 >= number } ?? false
        }
        guard !isSame else { return }
        state.withLock { $0.isReplaced = true }
        throw PostgreSQLError.unreachable(
            why:
                "it is not the database any more that was opened: it was made anew, or restored from a backup"
        )
    }
}
