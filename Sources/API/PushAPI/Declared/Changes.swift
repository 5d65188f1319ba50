internal import PushWire

/// The changes that a caller makes to a noun's fields. A member that the caller omits keeps its value. A
/// member that is null gets the value that it has by default when the noun is created. A member with any
/// other value gets that value (RFC 7396).
package struct Changes<Fields: Members>: Members {
    private var given: [JSONMember] = []

    package init() {}

    package var isEmpty: Bool { given.isEmpty }
    /// The names of the members that change.
    var names: [String] { given.map(\.key) }

    /// - Parameter value: `nil` keeps the present value.
    @_semantics("optimize.sil.specialize.generic.never")
    package mutating func set<Value: Readable>(
        _ path: any WritableKeyPath<Fields, Value> & Sendable, to value: Value?
    ) {
        guard let value, let member = Self.member(path) else { return }
        set(member.declaration.name, to: value.json ?? .null)
    }

    /// The new value of a member; `nil` if the member keeps its present value.
    package subscript<Value: Readable>(path: any WritableKeyPath<Fields, Value> & Sendable) -> Value? {
        guard let member = Self.member(path), let json = value(member.declaration.name) else { return nil }
        var (fields, faults) = (Fields(), Faults())
        member.change(&fields, to: json, "", &faults)
        return fields[keyPath: path]
    }

    private static func member(_ path: AnyKeyPath) -> Member<Fields>? {
        Fields.members.first { $0.path == path }
    }

    fileprivate mutating func set(_ name: String, to value: JSONValue) {
        given.removeAll { $0.key == name }
        given.append(JSONMember(key: name, value: value))
    }

    /// - Throws: If a member that must have a value is removed.
    @_semantics("optimize.sil.specialize.generic.never")
    package func apply(to fields: inout Fields) throws(OperationError) {
        let faults = merge(into: &fields)
        if !faults.isEmpty { throw OperationError(.refused, faults.listed) }
    }

    /// Applies the changes to the fields. Whether the changes have faults does not depend on the fields.
    @discardableResult
    @_semantics("optimize.sil.specialize.generic.never")
    func merge(into fields: inout Fields) -> Faults {
        var faults = Faults()
        for member in Fields.members {
            let declaration = member.declaration
            guard let value = given.first(where: { $0.key == declaration.name })?.value else { continue }
            member.change(&fields, to: value, declaration.name, &faults)
        }
        return faults
    }

    @_semantics("optimize.sil.specialize.generic.never")
    package static var members: [Member<Self>] {
        Fields.members.map { Member(changing: $0, of: Self.self) }
    }

    fileprivate func value(_ name: String) -> JSONValue? { given.first { $0.key == name }?.value }
}

extension Member {
    /// Sets the member. If `json` is null and the member has a default, the member is set to the default.
    fileprivate func change(_ root: inout Root, to json: JSONValue, _ path: String, _ faults: inout Faults) {
        let preset = declaration.takesNull ? declaration.preset : nil
        set(&root, json == .null ? preset ?? .null : json, path, &faults)
    }

    /// Creates a member of a change: the field can be kept, removed or set.
    fileprivate init<Fields: Members>(changing member: Member<Fields>, of type: Changes<Fields>.Type)
    where Root == Changes<Fields> {
        let declaration = member.declaration
        self.init(
            Declaration(
                name: declaration.name, place: declaration.place, help: declaration.help,
                // A field that must have a value cannot be removed, because reading the field refuses null.
                schema: declaration.isRequired || !declaration.takesNull
                    ? declaration.schema : .orNull(declaration.schema.withoutNull),
                isRequired: false, preset: nil,
                absent: declaration.absent, isChange: true),
            path: member.path,
            set: { changes, json, path, faults in
                var fields = Fields()
                let before = faults.count
                member.change(&fields, to: json, path, &faults)
                if faults.count == before { changes.set(declaration.name, to: json) }
            },
            get: { $0.value(declaration.name) })
        if declaration.isSecret { self = secret }
    }
}
