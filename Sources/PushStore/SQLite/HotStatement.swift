internal import FoundationEssentials
internal import GRDB
internal import GRDBSQLite

/// A prepared statement driven by SQLite's own functions.
///
/// GRDB's arguments and rows are objects: they cost more than the statement itself where one runs a million times.
/// Here nothing is allocated per row. **The fence:** pointers that SQLite lends leave this file only as buffers that
/// are valid until the next ``next()`` or ``reset()``; whoever takes them lends them on as spans and keeps nothing.
/// The wrapped statement belongs to GRDB's cache, lives as long as its connection, and is only used inside that
/// connection's ``Connection/read(_:_:)`` or ``Connection/write(_:_:)``.
@safe
struct HotStatement {
    private let statement: Statement
    private let pointer: OpaquePointer

    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        unsafe pointer = statement.sqliteStatement
        reset()
    }

    func bind(_ value: Int64, at index: Int32) {
        unsafe _ = sqlite3_bind_int64(pointer, index, value)
    }

    func bindNull(at index: Int32) {
        unsafe _ = sqlite3_bind_null(pointer, index)
    }

    /// SQLite copies the text.
    func bind(_ text: String, at index: Int32) {
        unsafe Self.withUTF8(of: text) { unsafe bind(text: $0, at: index) }
    }

    private func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32) {
        // Without a first character there may be no address, which would bind NULL instead of an empty text.
        guard !text.isEmpty else { return unsafe _ = sqlite3_bind_text(pointer, index, "", 0, Self.transient) }
        unsafe text.withMemoryRebound(to: CChar.self) { text in
            unsafe _ = sqlite3_bind_text(pointer, index, text.baseAddress, Int32(text.count), Self.transient)
        }
    }

    /// Without the copy that `String.withUTF8`, being mutating, would need.
    private static func withUTF8(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if unsafe text.utf8.withContiguousStorageIfAvailable(body) == nil {
            var copy = text
            copy.withUTF8(body)
        }
    }

    func bind(_ text: String?, at index: Int32) {
        if let text { bind(text, at: index) } else { bindNull(at: index) }
    }

    /// The token as ``StoredToken`` stores it.
    func bind(token: String, at index: Int32) {
        unsafe Self.withUTF8(of: token) { text in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoredToken.longestHex / 2) { bytes in
                if let count = unsafe StoredToken.decode(text, into: bytes) {
                    unsafe bind(
                        blob: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]), at: index)
                } else {
                    unsafe bind(text: text, at: index)
                }
            }
        }
    }

    func bind(_ value: Int64?, at index: Int32) {
        if let value { bind(value, at: index) } else { bindNull(at: index) }
    }

    /// Outside loops: the value is an object.
    func bind(_ value: DatabaseValue, at index: Int32) {
        switch value.storage {
        case .null: bindNull(at: index)
        case .int64(let integer): bind(integer, at: index)
        case .double(let number): unsafe _ = sqlite3_bind_double(pointer, index, number)
        case .string(let text): bind(text, at: index)
        case .blob(let bytes): unsafe bytes.withUnsafeBytes { unsafe bind(blob: $0, at: index) }
        }
    }

    /// SQLite copies the bytes.
    func bind(blob: UnsafeRawBufferPointer, at index: Int32) {
        unsafe _ = sqlite3_bind_blob(pointer, index, blob.baseAddress, Int32(blob.count), Self.transient)
    }

    /// Runs a statement that gives no rows and makes it ready for the next run.
    func run() throws {
        let code = unsafe sqlite3_step(pointer)
        try finish(code, expecting: SQLITE_DONE)
    }

    /// Runs a statement that changes rows. - Returns: how many it changed.
    func change() throws -> Int {
        try run()
        return unsafe Int(sqlite3_changes(sqlite3_db_handle(pointer)))
    }

    /// Whether there is another row. After false, and after an error, the statement is ready for its next run.
    func next() throws -> Bool {
        let code = unsafe sqlite3_step(pointer)
        if code == SQLITE_ROW { return true }
        try finish(code, expecting: SQLITE_DONE)
        return false
    }

    func reset() {
        unsafe _ = sqlite3_reset(pointer)
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(pointer, column)
    }

    /// nil for NULL.
    func optionalInteger(_ column: Int32) -> Int64? {
        unsafe sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : integer(column)
    }

    func isBlob(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(pointer, column) == SQLITE_BLOB
    }

    /// Text or blob as bytes, lent until the next step; empty for NULL.
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = unsafe sqlite3_column_blob(pointer, column)
        let count = unsafe Int(sqlite3_column_bytes(pointer, column))
        guard let start = unsafe start, count > 0 else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
        return unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }

    var lastInsertedID: Int64 {
        unsafe sqlite3_last_insert_rowid(sqlite3_db_handle(pointer))
    }

    private func finish(_ code: Int32, expecting expected: Int32) throws {
        // Reset first: it releases the statement's locks, and a failed statement must not stay half run.
        reset()
        guard code == expected else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import: SQLite makes its own copy.
    private static let transient = unsafe unsafeBitCast(-1 as Int, to: sqlite3_destructor_type.self)
}
