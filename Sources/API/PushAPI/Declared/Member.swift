package import PushWire

/// One member of a request, of an answer, or of an object within them. It is declared once; reading,
/// checking, writing and describing it are derived from this declaration.
package struct Member<Root: Sendable>: Sendable {
    package private(set) var declaration: Declaration
    /// The property that the member represents.
    let path: any AnyKeyPath & Sendable
    package var valueType: Any.Type { Swift.type(of: path).valueType }
    /// The property that is the whole body of a request, if the member represents that property.
    let wholeBody: (any WritableKeyPath<Root, [UInt8]> & Sendable)?
    let set: @Sendable (inout Root, JSONValue, String, inout Faults) -> Void
    let get: @Sendable (Root) -> JSONValue?

    // Without these attributes, generic code would be compiled again for each member.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private init<Value: Readable>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, in place: Declaration.Place,
        _ help: String, in range: ClosedRange<Int>? = nil, schema: Schema = Value.schema,
        default preset: Value? = nil, absent: String? = nil, takesNull: Bool = true
    ) {
        self.path = path
        wholeBody = nil
        let preset = preset?.json
        let ranged =
            range.map { Value.absent == nil ? Schema.integers($0) : .orNull(.integers($0)) } ?? schema
        declaration = Declaration(
            // An address cannot express null: a parameter that the address does not contain is absent.
            name: name, place: place, help: help,
            schema: place == .path || place == .query ? ranged.withoutNull : ranged,
            isRequired: preset == nil && Value.absent == nil, preset: preset,
            absent: absent, takesNull: takesNull)
        set = { root, json, place, faults in
            if let range, json != .null, json.integer.map(range.contains) != true {
                let _: Value? = faults.refuse(
                    json, at: place, "an integer from \(range.lowerBound) to \(range.upperBound)")
            } else if let value = Value.read(json, at: place, &faults) {
                root[keyPath: path] = value
            }
        }
        get = { $0[keyPath: path].json }
    }

    init(
        _ declaration: Declaration, path: any AnyKeyPath & Sendable,
        wholeBody: (any WritableKeyPath<Root, [UInt8]> & Sendable)? = nil,
        set: @escaping @Sendable (inout Root, JSONValue, String, inout Faults) -> Void,
        get: @escaping @Sendable (Root) -> JSONValue?
    ) {
        (self.declaration, self.path, self.wholeBody) = (declaration, path, wholeBody)
        (self.set, self.get) = (set, get)
    }

    private init<Inner>(_ inner: Member<Inner>, at path: any WritableKeyPath<Root, Inner> & Sendable) {
        declaration = inner.declaration
        self.path = inner.path
        wholeBody = nil
        set = { root, json, place, faults in inner.set(&root[keyPath: path], json, place, &faults) }
        get = { inner.get($0[keyPath: path]) }
    }

    /// The same member, marked so that faults do not contain its value: a secret, a device token, or text
    /// that people wrote.
    package var secret: Self {
        var member = self
        member.declaration.isSecret = true
        return member
    }

    /// A member whose value is part of the path in a request's address.
    package static func path<Value: Readable>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ help: String,
        in range: ClosedRange<Int>? = nil
    ) -> Self { Self(path, name, in: .path, help, in: range) }

    /// - Parameters:
    ///   - range: The range of an integer.
    ///   - preset: The value of an absent member.
    package static func query<Value: Readable>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ help: String,
        in range: ClosedRange<Int>? = nil, default preset: Value? = nil
    ) -> Self { Self(path, name, in: .query, help, in: range, default: preset) }

    /// - Parameters:
    ///   - preset: The value of an absent member.
    ///   - absent: The meaning of an absent member, if its value does not state it.
    package static func field<Value: Readable>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ help: String,
        in range: ClosedRange<Int>? = nil, schema: Schema = Value.schema, default preset: Value? = nil,
        absent: String? = nil
    ) -> Self {
        Self(path, name, in: .body, help, in: range, schema: schema, default: preset, absent: absent)
    }

    /// Declares a member of a noun that must always have a value. If the noun is created without a value for
    /// the member, the member gets `preset`. A change to null is refused.
    package static func field<Value: Readable>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ help: String,
        initially preset: Value, absent: String? = nil
    ) -> Self {
        Self(path, name, in: .body, help, default: preset, absent: absent, takesNull: false)
    }

    /// The whole body of a request, which the use case parses itself.
    package static func document(
        _ path: any WritableKeyPath<Root, [UInt8]> & Sendable, schema: Schema
    ) -> Self {
        Self(
            Declaration(
                name: "", place: .document, help: "The body.", schema: schema, isRequired: true, preset: nil),
            path: path, wholeBody: path, set: { _, _, _, _ in }, get: { _ in nil })
    }

    /// A member that only other processes of the instance set. They send it over the Unix socket, in the
    /// query.
    package static func inner<Value: Readable>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, default preset: Value? = nil
    ) -> Self { Self(path, name, in: .inner, "", default: preset) }

    /// Returns the members of `Inner`, which several requests and answers share, as members of this type.
    /// - Parameter excluded: Members that this type does not have.
    package static func all<Inner: Members>(
        of path: any WritableKeyPath<Root, Inner> & Sendable, except excluded: PartialKeyPath<Inner>...
    ) -> [Self] {
        Inner.members.filter { member in !excluded.contains { $0 as AnyKeyPath == member.path } }
            .map { Self($0, at: path) }
    }
}

/// The properties of a member that do not depend on its type.
package struct Declaration: Sendable {
    package enum Place: Sendable { case path, query, body, document, inner }
    package let name: String
    package let place: Place
    package let help: String
    package let schema: Schema
    package let isRequired: Bool
    /// The value of an absent member, if it is not null.
    package let preset: JSONValue?
    /// The meaning of an absent member, such as "its name"; `nil` if ``preset`` or ``help`` states it.
    package var absent: String?
    /// Whether the member belongs to a change, which keeps the present value if the member is absent.
    package var isChange = false
    /// Whether null stands for the preset, if the member has one.
    var takesNull = true
    /// Whether faults must not contain the value.
    package fileprivate(set) var isSecret = false
}

extension JSONValue {
    fileprivate var integer: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
}
