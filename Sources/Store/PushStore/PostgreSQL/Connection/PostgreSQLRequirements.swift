/// The properties that a server reports to a new connection, and the rules that decide whether a store
/// accepts them.
package struct PostgreSQLRequirements: Equatable {
    /// The version; 150004 stands for 15.4.
    package var version: Int
    package var encoding: String
    package var standardStrings: String
    package var fsync: String
    /// The server process that was announced for the connection, and the one that answered.
    package var promised: Int
    package var answering: Int

    static let minVersion = 150_000
    static let pooler =
        "a connection pooler answers instead of the server; specify the server itself in dbcnx/@server"
    /// The SQLSTATEs that indicate a pooler: the connection has statements that another client prepared
    /// (duplicate_prepared_statement), or lacks those that this client prepared (invalid_sql_statement_name).
    static let statesOfPoolers = ["42P05", "26000"]
    /// A part of the error message that PgBouncer returns to a client that sets session options.
    static let refusalOfPoolers = "unsupported startup parameter"

    package init(
        version: Int, encoding: String, standardStrings: String, fsync: String, promised: Int, answering: Int
    ) {
        self.version = version
        self.encoding = encoding
        self.standardStrings = standardStrings
        self.fsync = fsync
        self.promised = promised
        self.answering = answering
    }

    /// The reason why the server is unsuitable; `nil` if it is suitable.
    package var complaint: String? {
        if version < Self.minVersion {
            return "the server is PostgreSQL \(version / 10_000), but version 15 or newer is required"
        }
        // A transaction pooler would give the connection, with this master's lock, to other clients after
        // each commit.
        if promised != answering { return Self.pooler }
        if encoding != "UTF8" {
            return "the database's encoding is \(encoding); use a database created with ENCODING 'UTF8'"
        }
        if standardStrings != "on" {
            return "standard_conforming_strings is off for this account; set it to on"
        }
        if fsync != "on" {
            return "the server runs with fsync=\(fsync), which loses accepted data; set it to on"
        }
        return nil
    }
}

extension PostgreSQLLink {
    /// - Throws: If the server is unsuitable for a store. See ``PostgreSQLRequirements``.
    func checkServer() throws {
        let session = PostgreSQLSession(self)
        let row: Row?
        do {
            row = try session.row(
                sql:
                    "SELECT pg_backend_pid(), current_setting('fsync'), current_setting('synchronous_commit')"
            )
        } catch PostgreSQLError.answer(let state) where PostgreSQLRequirements.statesOfPoolers.contains(state)
        {
            throw PostgreSQLError.unreachable(why: PostgreSQLRequirements.pooler)
        }
        guard let row else {
            let why = "the server does not answer like a PostgreSQL server; check dbcnx/@server"
            throw PostgreSQLError.unreachable(why: why)
        }
        let found = PostgreSQLRequirements(
            version: version, encoding: parameter("server_encoding") ?? "unknown",
            standardStrings: parameter("standard_conforming_strings") ?? "unknown", fsync: try row[1],
            promised: backend, answering: try row[0])
        if let complaint = found.complaint { throw PostgreSQLError.unreachable(why: complaint) }
        // A commit must be on disk when it returns. A value of `synchronous_commit` that also waits for other
        // servers remains in effect.
        if try row[2] == "off" {
            try queue("SET synchronous_commit = on")
            try finish()
        }
    }
}
