/// One connection of a database engine, while a transaction of it is open.
///
/// The seam between what the store says and who carries it out: SQL in the subset that SQLite and PostgreSQL
/// share, with numbered parameters (`?1`), written once. An engine opens, migrates, prepares, binds, steps
/// and commits; it decides nothing.
protocol Session: AnyObject {
    /// Ready to be bound; kept, so that the same text is prepared once. Two cannot be read from at a time.
    func statement(_ sql: String) throws -> any Statement
    /// A statement that takes many values for one parameter, where a journey for each row is what costs: its
    /// text is PostgreSQL's, whose `unnest` makes rows of them. nil where the engine is no journey away: a
    /// row at a time then.
    func arrayStatement(_ sql: String) throws -> (any ArrayStatement)?
    var dialect: SQLDialect { get }
    /// By which this process has parts, where several hosts share the store; nil: all are its own.
    var term: Int64? { get }
    /// Rows that the connection has changed since it was made, as far as the engine has answered: see ``settle()``.
    var totalChanges: Int { get }
    /// Waits for what was run without being waited for: an error of it comes here, and not with what follows.
    func settle() throws
}

extension Session {
    var term: Int64? { nil }
}

/// What is given to a statement before it runs, by numbers from 1.
protocol Parameters: AnyObject {
    func bind(_ value: Int64, at index: Int32)
    /// nil is NULL, here and below.
    func bind(_ value: Int64?, at index: Int32)
    func bind(_ text: String?, at index: Int32)
    /// The engine copies the text, which is UTF-8.
    func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32)
    /// See ``StoredToken``.
    func bind(token: String, at index: Int32)
    /// A device token of hexadecimal digits, as the bytes that they spell: see ``StoredToken``.
    func bind(tokenBytes: UnsafeBufferPointer<UInt8>, at index: Int32)
    /// The engine copies the bytes.
    func bind(blob: UnsafeRawBufferPointer, at index: Int32)
}

/// A prepared statement: parameters are numbered from 1, columns from 0. Nothing is allocated per row.
///
/// **The fence:** what an engine lends is a buffer that is valid until the next ``next()`` or ``reset()``;
/// whoever takes it lends it on as a span and keeps nothing. A statement is used only inside the transaction
/// that it was made in.
protocol Statement: Parameters {
    func bind(_ value: Double, at index: Int32)
    func bindNull(at index: Int32)
    /// A device token, as UTF-8: see ``StoredToken``.
    func bind(token: UnsafeBufferPointer<UInt8>, at index: Int32)

    /// Asks for rows that ``next()`` will be called for: with an engine that is a journey away, all that is
    /// asked before a row is waited for takes one journey.
    func start() throws
    /// Whether there is another row. After false, and after an error, the statement is ready for its next
    /// run.
    func next() throws -> Bool
    func reset()
    /// Runs a statement that gives no rows and makes it ready for the next run. - Returns: how many rows it
    /// changed.
    @discardableResult
    func change() throws -> Int
    /// The same for whoever does not ask how many: an engine that is a journey away need not be waited for.
    /// An error of it may come with a later statement of the transaction, or with its commit.
    func run() throws

    var columnNames: [String] { get }
    func value(_ column: Int32) -> SQLValue
    func integer(_ column: Int32) -> Int64
    func isNull(_ column: Int32) -> Bool
    func isBlob(_ column: Int32) -> Bool
    /// Text or blob as bytes, lent until the next step; empty for NULL.
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>
}

/// A statement whose parameters may be arrays.
protocol ArrayStatement: Statement {
    /// Rows of the whole answer, while one of them is read.
    var rowCount: Int { get }
    /// `BIGINT[]`
    func bind(_ integers: [Int64], at index: Int32)
    /// `TEXT[]`; a device token too is a text there.
    func bind(_ texts: [String?], at index: Int32)
}

extension Statement {
    func bind(_ text: String, at index: Int32) {
        unsafe withUTF8(of: text) { unsafe bind(text: $0, at: index) }
    }

    /// Without the copy that `String.withUTF8`, being mutating, would need.
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

    /// Outside loops: the value may be an object.
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

    /// nil for NULL.
    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
}
