/// A JSON document as a value. Members keep their order; no object holds a key twice.
package indirect enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// Written without fraction and exponent, and within 64 bits.
    case integer(Int64)
    /// Every other number.
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// For messages: says what it is and nothing of what it says.
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

    /// The same with the members of each object in the order of their names: what two programs write of the same
    /// values is then the same.
    package var sorted: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let members):
            .object(
                members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                    .map { JSONMember(key: $0.key, value: $0.value.sorted) })
        case .null, .boolean, .integer, .real, .string: self
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

/// Why bytes are not JSON.
package struct JSONFault: Error, Equatable, CustomStringConvertible {
    package var line: Int
    /// In bytes, from 1.
    package var column: Int
    package var problem: String
    package var description: String { "line \(line), column \(column): \(problem)" }
}
