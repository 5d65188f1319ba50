internal import FoundationEssentials
internal import GRDB
internal import GRDBSQLite

/// A statement driven by SQLite's own functions. GRDB's arguments and rows are objects, which cost more than
/// the statement itself if it runs a million times.
///
/// The wrapped statement belongs to GRDB's cache, lives as long as its connection, and is used only inside
/// that connection's ``Connection/read(_:of:_:)`` or ``Connection/write(_:of:_:)``.
@safe
final class SQLiteStatement: Statement {
    private let statement: GRDB.Statement
    private let pointer: OpaquePointer

    init(_ statement: GRDB.Statement) {
        self.statement = statement
        unsafe pointer = statement.sqliteStatement
        reset()
    }

    func bind(_ value: Int64, at index: Int32) {
        unsafe _ = sqlite3_bind_int64(pointer, index, value)
    }

    func bind(_ value: Double, at index: Int32) {
        unsafe _ = sqlite3_bind_double(pointer, index, value)
    }

    func bindNull(at index: Int32) {
        unsafe _ = sqlite3_bind_null(pointer, index)
    }

    func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32) {
        // An empty text may have no address, which would bind NULL instead of an empty text.
        guard !text.isEmpty else {
            return unsafe _ = sqlite3_bind_text(pointer, index, "", 0, Self.transient)
        }
        unsafe text.withMemoryRebound(to: CChar.self) { text in
            unsafe _ = sqlite3_bind_text(pointer, index, text.baseAddress, Int32(text.count), Self.transient)
        }
    }

    func bind(blob: UnsafeRawBufferPointer, at index: Int32) {
        guard unsafe !blob.isEmpty else { return unsafe _ = sqlite3_bind_zeroblob(pointer, index, 0) }
        unsafe _ = sqlite3_bind_blob(pointer, index, blob.baseAddress, Int32(blob.count), Self.transient)
    }

    func bind(tokenBytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
        unsafe bind(blob: UnsafeRawBufferPointer(tokenBytes), at: index)
    }

    func bind(token: UnsafeBufferPointer<UInt8>, at index: Int32) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoredToken.maxHexDigits / 2) {
            bytes in
            if let count = unsafe StoredToken.decode(token, into: bytes) {
                unsafe bind(
                    blob: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]), at: index
                )
            } else {
                unsafe bind(text: token, at: index)
            }
        }
    }

    /// Does nothing, because the engine is in this process.
    func start() throws {}

    func run() throws { _ = try change() }

    func change() throws -> Int {
        let code = unsafe sqlite3_step(pointer)
        try finish(code, expecting: SQLITE_DONE)
        return unsafe Int(sqlite3_changes(sqlite3_db_handle(pointer)))
    }

    func next() throws -> Bool {
        let code = unsafe sqlite3_step(pointer)
        if code == SQLITE_ROW { return true }
        try finish(code, expecting: SQLITE_DONE)
        return false
    }

    func reset() {
        unsafe _ = sqlite3_reset(pointer)
    }

    var columnNames: [String] { statement.columnNames }

    func value(_ column: Int32) -> SQLValue {
        switch unsafe sqlite3_column_type(pointer, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(pointer, column))
        case SQLITE_TEXT: .text(unsafe String(decoding: bytes(column), as: UTF8.self))
        default: .bytes(unsafe Array(bytes(column)))
        }
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(pointer, column)
    }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(pointer, column) == SQLITE_NULL
    }

    func isBlob(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(pointer, column) == SQLITE_BLOB
    }

    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = unsafe sqlite3_column_blob(pointer, column)
        let count = unsafe Int(sqlite3_column_bytes(pointer, column))
        guard let start = unsafe start, count > 0 else {
            return unsafe UnsafeBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }

    private func finish(_ code: Int32, expecting expected: Int32) throws {
        // Reset first: this releases the statement's locks, and a failed statement must not remain half
        // executed.
        reset()
        guard code == expected else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import. It makes SQLite take its own copy.
    private static let transient = unsafe unsafeBitCast(-1 as Int, to: sqlite3_destructor_type.self)
}
