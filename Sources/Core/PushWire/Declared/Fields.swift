/// The declaration of a member of an object in a document. From it, the program derives how the member is
/// read, written and described.
package struct Field<Root: Sendable>: Sendable {
    typealias Writing = @Sendable (inout DocumentWriter, Root) -> Void

    let member: Schema.Member
    /// Whether a missing member is a fault, regardless of the rest of the object.
    fileprivate let isRequired: Bool
    /// Whether faults must not contain the member's value.
    fileprivate var isSecret = false
    /// The member's earlier name in documents.
    fileprivate var earlierName: String?
    fileprivate let read: @Sendable (inout DocumentReader, JSONValue, String, inout Root) -> Void
    fileprivate let writing: @Sendable (_ unset: Root) -> Writing

    var name: String { member.name }

    /// Returns a copy of this field that can also be read under an earlier name.
    func formerly(_ name: String) -> Self {
        var field = self
        field.earlierName = name
        return field
    }

    /// A copy of this field whose value must not appear in faults.
    var secret: Self {
        var field = self
        field.isSecret = true
        return field
    }

    /// A member that sets a property. If the member is missing, the property keeps its default value.
    package init<Value: Equatable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>,
        isRequired: Bool = false, _ about: String? = nil
    ) {
        member = Schema.Member(name, form.schema, isRequired: isRequired, about: about)
        self.isRequired = isRequired
        read = { reader, value, place, root in
            if let value = form.read(&reader, value, place) { root[keyPath: path] = value }
        }
        writing = { unset in
            let unset = unset[keyPath: path]
            return { writer, root in
                let value = root[keyPath: path]
                if value != unset { form.write(&writer, name, value) }
            }
        }
    }

    /// A member that sets an optional property. If the member is missing, the property is `nil`.
    package init<Value>(
        _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ form: Form<Value>,
        isRequired: Bool = false, _ about: String? = nil
    ) {
        member = Schema.Member(name, form.schema, isRequired: isRequired, about: about)
        self.isRequired = isRequired
        read = { reader, value, place, root in
            if let value = form.read(&reader, value, place) { root[keyPath: path] = value }
        }
        writing = { _ in
            { writer, root in
                if let value = root[keyPath: path] { form.write(&writer, name, value) }
            }
        }
    }

    /// A member that is only checked, or that does not set exactly one property. It is not written.
    /// - Parameter isRequired: Whether the member is described as required. The object's check enforces this.
    init<Value>(
        _ name: String, as form: Form<Value>, isRequired: Bool = false, _ about: String? = nil,
        set: @escaping @Sendable (inout Root, Value) -> Void = { _, _ in }
    ) {
        member = Schema.Member(name, form.schema, isRequired: isRequired, about: about)
        self.isRequired = false
        read = { reader, value, place, root in
            if let value = form.read(&reader, value, place) { set(&root, value) }
        }
        writing = { _ in { _, _ in } }
    }
}

/// All members that an object in a document may have.
package struct Fields<Root: Sendable>: Sendable {
    package typealias Check = @Sendable (inout DocumentReader, DocumentReader.Object, inout Root) -> Void

    package let names: [String]
    /// Earlier names, with the indices of their fields.
    private let earlier: [String: Int]
    let schema: Schema
    /// The value of an object without members.
    private let unset: Root
    let all: [Field<Root>]
    private let writing: [Field<Root>.Writing]
    private let check: Check
    private let areSecret: Bool
    private let passesOverOthers: Bool

    /// - Parameters:
    ///   - all: The members in the order in which they are described and written.
    ///   - name: The name of the OpenAPI component that describes the object. If it is `nil`, the object is
    ///     described where it is used.
    ///   - areSecret: Whether faults must not contain the contents of the object.
    ///   - passesOverOthers: Whether other members are allowed and ignored.
    ///   - oneOfEach: Lists of names. Exactly one name from each list must be present, which `check`
    ///     enforces.
    ///   - check: Called after the members have been read, to check them together.
    package init(
        _ unset: Root, _ all: [Field<Root>], named name: String?, oneOfEach: [[String]] = [],
        areSecret: Bool = false, passesOverOthers: Bool = false,
        check: @escaping Check = { _, _, _ in }
    ) {
        (self.unset, self.all, self.check, self.areSecret) = (unset, all, check, areSecret)
        self.passesOverOthers = passesOverOthers
        names = all.map(\.name)
        earlier = Dictionary(
            all.enumerated().compactMap { index, field in field.earlierName.map { ($0, index) } }
        ) { first, _ in first }
        let object = Schema.object(all.map(\.member), oneOfEach: oneOfEach)
        schema = name.map { .component($0) { object } } ?? object
        writing = all.map { $0.writing(unset) }
    }

    /// An object that is described where it is used.
    /// - Parameters:
    ///   - unset: The value of an object without members.
    ///   - all: The members in the order in which they are described and written.
    package init(_ unset: Root, _ all: [Field<Root>]) { self.init(unset, all, named: nil) }

    /// - Returns: `nil` if the value is not an object. A fault in a member is noted, and the member is left
    ///   out.
    func read(_ value: JSONValue, at path: String, by reader: inout DocumentReader) -> Root? {
        let echo = reader.faults.echo
        defer { reader.faults.echo = echo }
        if areSecret { reader.faults.withhold() }
        guard let object = reader.anyObject(value, at: path) else { return nil }
        var root = unset
        for member in object.members {
            if let index = names.firstIndex(of: member.key) ?? earlier[member.key] {
                if names[index] != member.key, object.value(names[index]) != nil {
                    reader.note(
                        object.path(of: member.key),
                        "an earlier name of \(names[index]); use only one of the two"
                    )
                    continue
                }
                let place = path.isEmpty ? member.key : "\(path).\(member.key)"
                let shown = reader.faults.echo
                if all[index].isSecret { reader.faults.withhold() }
                all[index].read(&reader, member.value, place, &root)
                reader.faults.echo = shown
            } else if !passesOverOthers {
                reader.noteUnknown(member.key, in: object, known: names)
            }
        }
        for field in all where field.isRequired { reader.require(field.name, in: object) }
        check(&reader, object, &root)
        return root
    }

    /// Reads a whole document.
    /// - Parameter target: The source of a delivery document's target.
    /// - Throws: All faults of the document.
    func document(
        _ value: JSONValue, at path: String = "", target: DeliveryDocument.TargetSource = .document
    ) throws(WireError) -> Root {
        var reader = DocumentReader(target: target)
        let root = read(value, at: path, by: &reader)
        try reader.finish()
        return root ?? unset
    }

    package func write(_ root: Root, by writer: inout DocumentWriter) {
        for write in writing { write(&writer, root) }
    }

    /// Returns the value as a document.
    func bytes(of root: Root) -> [UInt8] {
        var writer = DocumentWriter()
        writer.object { write(root, by: &$0) }
        return writer.bytes
    }
}
