package import PushWire

/// One member of a request, an answer or an object within them, declared once: what reads, checks, writes and
/// describes it follows.
package struct Member<Root: Sendable>: Sendable {
    package let declaration: Declaration
    /// The property that it stands for.
    let path: any AnyKeyPath & Sendable
    let set: @Sendable (inout Root, JSONValue, String, inout Faults) -> Void
    let get: @Sendable (Root) -> JSONValue?

    // Generic code would be compiled again for each member.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private init<Value: Described>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, in place: Declaration.Place,
        _ help: String, default preset: Value?
    ) {
        self.path = path
        declaration = Declaration(
            name: name, place: place, help: help, schema: Value.schema,
            isRequired: preset == nil && Value.absent == nil, preset: preset?.json)
        set = { root, json, place, faults in
            if let value = Value.read(json, at: place, &faults) { root[keyPath: path] = value }
        }
        get = { $0[keyPath: path].json }
    }

    init(
        _ declaration: Declaration, path: any AnyKeyPath & Sendable,
        set: @escaping @Sendable (inout Root, JSONValue, String, inout Faults) -> Void,
        get: @escaping @Sendable (Root) -> JSONValue?
    ) {
        (self.declaration, self.path, self.set, self.get) = (declaration, path, set, get)
    }

    private init<Inner>(_ inner: Member<Inner>, at path: any WritableKeyPath<Root, Inner> & Sendable) {
        declaration = inner.declaration
        self.path = inner.path
        set = { root, json, place, faults in inner.set(&root[keyPath: path], json, place, &faults) }
        get = { inner.get($0[keyPath: path]) }
    }

    /// A name in the path of the address.
    package static func path<Value: Described>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ help: String
    ) -> Self { Self(path, name, in: .path, help, default: nil) }

    /// - Parameter preset: the value of an absent member.
    package static func query<Value: Described>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ help: String,
        default preset: Value? = nil
    ) -> Self { Self(path, name, in: .query, help, default: preset) }

    /// - Parameter preset: the value of an absent member.
    package static func field<Value: Described>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ help: String,
        default preset: Value? = nil
    ) -> Self { Self(path, name, in: .body, help, default: preset) }

    /// The members of a noun that several requests and answers share, as members of this one.
    package static func all<Inner: Members>(
        of path: any WritableKeyPath<Root, Inner> & Sendable
    ) -> [Self] { Inner.members.map { Self($0, at: path) } }
}

/// What is known of a member without its type.
package struct Declaration: Sendable {
    package enum Place: String, Sendable { case path, query, body }
    package let name: String
    package let place: Place
    package let help: String
    package let schema: Schema
    package let isRequired: Bool
    /// The value of an absent member, if it is not null.
    package let preset: JSONValue?
}
