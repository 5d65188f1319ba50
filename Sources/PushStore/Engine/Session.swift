/// One connection of a database engine, while a transaction of it is open.
///
/// The seam between what the store says and who carries it out: SQL in the subset that SQLite and PostgreSQL share, with
/// numbered parameters (`?1`), written once. An engine opens, migrates, prepares, binds, steps and commits; it decides
/// nothing.
protocol Session: AnyObject {
    /// Ready to be bound; kept, so that the same text is prepared once. Two cannot be read from at a time.
    func statement(_ sql: String) throws -> any Statement
}

/// A prepared statement: parameters are numbered from 1, columns from 0. Nothing is allocated per row.
///
/// **The fence:** what an engine lends is a buffer that is valid until the next ``next()`` or ``reset()``; whoever takes
/// it lends it on as a span and keeps nothing. A statement is used only inside the transaction that it was made in.
protocol Statement: AnyObject {
    func bind(_ value: Int64, at index: Int32)
    func bind(_ value: Double, at index: Int32)
    func bindNull(at index: Int32)
    /// The engine copies the text, which is UTF-8.
    func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32)
    /// The engine copies the bytes.
    func bind(blob: UnsafeRawBufferPointer, at index: Int32)

    /// Whether there is another row. After false, and after an error, the statement is ready for its next run.
    func next() throws -> Bool
    func reset()
    /// Runs a statement that gives no rows and makes it ready for the next run. - Returns: how many rows it changed.
    @discardableResult
    func change() throws -> Int

    var columnNames: [String] { get }
    func value(_ column: Int32) -> SQLValue
    func integer(_ column: Int32) -> Int64
    func isNull(_ column: Int32) -> Bool
    func isBlob(_ column: Int32) -> Bool
    /// Text or blob as bytes, lent until the next step; empty for NULL.
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>
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

    /// The token as ``StoredToken`` stores it.
    func bind(token: String, at index: Int32) {
        unsafe withUTF8(of: token) { text in
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

    /// Outside loops: the value may be an object.
    func bind(_ value: SQLValue, at index: Int32) {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let integer): bind(integer, at: index)
        case .real(let number): bind(number, at: index)
        case .text(let text): bind(text, at: index)
        case .bytes(let bytes): unsafe bytes.withUnsafeBytes { unsafe bind(blob: $0, at: index) }
        }
    }

    func bind(_ arguments: [any SQLConvertible]) {
        for (index, argument) in arguments.enumerated() { bind(argument.sqlValue, at: Int32(index + 1)) }
    }

    func run() throws { try change() }

    /// nil for NULL.
    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
}
