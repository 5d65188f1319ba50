/// A statement that the server prepares when it is first run, for the types of the values that are bound at
/// that time.
///
/// If the type of a parameter is not specified, PostgreSQL infers it, but not everywhere, and not always as
/// intended. The types of the bound values are therefore specified. The server infers the type of a parameter
/// only as long as its value has always been NULL. If such a parameter later has a value, the statement is
/// prepared again.
@safe
final class PostgreSQLStatement: ArrayStatement {
    private unowned let link: PostgreSQLLink
    private let sql: String
    private let parameters: PostgreSQLParameters
    /// The types of the bound values; 0 means NULL.
    private var bound: [UInt32]
    /// The types for which the statement was prepared.
    private var prepared: [UInt32] = []
    private var name: String?
    private var result: PostgreSQLResult?
    /// The number of unanswered queries. Only the answer to the last one is used.
    private var asked = 0
    private var isAwaited = false
    private var types: [PostgreSQLType] = []
    private var row: Int32 = -1

    init(_ text: NumberedParameters, _ link: PostgreSQLLink) {
        self.link = link
        sql = text.sql
        parameters = PostgreSQLParameters(count: text.count)
        bound = [UInt32](repeating: 0, count: text.count)
        for number in text.unused { bound[number - 1] = PostgreSQLType.text.rawValue }
    }

    func forgetPreparation() { name = nil }

    // MARK: Binding

    /// Ignores an index for which the SQL text has no parameter, as SQLite does, although such an index is an
    /// error in the text.
    private func bind(
        _ type: PostgreSQLType?, at index: Int32, _ set: (borrowing PostgreSQLParameters, Int) -> Void
    ) {
        let place = Int(index) - 1
        guard bound.indices.contains(place) else { return }
        bound[place] = type?.rawValue ?? 0
        set(parameters, place)
    }

    func bind(_ value: Int64, at index: Int32) {
        bind(.int8, at: index) { $0.set(UInt64(bitPattern: value), $1) }
    }

    func bind(_ value: Double, at index: Int32) {
        bind(.float8, at: index) { $0.set(value.bitPattern, $1) }
    }

    func bindNull(at index: Int32) {
        bind(nil, at: index) { $0.setNull($1) }
    }

    func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32) {
        bind(.text, at: index) { unsafe $0.set(UnsafeRawBufferPointer(text), $1) }
    }

    func bind(blob: UnsafeRawBufferPointer, at index: Int32) {
        bind(.bytea, at: index) { unsafe $0.set(blob, $1) }
    }

    func bind(_ integers: [Int64], at index: Int32) { bind(.of(integers), at: index) }
    func bind(_ texts: [String?], at index: Int32) { bind(.of(texts), at: index) }

    private func bind(_ array: PostgreSQLArray, at index: Int32) {
        let place = Int(index) - 1
        guard bound.indices.contains(place) else { return }
        bound[place] = array.type
        unsafe array.bytes.withUnsafeBytes { unsafe parameters.set($0, place) }
    }

    /// A PostgreSQL column has only one type, so every token is stored as text.
    func bind(token: UnsafeBufferPointer<UInt8>, at index: Int32) { unsafe bind(text: token, at: index) }

    func bind(tokenBytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
        bind(unsafe StoredToken.text(of: tokenBytes), at: index)
    }

    // MARK: Running

    /// - Parameter isRead: Whether the rows are read.
    private func queue(isRead: Bool = false) throws {
        reset()
        var name = self.name
        let fits = zip(bound, prepared).allSatisfy { $0 == 0 || $0 == $1 }
        if name == nil || !fits {
            for (index, type) in bound.enumerated() where type == 0 && prepared.indices.contains(index) {
                // A parameter that is now NULL keeps its earlier type.
                bound[index] = prepared[index]
            }
            prepared = bound
            name = try link.queuePreparation(of: self, sql, types: bound)
            self.name = name
        }
        if let name { try link.queue(name, parameters, for: isRead ? self : nil) }
    }

    func start() throws {
        try queue(isRead: true)
        asked += 1
        isAwaited = true
    }

    /// Receives the answer to the earliest unanswered query.
    func take(_ answer: PostgreSQLResult) {
        asked -= 1
        if asked == 0, isAwaited { (result, row, types) = (answer, -1, []) }
    }

    /// Discards the queries that will not be answered.
    func forgetAsked() {
        asked = 0
        reset()
    }

    func next() throws -> Bool {
        if result == nil {
            if !isAwaited { try start() }
            try link.finish()
        }
        guard let result else { throw PostgreSQLError.lost(why: "an answer did not match its request") }
        if row < 0 { types = try result.types() }
        row += 1
        if Int(row) < result.rows { return true }
        reset()
        return false
    }

    var rowCount: Int { result?.rows ?? 0 }

    func reset() {
        result = nil
        isAwaited = false
        row = -1
    }

    func change() throws -> Int {
        try queue()
        return try link.finish().changes
    }

    func run() throws { try queue() }

    // MARK: Columns

    var columnNames: [String] { result?.columnNames ?? [] }

    func value(_ column: Int32) -> SQLValue {
        guard types.indices.contains(Int(column)), !isNull(column) else { return .null }
        return switch types[Int(column)] {
        case .bool, .int2, .int4, .int8: .integer(integer(column))
        case .float8: .real(Double(bitPattern: UInt64(bitPattern: integer(column))))
        case .bytea: .bytes(unsafe Array(bytes(column)))
        case .text, .varchar, .name, .character, .unknown:
            .text(unsafe String(decoding: bytes(column), as: UTF8.self))
        }
    }

    func integer(_ column: Int32) -> Int64 { result?.integer(row: row, column: column) ?? 0 }
    func isNull(_ column: Int32) -> Bool { result?.isNull(row: row, column: column) ?? true }
    func isBlob(_ column: Int32) -> Bool {
        types.indices.contains(Int(column)) && types[Int(column)] == .bytea && !isNull(column)
    }

    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        guard let result else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
        return unsafe result.bytes(row: row, column: column)
    }
}
