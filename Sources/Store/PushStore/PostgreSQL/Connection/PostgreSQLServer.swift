internal import PushModel

/// The location of a store on PostgreSQL, and how to connect to it.
package struct PostgreSQLServer: Equatable, Sendable {
    package struct Host: Equatable, Sendable {
        /// A name, an address, or the folder of a Unix socket.
        package var name: String
        /// The port; `nil` means PostgreSQL's default.
        package var port: Int?

        package init(name: String, port: Int? = nil) {
            self.name = name
            self.port = port
        }
    }

    /// The hosts, tried in this order. The first one that accepts writes is used.
    package var hosts: [Host]
    package var account: String
    package var database: String
    /// The file with the password in its first line; `nil` if libpq's `.pgpass` may contain it or if none is
    /// needed.
    package var passwordFile: String?

    package init(hosts: [Host], account: String, database: String, passwordFile: String? = nil) {
        self.hosts = hosts
        self.account = account
        self.database = database
        self.passwordFile = passwordFile
    }

    /// The store's name in errors: `postgresql://db1:5433,db2/pushmta`, `postgresql:/run/postgresql/pushmta`.
    package var place: String {
        let names = hosts.map { host in
            let name = host.name.contains(":") ? "[\(host.name)]" : host.name
            return host.port.map { "\(name):\($0)" } ?? name
        }
        let isSocket = hosts.allSatisfy { $0.name.hasPrefix("/") }
        return "postgresql:\(isSocket ? "" : "//")\(names.joined(separator: ","))/\(database)"
    }

    /// Time limits: for a connection that waits for another transaction, and for a server that waits for its
    /// client.
    struct Timeouts: Sendable {
        var lockMilliseconds: Int
        static let connectSeconds = 5
        /// A client that stops in the middle of a transaction would block all other clients.
        var idleInTransactionSeconds = 60

        /// Returns the limits for a writer. A host that is frozen or cut off in the middle of a transaction
        /// holds the lock that all writers need.
        func ofAWriter() -> Timeouts {
            var timeouts = self
            timeouts.idleInTransactionSeconds = 5
            return timeouts
        }
    }

    /// Returns the libpq parameters, with libpq's names.
    ///
    /// Both ends detect within half a minute that the other end has disappeared. `search_path` contains only
    /// the store's schema, so no name can refer to a table in another schema. Isolation levels are part of
    /// each BEGIN (``PostgreSQLLink/Kind``).
    func parameters(_ timeouts: Timeouts, application: String, password: String?) -> [(
        key: String, value: String
    )] {
        let settings = [
            "search_path=pushmta", "timezone=UTC", "client_min_messages=warning", "jit=off",
            "lock_timeout=\(timeouts.lockMilliseconds)",
            "idle_in_transaction_session_timeout=\(timeouts.idleInTransactionSeconds * 1_000)",
            "tcp_keepalives_idle=10", "tcp_keepalives_interval=5", "tcp_keepalives_count=3",
        ]
        let options = (settings + Self.plannerSettings).map { "-c \($0)" }.joined(separator: " ")
        var parameters = [
            ("host", hosts.map(\.name).joined(separator: ",")),
            ("port", hosts.map { $0.port.map { "\($0)" } ?? "" }.joined(separator: ",")),
            ("user", account), ("dbname", database), ("application_name", application),
            ("client_encoding", "UTF8"), ("connect_timeout", "\(Timeouts.connectSeconds)"),
            ("target_session_attrs", "read-write"),
            ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"), ("options", options),
        ]
        if let password { parameters.append(("password", password)) }
        return parameters
    }

    /// Plans must not depend on statistics. A new or restored database has none, and those of a table that
    /// was analysed while it was empty are wrong. All statements of a store find their rows through an index,
    /// in the order of that index. A session therefore disables the methods that a planner prefers if it
    /// assumes small tables (sequential scans, sorting, and hash and merge joins), and the method that a
    /// planner adds if it assumes large tables (memoisation of rows). A statement without a suitable index
    /// still runs.
    private static let plannerSettings =
        ["plan_cache_mode=force_generic_plan"]
        + ["seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin", "memoize"].map { "enable_\($0)=off" }

    /// - Throws: If a password file is specified and cannot be used.
    func password() throws(StoreError) -> String? {
        guard let passwordFile else { return nil }
        let why: String
        do throws(PrivateFile.Failure) {
            if let line = try PrivateFile.firstLine(of: passwordFile, limit: Self.maxPasswordBytes) {
                return String(decoding: line, as: UTF8.self)
            }
            why = "its first line is empty"
        } catch {
            why = error.words
        }
        throw StoreError(.passwordFile(passwordFile, why: why), path: place)
    }

    private static let maxPasswordBytes = 4_096
}
