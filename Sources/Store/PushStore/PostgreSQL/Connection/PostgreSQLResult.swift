internal import CPushShims

/// The rows or the error in an answer.
@safe
final class PostgreSQLResult {
    private let result: OpaquePointer
    let rows: Int

    init(_ result: OpaquePointer) {
        unsafe self.result = unsafe result
        rows = unsafe Int(push_pg_rows(result))
    }

    deinit { unsafe push_pg_clear(result) }

    /// The SQLSTATE; `nil` if this is not an error.
    var errorState: String? {
        unsafe push_pg_is_error(result) != 0 ? unsafe String(cString: push_pg_state(result)) : nil
    }

    var changes: Int { unsafe Int(push_pg_changed(result)) }
    var tag: String { unsafe String(cString: push_pg_tag(result)) }

    var columnNames: [String] {
        unsafe (0..<push_pg_columns(result)).map { column in
            unsafe push_pg_column(result, column).map { unsafe String(cString: $0) } ?? ""
        }
    }

    /// - Throws: If the type of a column is not supported, such as that of a sum that was not cast.
    func types() throws -> [PostgreSQLType] {
        unsafe try (0..<push_pg_columns(result)).map { column in
            let number = unsafe push_pg_type(result, column)
            guard let type = PostgreSQLType(rawValue: number) else {
                throw PostgreSQLError.unknownType(number)
            }
            return type
        }
    }

    func isNull(row: Int32, column: Int32) -> Bool { unsafe push_pg_is_null(result, row, column) != 0 }

    func bytes(row: Int32, column: Int32) -> UnsafeBufferPointer<UInt8> {
        let count = unsafe Int(push_pg_length(result, row, column))
        guard count > 0 else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
        let start = unsafe UnsafeRawPointer(push_pg_value(result, row, column))
        return unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }

    /// Returns an integer of any width, or a Boolean value.
    func integer(row: Int32, column: Int32) -> Int64 {
        let bytes = unsafe bytes(row: row, column: column)
        guard let first = unsafe bytes.first else { return 0 }
        var value: Int64 = bytes.count > 1 && first & 0x80 != 0 ? -1 : 0
        for index in bytes.indices { value = value << 8 | Int64(unsafe bytes[index]) }
        return value
    }
}

/// The types of columns in statements, with their numbers in `pg_type`.
enum PostgreSQLType: UInt32 {
    case bool = 16
    case bytea = 17
    case character = 18
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case float8 = 701
    /// A literal without a declared type, which is text.
    case unknown = 705
    case varchar = 1_043
}
