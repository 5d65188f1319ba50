/// One member of an object of a document, declared once: what reads, checks, writes and describes it follows.
struct Field<Root: Sendable>: Sendable {
    let member: Schema.Member
    /// Whether its absence is a fault, whatever else the object says.
    fileprivate let isRequired: Bool
    fileprivate let read: @Sendable (inout DocumentReader, DocumentReader.Object, inout Root) -> Void
    fileprivate let write: @Sendable (inout DocumentWriter, Root, _ unset: Root) -> Void

    var name: String { member.name }

    /// A member that asks for more than its own value.
    /// - Parameters:
    ///   - member: how it is described. Whether it may be absent is for `read` to check.
    ///   - read: from the object; the member may be absent.
    init(
        _ member: Schema.Member,
        read: @escaping @Sendable (inout DocumentReader, DocumentReader.Object, inout Root) -> Void = {
            _, _, _ in
        },
        write: @escaping @Sendable (inout DocumentWriter, Root, _ unset: Root) -> Void = { _, _, _ in }
    ) {
        (self.member, isRequired) = (member, false)
        (self.read, self.write) = (read, write)
    }

    private init<Value>(
        _ name: String, _ form: Form<Value>, isRequired: Bool, _ about: String?,
        set: @escaping @Sendable (inout Root, Value) -> Void,
        write: @escaping @Sendable (inout DocumentWriter, Root, _ unset: Root) -> Void
    ) {
        member = Schema.Member(name, form.schema, isRequired: isRequired, about: about)
        self.isRequired = isRequired
        read = { reader, object, root in
            guard let value = object.value(name),
                let read = form.read(&reader, value, object.path(of: name))
            else { return }
            set(&root, read)
        }
        self.write = write
    }

    /// A property that has a value without the member, too.
    init<Value: Equatable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>,
        isRequired: Bool = false, _ about: String? = nil
    ) {
        self.init(name, form, isRequired: isRequired, about) { root, value in
            root[keyPath: path] = value
        } write: { writer, root, unset in
            let value = root[keyPath: path]
            if value != unset[keyPath: path] { form.write(&writer, name, value) }
        }
    }

    /// A property that is nil without the member.
    init<Value>(
        _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ form: Form<Value>,
        isRequired: Bool = false, _ about: String? = nil
    ) {
        self.init(name, form, isRequired: isRequired, about) { root, value in
            root[keyPath: path] = value
        } write: { writer, root, _ in
            if let value = root[keyPath: path] { form.write(&writer, name, value) }
        }
    }

    /// What is only checked, or sets more than a property.
    init<Value>(
        _ name: String, as form: Form<Value>, _ about: String? = nil,
        set: @escaping @Sendable (inout Root, Value) -> Void = { _, _ in }
    ) {
        self.init(name, form, isRequired: false, about, set: set) { _, _, _ in }
    }
}

/// The members of an object of a document: it has none but these.
struct Fields<Root: Sendable>: Sendable {
    typealias Check = @Sendable (inout DocumentReader, DocumentReader.Object, inout Root) -> Void

    /// What an object without members says.
    let unset: Root
    /// In the order in which they are read, described and written.
    let all: [Field<Root>]
    let names: [String]
    let schema: Schema
    private let check: Check

    /// - Parameters:
    ///   - oneOfEach: of the names of each list exactly one must be there, which `check` checks.
    ///   - check: called after the members were read: what they may be together.
    init(
        _ unset: Root, _ all: [Field<Root>], oneOfEach: [[String]] = [],
        check: @escaping Check = { _, _, _ in }
    ) {
        (self.unset, self.all, self.check) = (unset, all, check)
        names = all.map(\.name)
        schema = .object(all.map(\.member), oneOfEach: oneOfEach)
    }

    /// - Returns: nil if it is no object; what is wrong with a member is noted, and the member is left out.
    func read(_ value: JSONValue, at path: String, by reader: inout DocumentReader) -> Root? {
        guard let object = reader.object(value, at: path, keys: names) else { return nil }
        for field in all where field.isRequired { reader.require(field.name, in: object) }
        var root = unset
        for field in all { field.read(&reader, object, &root) }
        check(&reader, object, &root)
        return root
    }

    /// What a whole document says.
    /// - Parameter target: where a delivery document's target is.
    /// - Throws: all that is wrong with it.
    func document(
        _ value: JSONValue, at path: String = "", target: DeliveryDocument.TargetSource = .document
    ) throws(WireError) -> Root {
        var reader = DocumentReader(target: target)
        let root = read(value, at: path, by: &reader)
        try reader.finish()
        return root ?? unset
    }

    func write(_ root: Root, by writer: inout DocumentWriter) {
        for field in all { field.write(&writer, root, unset) }
    }
}
