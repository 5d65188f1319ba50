internal import FoundationEssentials
internal import PushModel
package import PushWire

/// A JSON object by which a program asks for something: its members are those of a use case, as far as callers
/// may say them.
package struct RequestBody: Sendable {
    let members: [JSONMember]

    package init(_ bytes: [UInt8]) throws(OperationError) {
        let value: JSONValue
        do { value = try JSONParser.parse(bytes) } catch {
            throw OperationError(.usage, "the body is not JSON: \(error.description)")
        }
        guard case .object(let members) = value else {
            throw OperationError(.usage, "the body is \(value.kind); allowed is an object")
        }
        self.members = members
    }

    /// Of no members.
    package init() { members = [] }

    package subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }

    /// The value that the object's members make up.
    /// - Parameter allowed: the members that callers may give; others are refused.
    package func read<Value: Decodable>(
        _ type: Value.Type, allowed: [String]
    ) throws(OperationError) -> Value {
        let unknown = members.filter { !allowed.contains($0.key) }
        guard unknown.isEmpty else {
            throw OperationError(
                .refused, lines: unknown.map { "\(name($0.key)): unknown key; allowed are \(list(allowed))" })
        }
        var bytes: [UInt8] = []
        JSONValue.object(members.filter { $0.value != .null }).append(to: &bytes)
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw .refused(why(error))
        }
    }

    private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
    /// Of whatever length it was sent.
    private func name(_ key: String) -> String { key.printable(atMost: 64) }

    /// Names the member, and nothing of what it says.
    private func why(_ error: any Error) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "the body" : path.map(\.stringValue).joined(separator: ".")
        }
        return switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context.codingPath + [key])): missing"
        case DecodingError.valueNotFound(_, let context): "\(place(context.codingPath)): missing"
        case DecodingError.typeMismatch(_, let context): "\(place(context.codingPath)): of another type"
        case DecodingError.dataCorrupted(let context): "\(place(context.codingPath)): not one of its values"
        default: "the body cannot be read"
        }
    }
}
