package import PushWire

/// A value whose JSON is an object with declared members.
///
/// **Promises.** Reading lists every fault, each with its path and the allowed values. An unknown member is a
/// fault, so that nothing that a caller sends is ignored.
package protocol Members: Described, Codable {
    init()
    static var members: [Member<Self>] { get }
    /// What the API's description calls it.
    static var schemaName: String { get }
}

extension Members {
    package static var schemaName: String { "\(Self.self)" }
    package static var schema: Schema { .declared(Self.self) }
    package static var declarations: [Declaration] { members.map(\.declaration) }

    package var json: JSONValue? {
        .object(
            Self.members.compactMap { member in
                member.get(self).map { JSONMember(key: member.declaration.name, value: $0) }
            })
    }

    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        guard case .object(let given) = json else {
            faults.refuse(json, at: path, "an object")
            return nil
        }
        faults.refuse(given, unknownTo: declarations, at: path)
        return read(given, at: path, &faults)
    }

    /// The value of these members, and of presets where one is absent.
    static func read(_ given: [JSONMember], at path: String, _ faults: inout Faults) -> Self? {
        var value = Self()
        let before = faults.lines.count
        for member in members {
            let declaration = member.declaration
            let place = Faults.path(path, declaration.name)
            if let json = given.first(where: { $0.key == declaration.name })?.value ?? declaration.preset {
                member.set(&value, json, place, &faults)
            } else if declaration.isRequired {
                faults.note(place, "missing")
            }
        }
        return faults.lines.count == before ? value : nil
    }

    // MARK: Codable, for what is made of other values

    package init(from decoder: any Decoder) throws {
        var faults = Faults()
        guard let value = Self.read(try JSONValue(from: decoder), at: "", &faults) else {
            throw OperationError(.usage, lines: faults.lines)
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws { try (json ?? .null).encode(to: encoder) }
}
