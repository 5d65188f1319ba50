package import PushWire

/// A value whose JSON is an object with declared members.
///
/// **Promises.** Reading lists every fault, each with its path and the allowed values. Nothing that a caller
/// sends is ignored, because an unknown member is a fault.
package protocol Members: Readable, Component, Codable {
    init()
    static var members: [Member<Self>] { get }
}

extension Members {
    @_semantics("optimize.sil.specialize.generic.never")
    package static var sample: Self? { Self() }
    @_semantics("optimize.sil.specialize.generic.never")
    package static var schemaMembers: [Schema.Member] { declarations.map { $0.schemaMember() } }
    @_semantics("optimize.sil.specialize.generic.never")
    package static var declarations: [Declaration] { members.map(\.declaration) }

    @_semantics("optimize.sil.specialize.generic.never")
    package var json: JSONValue? {
        .object(
            Self.members.compactMap { member in
                member.get(self).map { JSONMember(key: member.declaration.name, value: $0) }
            })
    }

    @_semantics("optimize.sil.specialize.generic.never")
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        guard case .object(let given) = json else { return faults.refuse(json, at: path, "an object") }
        faults.refuse(given, unknownTo: declarations, at: path)
        return read(given, at: path, &faults)
    }

    /// Returns a value with these members, and with presets for absent members.
    @_semantics("optimize.sil.specialize.generic.never")
    static func read(_ given: [JSONMember], at path: String, _ faults: inout Faults) -> Self? {
        var value = Self()
        let before = faults.count
        value.take(given, of: members, at: path, &faults)
        return faults.count == before ? value : nil
    }

    /// Sets the given members to their values and the other members to their presets.
    @_semantics("optimize.sil.specialize.generic.never")
    mutating func take(
        _ given: [JSONMember], of members: [Member<Self>], at path: String, _ faults: inout Faults
    ) {
        for member in members {
            let declaration = member.declaration
            let place = Faults.path(path, declaration.name)
            let json = given.first { $0.key == declaration.name }?.value
            // A member with a preset may be null, which means that the member is absent.
            if let json = json == .null ? declaration.preset ?? json : json ?? declaration.preset {
                faults.withholding(if: declaration.isSecret) { member.set(&self, json, place, &$0) }
            } else if declaration.isRequired {
                faults.note(place, "missing")
            }
        }
    }

    // MARK: Codable, for values that consist of other values

    @_semantics("optimize.sil.specialize.generic.never")
    package init(from decoder: any Decoder) throws {
        var faults = Faults()
        guard let value = Self.read(try JSONValue(from: decoder), at: "", &faults) else {
            throw OperationError(.usage, faults.listed)
        }
        self = value
    }

    @_semantics("optimize.sil.specialize.generic.never")
    package func encode(to encoder: any Encoder) throws { try (json ?? .null).encode(to: encoder) }
}

extension Member where Root: Members {
    /// Returns what is wrong with a value of this member; `nil` if nothing is wrong. The text contains
    /// neither the member's name nor the value, because the caller displays them.
    @_semantics("optimize.sil.specialize.generic.never")
    package func fault(of value: JSONValue) -> String? {
        var (root, faults) = (Root(), Faults())
        faults.echo = .nothing
        set(&root, value, declaration.name, &faults)
        return faults.all.first?.problem
    }
}

extension Faults {
    mutating func refuse(_ given: [JSONMember], unknownTo known: [Declaration], at path: String) {
        let names = known.map(\.name)
        for key in given.map(\.key) where !names.contains(key) {
            refuseUnknown(Self.path(path, key), known: names)
        }
    }
}
