/// One connection of a database engine during an open transaction.
///
/// This is the boundary between the store's statements and the engine that executes them: SQL in the subset
/// that SQLite and PostgreSQL share, with numbered parameters (`?1`), written once. An engine opens,
/// migrates, prepares, binds, steps and commits. It makes no decisions.
protocol Session: AnyObject {
    /// Returns a statement that is ready to be bound. Prepared statements are kept, so each text is prepared
    /// only once. Two statements cannot be read from at the same time.
    func statement(_ sql: String) throws -> any Statement
    /// Returns a statement that takes many values for one parameter, for engines on which a round trip for
    /// each row is the main cost. Its text is PostgreSQL's, in which `unnest` turns the values into rows.
    /// `nil` if the engine needs no round trips; rows are then processed one at a time.
    func arrayStatement(_ sql: String) throws -> (any ArrayStatement)?
    var dialect: SQLDialect { get }
    /// The number that identifies this process as the holder of its parts, if several hosts share the store;
    /// `nil` if all parts belong to this process.
    var term: Int64? { get }
    /// The number of rows that the connection has changed since it was created, as far as the engine has
    /// answered: see ``settle()``.
    var totalChanges: Int { get }
    /// Waits for the statements that ``Statement/run()`` has run without waiting. This call, not a later one,
    /// throws the errors of these statements.
    func settle() throws
}

extension Session {
    var term: Int64? { nil }
}

/// The values that are given to a statement before it runs, numbered from 1.
protocol Parameters: AnyObject {
    func bind(_ value: Int64, at index: Int32)
    /// `nil` means NULL. This applies to all optional parameters.
    func bind(_ value: Int64?, at index: Int32)
    func bind(_ text: String?, at index: Int32)
    /// The text is UTF-8. The engine copies it.
    func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32)
    /// See ``StoredToken``.
    func bind(token: String, at index: Int32)
    /// Binds a device token of hexadecimal digits, given as the bytes that they represent: see
    /// ``StoredToken``.
    func bind(tokenBytes: UnsafeBufferPointer<UInt8>, at index: Int32)
    /// The engine copies the bytes.
    func bind(blob: UnsafeRawBufferPointer, at index: Int32)
}

/// A prepared statement. Parameters are numbered from 1, columns from 0. Nothing is allocated per row.
///
/// **The fence:** the engine lends a buffer that is valid until the next ``next()`` or ``reset()``. A caller
/// that receives the buffer may lend it to others as a span, but must not keep it. A statement is used only
/// within the transaction in which it was created.
protocol Statement: Parameters {
    func bind(_ value: Double, at index: Int32)
    func bindNull(at index: Int32)
    /// Binds a device token, as UTF-8: see ``StoredToken``.
    func bind(token: UnsafeBufferPointer<UInt8>, at index: Int32)

    /// Requests the rows that ``next()`` will read. If the engine is a server, everything that is requested
    /// before the first wait for a row takes one round trip.
    func start() throws
    /// Reads the next row and reports whether there was one. After `false` and after an error, the statement
    /// is ready for its next run.
    func next() throws -> Bool
    func reset()
    /// Runs a statement that returns no rows and makes it ready for the next run.
    /// - Returns: The number of rows that the statement changed.
    @discardableResult
    func change() throws -> Int
    /// Runs a statement that returns no rows. This call does not report how many rows the statement changed,
    /// so the caller need not wait for a server. A later statement of the transaction, or its commit, may
    /// report the error.
    func run() throws

    var columnNames: [String] { get }
    func value(_ column: Int32) -> SQLValue
    func integer(_ column: Int32) -> Int64
    func isNull(_ column: Int32) -> Bool
    func isBlob(_ column: Int32) -> Bool
    /// Returns text or a blob as bytes, which are valid until the next step; empty for NULL.
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>
}

/// A statement whose parameters may be arrays.
protocol ArrayStatement: Statement {
    /// The number of rows in the whole result. It is available while one of the rows is being read.
    var rowCount: Int { get }
    /// Binds a `BIGINT[]`.
    func bind(_ integers: [Int64], at index: Int32)
    /// Binds a `TEXT[]`. In an array, a device token is a text as well.
    func bind(_ texts: [String?], at index: Int32)
}

extension Statement {
    func bind(_ text: String, at index: Int32) {
        unsafe withUTF8(of: text) { unsafe bind(text: $0, at: index) }
    }

    /// Avoids the copy that the mutating `String.withUTF8` would need.
    private func withUTF8(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if unsafe text.utf8.withContiguousStorageIfAvailable(body) == nil {
            var copy = text
            copy.withUTF8(body)
        }
    }

    func bind(_ text: String?, at index: Int32) {
        if let text { bind(text, at: index) } else { bindNull(at: index) }
    }

    func bind(_ value: Bool, at index: Int32) { bind(value ? 1 as Int64 : 0, at: index) }

    func bind(_ value: Int64?, at index: Int32) {
        if let value { bind(value, at: index) } else { bindNull(at: index) }
    }

    func bind(token: String, at index: Int32) {
        unsafe withUTF8(of: token) { unsafe bind(token: $0, at: index) }
    }

    /// For use outside loops, because the value may be an object.
    func bind(_ value: SQLValue, at index: Int32) {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let integer): bind(integer, at: index)
        case .real(let number): bind(number, at: index)
        case .text(let text): bind(text, at: index)
        case .token(let token): bind(token: token, at: index)
        case .bytes(let bytes): unsafe bytes.withUnsafeBytes { unsafe bind(blob: $0, at: index) }
        }
    }

    func bind(_ arguments: [any SQLConvertible]) {
        for (index, argument) in arguments.enumerated() { bind(argument.sqlValue, at: Int32(index + 1)) }
    }

    /// Returns `nil` for NULL.
    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
}
