internal import FoundationEssentials
internal import GRDB
internal import PushCrypto
package import PushModel
internal import PushQueue
internal import Synchronization

/// Recipients, possibly millions, on their way from a file to a store. They are on disk, sorted and without
/// duplicates, in an unnamed file that disappears with the process.
///
/// **Promises.** Memory use does not grow with the number of recipients: up to 8 MB of the file are cached,
/// and the same amount is sorted at a time. After sorting, hardly any memory is used.
/// The file is in SQLite's directory for temporary files (`SQLITE_TMPDIR`, `TMPDIR`, `/var/tmp`) and readable
/// only by its user. It is about as large as the input, and twice as large during sorting.
package final class RecipientDraft: Sendable {
    private let queue: DatabaseQueue
    private let state = Mutex(State())

    private struct State {
        var count = 0
        var repeated = 0
        var pages = 0
        var digest = ""
    }

    /// The number of distinct recipients.
    package var count: Int { state.withLock { $0.count } }
    /// The number of recipients that were left out because they had already occurred.
    package var repeated: Int { state.withLock { $0.repeated } }
    package var pages: Int { state.withLock { $0.pages } }
    /// A digest that differs if recipients or their variables differ.
    package var digest: String { state.withLock { $0.digest } }

    /// The name of the file in errors.
    private static let place = "the temporary file of recipients (TMPDIR)"
    private static let cacheKilobytes = 8_000
    /// The maximum size of the variables of a page, in bytes, not counting those of its last recipient.
    private static let pageBytes = 1 << 20

    package init() throws(StoreError) {
        queue = try Self.temporaryDatabase(
            tables: """
                CREATE TABLE given (id INTEGER PRIMARY KEY, value TEXT NOT NULL, variables BLOB NOT NULL);
                CREATE TABLE page (number INTEGER PRIMARY KEY, listed TEXT NOT NULL, variables BLOB NOT NULL)
                """)
    }

    /// Creates a database in an unnamed file.
    static func temporaryDatabase(tables: String) throws(StoreError) -> DatabaseQueue {
        try during("create a temporary file") {
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                // The file disappears with the process, so writes to it need no journal and no sync.
                try db.execute(
                    sql: """
                        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;
                        PRAGMA cache_size = -\(Self.cacheKilobytes)
                        """)
            }
            // SQLite stores a database without a name in a temporary file.
            let queue = try DatabaseQueue(path: "", configuration: configuration)
            try queue.writeWithoutTransaction { db in try db.execute(sql: tables) }
            return queue
        }
    }

    static func during<Value>(
        _ what: String, _ body: () throws -> Value
    ) throws(StoreError) -> Value {
        do { return try body() } catch { throw StoreError(error, during: what, path: place) }
    }

    package func add(_ recipients: [ListedRecipient]) throws(StoreError) {
        try Self.during("write recipients") {
            try queue.write { db in try Self.insert(recipients, db) }
        }
    }

    /// Adds rows to the table `given` of a temporary database.
    static func insert(_ recipients: [ListedRecipient], _ db: Database) throws {
        let insert = SQLiteStatement(
            try db.cachedStatement(sql: "INSERT INTO given (value, variables) VALUES (?1, ?2)"))
        for recipient in recipients {
            insert.bind(recipient.value, at: 1)
            unsafe recipient.variables.withUnsafeBytes { unsafe insert.bind(blob: $0, at: 2) }
            try insert.run()
        }
    }

    /// Sorts the recipients. Call once, after all have been added. If a recipient occurs more than once, the
    /// first occurrence counts.
    /// - Parameter step: Called from time to time.
    package func sort(_ step: () throws -> Void) throws {
        var pages = PageMaker()
        // One transaction reads the recipients and writes the pages. Without a journal, its size costs
        // nothing.
        try queue.write { db in
            let rows = SQLiteStatement(
                try db.cachedStatement(sql: "SELECT value, variables FROM given ORDER BY value, id"))
            defer { rows.reset() }
            while try rows.next() {
                pages.take(unsafe Array(rows.bytes(0)), unsafe Array(rows.bytes(1)))
                guard pages.isFull else { continue }
                try pages.write(db)
                try step()
            }
            try pages.write(db)
            state.withLock { state in
                (state.count, state.repeated, state.pages) = (pages.count, pages.repeated, pages.number)
                state.digest = pages.digest
            }
        }
        // From now on, only one page at a time is read.
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "DELETE FROM given; PRAGMA cache_size = -500; PRAGMA shrink_memory")
        }
    }

    /// Returns a page; `nil` if there are no more.
    func page(_ number: Int) throws -> (listed: String, variables: [UInt8])? {
        try queue.read { db in
            try GRDB.Row.fetchOne(
                db, sql: "SELECT listed, variables FROM page WHERE number = ?1", arguments: [number]
            )
            .map { (listed: $0[0], variables: Array($0[1] as Data)) }
        }
    }

    /// Collects recipients in byte order until they fill a page.
    private struct PageMaker: ~Copyable {
        private(set) var number = 0
        private(set) var count = 0
        private(set) var repeated = 0
        private var last: [UInt8]?
        private var values: [String] = []
        private var variables: [[UInt8]] = []
        private var bytes = 0
        private var hash = SHA256()

        var digest: String { hash.digest().map { "\($0)" }.joined(separator: ".") }
        var isFull: Bool { values.count >= StoredTarget.pageSize || bytes >= RecipientDraft.pageBytes }

        mutating func take(_ value: [UInt8], _ said: [UInt8]) {
            guard value != last else {
                repeated += 1
                return
            }
            last = value
            count += 1
            values.append(String(decoding: value, as: UTF8.self))
            variables.append(said)
            bytes += said.count
        }

        mutating func write(_ db: Database) throws {
            guard !values.isEmpty else { return }
            let insert = SQLiteStatement(
                try db.cachedStatement(
                    sql: "INSERT INTO page (number, listed, variables) VALUES (?1, ?2, ?3)"))
            let (listed, said) = (try StoredJSON.encode(values), VariableBlock(variables).bytes)
            hash.update(Array(listed.utf8))
            hash.update(said)
            insert.bind(Int64(number), at: 1)
            insert.bind(listed, at: 2)
            unsafe said.withUnsafeBytes { unsafe insert.bind(blob: $0, at: 3) }
            try insert.run()
            number += 1
            (values, variables, bytes) = ([], [], 0)
        }
    }
}
