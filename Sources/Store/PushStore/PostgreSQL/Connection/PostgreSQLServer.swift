internal import PushModel

/// Where a store lies on PostgreSQL, and how to get there.
package struct PostgreSQLServer: Equatable, Sendable {
    package struct Host: Equatable, Sendable {
        /// A name, an address, or the folder of a Unix socket.
        package var name: String
        /// nil is PostgreSQL's own.
        package var port: Int?

        package init(name: String, port: Int? = nil) {
            self.name = name
            self.port = port
        }
    }

    /// Tried in this order; the one that takes writes is meant.
    package var hosts: [Host]
    package var account: String
    package var database: String
    /// Holds the password in its first line; nil: libpq's `.pgpass` may, or none is needed.
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

    /// What one connection may wait for another's transaction, and a server for its client.
    struct Patience: Sendable {
        var lockMilliseconds: Int
        static let connectSeconds = 5
        /// A client that stands still in a transaction would hold up all others.
        var idleInTransactionSeconds = 60

        /// Of whoever writes: a host that is frozen or cut off in mid-transaction has the lock that all write under.
        func ofAWriter() -> Patience {
            var patience = self
            patience.idleInTransactionSeconds = 5
            return patience
        }
    }

    /// Parameters of libpq, by its names.
    ///
    /// Both ends notice within half a minute that the other is gone. `search_path` has no other schema: no
    /// name can mean another's table. Isolation levels stand in each BEGIN (``PostgreSQLLink/Kind``).
    func parameters(_ patience: Patience, application: String, password: String?) -> [(
        key: String, value: String
    )] {
        let settings = [
            "search_path=pushmta", "timezone=UTC", "client_min_messages=warning", "jit=off",
            "lock_timeout=\(patience.lockMilliseconds)",
            "idle_in_transaction_session_timeout=\(patience.idleInTransactionSeconds * 1_000)",
            "tcp_keepalives_idle=10", "tcp_keepalives_interval=5", "tcp_keepalives_count=3",
        ]
        let options = (settings + Self.plannerSettings).map { "-c \($0)" }.joined(separator: " ")
        var parameters = [
            ("host", hosts.map(\.name).joined(separator: ",")),
            ("port", hosts.map { $0.port.map { "\($0)" } ?? "" }.joined(separator: ",")),
            ("user", account), ("dbname", database), ("application_name", application),
            ("client_encoding", "UTF8"), ("connect_timeout", "\(Patience.connectSeconds)"),
            ("target_session_attrs", "read-write"),
            ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"), ("options", options),
        ]
        if let password { parameters.append(("password", password)) }
        return parameters
    }

    /// Plans must not depend on statistics: a new or restored database has none, and those of a table that was analyzed
    /// while it was empty are wrong. All statements of a store find their rows by an index, in the order of that index,
    /// so a session switches off what a planner prefers if it takes tables for small: reading them whole, sorting, and
    /// joining them by a hash or a merge; and what it adds if it takes them for large: remembering rows. A statement
    /// without a suitable index still runs.
    private static let plannerSettings =
        ["plan_cache_mode=force_generic_plan"]
        + ["seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin", "memoize"].map { "enable_\($0)=off" }

    /// - Throws: where a file is named and cannot be used.
    func password() throws(StoreError) -> String? {
        guard let passwordFile else { return nil }
        let why: String
        do throws(PrivateFile.Failure) {
            if let line = try PrivateFile.firstLine(of: passwordFile, limit: Self.mostPasswordBytes) {
                return String(decoding: line, as: UTF8.self)
            }
            why = "its first line is empty"
        } catch {
            why = error.words
        }
        throw StoreError(.passwordFile(passwordFile, why: why), path: place)
    }

    private static let mostPasswordBytes = 4_096
}
