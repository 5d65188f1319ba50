/// The engine for which an SQL text is written, if one text cannot serve both engines. The two texts are then
/// placed side by side.
enum SQLDialect {
    case sqlite, postgreSQL
}

extension SQLDialect {
    /// Returns a condition that is true if a column has one of the numbers of a list.
    /// - Parameter list: The statement's parameter with the ``SQLNumbers``, such as `?1`.
    func isAmong(_ list: String, _ column: String) -> String {
        switch self {
        case .sqlite: "\(column) IN (SELECT value FROM json_each('[' || \(list) || ']'))"
        case .postgreSQL: "\(column) = ANY (CAST(string_to_array(CAST(\(list) AS TEXT), ',') AS BIGINT[]))"
        }
    }
}

/// Numbers as one argument of a statement, for ``SQLDialect/isAmong(_:_:)``.
enum SQLNumbers {
    static func list(_ numbers: some Sequence<Int64>) -> String {
        numbers.map(String.init).joined(separator: ",")
    }
}
