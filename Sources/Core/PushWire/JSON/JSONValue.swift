/// A JSON document as a value. Members keep their order, and no object contains a key twice.
package indirect enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// A number that fits in 64 bits and is written without a fraction or an exponent.
    case integer(Int64)
    /// Any other number.
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// The kind of the value, for error messages that must not contain the value itself.
    package var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The same value, with the members of each object sorted by name.
    package var sorted: JSONValue { sorted(integers: false) }

    /// The same value in a form that does not depend on how a program wrote it: members are sorted by name,
    /// and each whole number is an integer (1.0 and 1e0 become 1).
    package var canonical: JSONValue { sorted(integers: true) }

    private func sorted(integers: Bool) -> JSONValue {
        switch self {
        case .array(let elements): .array(elements.map { $0.sorted(integers: integers) })
        case .object(let members):
            .object(
                members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                    .map { JSONMember(key: $0.key, value: $0.value.sorted(integers: integers)) })
        case .real(let number): (integers ? Int64(exactly: number) : nil).map { .integer($0) } ?? self
        case .null, .boolean, .integer, .string: self
        }
    }

    /// The value of an object's member.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}

package struct JSONMember: Equatable, Sendable {
    package var key: String
    package var value: JSONValue
    package init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

/// The reason why bytes are not JSON.
package struct JSONFault: Error, Equatable, CustomStringConvertible {
    package var line: Int
    /// The column in characters (Unicode scalars), from 1.
    package var column: Int
    package var problem: String
    package var description: String { "line \(line), column \(column): \(problem)" }
}
