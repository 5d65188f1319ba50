/// Where everything is kept: `shared/dataStore/dataSource/dbcnx` of the data source named `default`.
package struct StoreConfiguration: Equatable, Sendable {
    /// SQLite needs no server and no account, which is what a newcomer has.
    package var provider = StoreProvider.sqlite
    /// SQLite: the database file. Beside it lie its locks and the socket that wakes the master, so its folder
    /// is the instance's home. PostgreSQL: see ``hosts``.
    package var server = "var/pushmta.db"
    /// See ``account``.
    package var login = ""
    /// Holds the account's password in its first line: secrets do not stand in the configuration.
    package var passwordFile: String?
    /// What belongs to this host alone lies here where the store lies elsewhere: the key, locks, the control
    /// socket. The folder that a SQLite store has by default.
    package var instanceFolder = "var"

    package init() {}
}

/// Database engines that this version can keep its store in.
package enum StoreProvider: String, Sendable, CaseIterable {
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    /// What Campaign takes where none is given.
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

    /// What ``server`` names: `db1:5433,db2`, `[2001:db8::1]:5433`, `/run/postgresql`; nil: that cannot be
    /// read.
    package var hosts: [Host]? {
        let hosts = server.split(separator: ",", omittingEmptySubsequences: false).map { Self.host($0) }
        return hosts.contains(nil) ? nil : hosts.compactMap(\.self)
    }

    private static func host(_ text: Substring) -> Host? {
        let text = text.drop { $0 == " " }
        var (name, port) = (text, Int?.none)
        // A port comes after the last colon; one in an address stands before a bracket.
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

    /// What ``login`` names: `account` or `account:database`; nil: that cannot be read. A database of the
    /// account's name is what PostgreSQL itself supposes.
    package var account: (name: String, database: String)? {
        let words = login.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = words.first, words.count <= 2, words.allSatisfy({ !$0.isEmpty }) else { return nil }
        return (String(name), String(words.last ?? name))
    }
}
