/// The location of all data: `shared/dataStore/dataSource/dbcnx` of the data source named `default`.
package struct StoreConfiguration: Equatable, Sendable {
    /// SQLite needs neither a server nor an account, so a new user can start with it.
    package var provider = StoreProvider.sqlite
    /// SQLite: the database file. The file's folder also contains the locks and the socket that wakes the
    /// master, so this folder is the instance's home. PostgreSQL: see ``hosts``.
    package var server = "var/pushmta.db"
    /// See ``account``.
    package var login = ""
    /// A file whose first line is the account's password: the configuration must not contain secrets.
    package var passwordFile: String?
    /// If the store is on a server, the folder for the files that belong to this host alone: the key, the
    /// locks and the control socket. The default is the folder in which a SQLite store is by default.
    package var instanceFolder = "var"

    package init() {}
}

/// The database engines that this version supports as its store.
package enum StoreProvider: String, Sendable, CaseIterable {
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    /// The engine that Campaign uses if the file names none.
    static let campaignDefault = "Oracle"
}

// MARK: PostgreSQL

extension StoreConfiguration {
    package struct Host: Equatable, Sendable {
        /// A name, an address, or the folder of a Unix socket.
        package var name: String
        package var port: Int?
    }

    static let hostsAllowed =
        "host[:port][,host2[:port2]…], or the folder of a Unix socket, such as /run/postgresql"
    static let accountAllowed = "account[:database]"

    /// The hosts in ``server``, such as `db1:5433,db2`, `[2001:db8::1]:5433` or `/run/postgresql`; `nil` if
    /// the text cannot be parsed.
    package var hosts: [Host]? {
        let hosts = server.split(separator: ",", omittingEmptySubsequences: false).map { Self.host($0) }
        return hosts.contains(nil) ? nil : hosts.compactMap(\.self)
    }

    private static func host(_ text: Substring) -> Host? {
        let text = text.drop { $0 == " " }
        var (name, port) = (text, Int?.none)
        // The port follows the last colon. If an address contains colons, the port's colon follows a bracket.
        if let colon = text.lastIndex(of: ":"),
            text.filter({ $0 == ":" }).count == 1 || text[..<colon].last == "]"
        {
            guard let number = WholeNumber.read(text[text.index(after: colon)...]), 1...65_535 ~= number
            else {
                return nil
            }
            (name, port) = (text[..<colon], number)
        }
        if name.hasPrefix("/") { return Host(name: String(name), port: port) }
        guard HostName.isValid(String(name)) else { return nil }
        return Host(name: name.filter { $0 != "[" && $0 != "]" }, port: port)
    }

    /// The contents of ``login``: `account` or `account:database`; `nil` if the text cannot be parsed. The
    /// default database has the same name as the account, as in PostgreSQL.
    package var account: (name: String, database: String)? {
        let words = login.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = words.first, words.count <= 2, words.allSatisfy({ !$0.isEmpty }) else { return nil }
        return (String(name), String(words.last ?? name))
    }
}
