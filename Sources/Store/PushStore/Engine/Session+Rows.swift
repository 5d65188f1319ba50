/// A row as values, for statements that are not run often.
struct Row {
    private let names: [String]
    private let values: [SQLValue]

    fileprivate init(_ statement: any Statement, _ names: [String]) {
        self.names = names
        values = names.indices.map { statement.value(Int32($0)) }
    }

    /// - Throws: ``UnreadableValue`` if the column's value has another type, which is possible in a damaged
    ///   store.
    subscript<Value: SQLConvertible>(_ name: String) -> Value {
        get throws {
            guard let index = names.firstIndex(of: name), let value = Value(values[index]) else {
                throw UnreadableValue()
            }
            return value
        }
    }

    subscript<Value: SQLConvertible>(_ column: Int) -> Value {
        get throws {
            guard values.indices.contains(column), let value = Value(values[column]) else {
                throw UnreadableValue()
            }
            return value
        }
    }
}

extension Statement {
    /// Returns the first row, as values; `nil` if there is none. The statement is ready for its next run.
    func firstRow() throws -> Row? {
        defer { reset() }
        return try next() ? Row(self, columnNames) : nil
    }
}

extension Session {
    /// Runs a statement without waiting for it. A later statement of the transaction may report its error.
    func run(sql: String, arguments: [any SQLConvertible]) throws {
        let statement = try statement(sql)
        statement.bind(arguments)
        try statement.run()
    }

    /// - Returns: The number of rows that the statement changed.
    @discardableResult
    func execute(sql: String, arguments: [any SQLConvertible] = []) throws -> Int {
        let statement = try statement(sql)
        statement.bind(arguments)
        return try statement.change()
    }

    /// - Returns: The id of the new row.
    func insert(_ sql: String, _ arguments: [any SQLConvertible]) throws -> Int64 {
        guard let id = try value(Int64.self, sql: sql + " RETURNING id", arguments: arguments) else {
            throw UnreadableValue()
        }
        return id
    }

    func rows(sql: String, arguments: [any SQLConvertible] = []) throws -> [Row] {
        try read(sql, arguments, limit: .max)
    }

    func row(sql: String, arguments: [any SQLConvertible] = []) throws -> Row? {
        try read(sql, arguments, limit: 1).first
    }

    /// Returns the first column of the first row; `nil` if there is no row, or the column is NULL.
    func value<Value: SQLConvertible>(
        _ type: Value.Type, sql: String, arguments: [any SQLConvertible] = []
    ) throws -> Value? {
        guard let row = try row(sql: sql, arguments: arguments) else { return nil }
        return try row[0] as Value?
    }

    /// Returns the first column of each row.
    func values<Value: SQLConvertible>(
        _ type: Value.Type, sql: String, arguments: [any SQLConvertible] = []
    ) throws -> [Value] {
        try rows(sql: sql, arguments: arguments).map { try $0[0] }
    }

    private func read(_ sql: String, _ arguments: [any SQLConvertible], limit: Int) throws -> [Row] {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(arguments)
        var rows: [Row] = []
        guard limit > 0, try statement.next() else { return rows }
        let names = statement.columnNames
        repeat { rows.append(Row(statement, names)) } while try rows.count < limit && statement.next()
        return rows
    }
}

/// Columns and the values that a statement assigns to them.
struct ColumnValues {
    private var columns: [(name: String, value: any SQLConvertible)]

    init(_ columns: KeyValuePairs<String, any SQLConvertible>) {
        self.columns = columns.map { ($0.key, $0.value) }
    }

    mutating func append(_ name: String, _ value: any SQLConvertible) { columns.append((name, value)) }

    var count: Int { columns.count }
    /// The values in the order of the parameters.
    var arguments: [any SQLConvertible] { columns.map(\.value) }
    /// The columns and parameters of an INSERT, for example `(label, name) VALUES (?1, ?2)`.
    var insertion: String {
        let names = columns.map(\.name).joined(separator: ", ")
        return "(\(names)) VALUES (\(columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))"
    }
    /// The assignments of an UPDATE, for example `label = ?1, name = ?2`.
    var assignments: String {
        columns.enumerated().map { "\($1.name) = ?\($0 + 1)" }.joined(separator: ", ")
    }
}
