internal import GRDB
internal import PushCrypto
package import PushModel

/// Values of a parameter, possibly millions, on their way from a file to the tokens of the devices that have
/// them. Like a ``RecipientDraft``, they are on disk, in an unnamed file that disappears with the process.
///
/// **Promises.** Memory use does not grow with the number of values or of devices. The values are looked up
/// in the file, so that the store needs no index of parameters.
package final class RecipientKeys: Sendable {
    private let queue: DatabaseQueue

    package init() throws(StoreError) {
        queue = try RecipientDraft.temporaryDatabase(
            tables: """
                CREATE TABLE given (id INTEGER PRIMARY KEY, value TEXT NOT NULL, variables BLOB NOT NULL);
                CREATE TABLE wanted (id INTEGER PRIMARY KEY, value TEXT NOT NULL, variables BLOB NOT NULL);
                CREATE TABLE found (id INTEGER PRIMARY KEY, wanted_id INTEGER NOT NULL, user_key TEXT NOT \
                NULL, token TEXT NOT NULL)
                """)
    }

    /// - Parameter recipients: Values with the variables of the recipients who have them.
    package func add(_ recipients: [ListedRecipient]) throws(StoreError) {
        try RecipientDraft.during("write recipients") {
            try queue.write { db in try RecipientDraft.insert(recipients, db) }
        }
    }

    /// Sorts the values. Call once, after all have been added. If a value occurs more than once, the first
    /// occurrence counts.
    /// - Parameter step: Called from time to time.
    /// - Returns: The number of distinct values, the number of repetitions, and a digest that differs if
    ///   values or variables differ.
    package func sort(
        _ step: () throws -> Void
    ) throws -> (values: Int, repeated: Int, digest: String) {
        var (values, repeated) = (0, 0)
        var hash = SHA256()
        try queue.write { db in
            let rows = SQLiteStatement(
                try db.cachedStatement(sql: "SELECT value, variables FROM given ORDER BY value, id"))
            defer { rows.reset() }
            let insert = SQLiteStatement(
                try db.cachedStatement(sql: "INSERT INTO wanted (value, variables) VALUES (?1, ?2)"))
            var last: [UInt8]?
            while try rows.next() {
                let value = unsafe Array(rows.bytes(0))
                guard value != last else {
                    repeated += 1
                    continue
                }
                last = value
                let variables = unsafe Array(rows.bytes(1))
                unsafe value.withUnsafeBufferPointer { unsafe insert.bind(text: $0, at: 1) }
                unsafe variables.withUnsafeBytes { unsafe insert.bind(blob: $0, at: 2) }
                try insert.run()
                // No value contains a zero byte.
                hash.update(value + [0])
                hash.update(variables + [0])
                values += 1
                if values.isMultiple(of: StoredTarget.pageSize) { try step() }
            }
        }
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "DELETE FROM given; CREATE UNIQUE INDEX wanted_value ON wanted (value)")
        }
        return (values, repeated, hash.digest().map { "\($0)" }.joined(separator: "."))
    }

    /// A device with its value of the parameter.
    struct Device {
        var value: String
        var userKey: String
        var token: String
    }

    /// Keeps those devices whose value is in the list.
    func note(_ devices: [Device]) throws {
        guard !devices.isEmpty else { return }
        try queue.write { db in
            let search = SQLiteStatement(
                try db.cachedStatement(sql: "SELECT id FROM wanted WHERE value = ?1"))
            let insert = SQLiteStatement(
                try db.cachedStatement(
                    sql: "INSERT INTO found (wanted_id, user_key, token) VALUES (?1, ?2, ?3)"))
            for device in devices {
                search.reset()
                search.bind(device.value, at: 1)
                guard try search.next() else { continue }
                insert.bind(search.integer(0), at: 1)
                insert.bind(device.userKey, at: 2)
                insert.bind(device.token, at: 3)
                try insert.run()
            }
            search.reset()
        }
    }

    /// Returns the figures of the devices that were found.
    func match(by key: String, values: Int) throws -> RecipientUpload.Match {
        try queue.read { db in
            func count(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
            return RecipientUpload.Match(
                key: key, values: values, matched: try count("SELECT count(DISTINCT wanted_id) FROM found"),
                devices: try count("SELECT count(*) FROM found"),
                people: try count(
                    """
                    SELECT (SELECT count(DISTINCT user_key) FROM found WHERE user_key <> '') + \
                    (SELECT count(*) FROM found WHERE user_key = '')
                    """),
                ambiguous: try count(
                    """
                    SELECT count(*) FROM (SELECT wanted_id FROM found WHERE user_key <> '' \
                    GROUP BY wanted_id HAVING count(DISTINCT user_key) > 1)
                    """))
        }
    }

    /// Adds the tokens of the devices that were found to a draft, with the variables of their values.
    func pass(to draft: RecipientDraft, _ step: () throws -> Void) throws {
        var last: Int64 = 0
        while true {
            let page = try queue.read { db in
                let rows = SQLiteStatement(
                    try db.cachedStatement(
                        sql: """
                            SELECT f.id, f.token, w.variables FROM found f JOIN wanted w ON w.id = f.wanted_id
                            WHERE f.id > ?1 ORDER BY f.id LIMIT \(StoredTarget.pageSize)
                            """))
                defer { rows.reset() }
                rows.bind(last, at: 1)
                var recipients: [ListedRecipient] = []
                while try rows.next() {
                    last = rows.integer(0)
                    let token = unsafe Array(rows.bytes(1))
                    recipients.append(
                        ListedRecipient(
                            ExactText(bytes: token).text, variables: unsafe Array(rows.bytes(2))))
                }
                return recipients
            }
            guard !page.isEmpty else { return }
            try draft.add(page)
            try step()
        }
    }
}

/// Finds the devices whose value of a parameter is in a list.
package struct RecipientMatcher: Sendable {
    let connection: Connection

    /// Reads all subscriptions of the apps, page by page, and adds the tokens of the devices to a draft.
    /// - Parameters:
    ///   - keys: The values, sorted.
    ///   - values: The number of values.
    ///   - step: Called between pages.
    package func match(
        _ keys: RecipientKeys, _ values: Int, by key: RecipientKey, of apps: [AppID],
        into draft: RecipientDraft, _ step: () throws -> Void
    ) throws -> RecipientUpload.Match {
        for app in apps {
            let range = SubscriptionRange(app)
            var last: Int64? = range.beforeFirst
            while let after = last {
                let page = try connection.read("match recipients") { db in
                    try Self.page(after: after, upTo: range.last, key, db)
                }
                try keys.note(page.devices)
                last = page.last
                try step()
            }
        }
        try keys.pass(to: draft, step)
        return try keys.match(by: key.name, values: values)
    }

    /// - Returns: The devices that have the parameter, and the last subscription that was read; `nil` if
    ///   there are no more.
    private static func page(
        after: Int64, upTo end: Int64, _ key: RecipientKey, _ db: any Session
    ) throws -> (devices: [RecipientKeys.Device], last: Int64?) {
        let statement = try db.statement(
            """
            SELECT id, token, user_key, parameters FROM subscription WHERE id > ?1 AND id <= ?2 ORDER BY id \
            LIMIT ?3
            """)
        defer { statement.reset() }
        statement.bind(after, at: 1)
        statement.bind(end, at: 2)
        statement.bind(Int64(Connection.maximumRows), at: 3)
        var (devices, last, count): ([RecipientKeys.Device], Int64?, Int) = ([], nil, 0)
        while try statement.next() {
            last = statement.integer(0)
            count += 1
            let parameters = unsafe statement.bytes(3)
            guard let value = ParameterText.value(of: key.name, in: unsafe parameters.span) else { continue }
            let userKey = unsafe Array(statement.bytes(2))
            devices.append(
                RecipientKeys.Device(
                    value: key.comparable(ExactText(bytes: value).text),
                    userKey: ExactText(bytes: userKey).text,
                    token: StoredToken.text(of: statement.value(1))))
        }
        return (devices, count < Connection.maximumRows ? nil : last)
    }
}
