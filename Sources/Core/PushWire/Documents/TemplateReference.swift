/// The template that a delivery document or a message names: `"template": "sale"`, or `{"name": "sale",
/// "version": 3}`.
package struct TemplateReference: Hashable, Sendable {
    package var name: String
    /// The version; `nil` means the newest one.
    package var version: Int64?

    package static let versions: ClosedRange<Int64> = 1...Int64(Int32.max)

    package init(name: String, version: Int64? = nil) {
        self.name = name
        self.version = version
    }

    /// Reads the reference to the template that a document names; `nil` if the document names none or if the
    /// reference is invalid. The document's reader reports an invalid reference.
    package init?(in document: JSONValue) {
        guard let value = document["template"] else { return nil }
        var reader = DocumentReader()
        guard let found = Self.form.read(&reader, value, "template"), reader.faults.isEmpty else {
            return nil
        }
        self = found
    }

    /// Returns the document with a reference to a template that was named separately, or `nil` if the
    /// document itself names a different template.
    package static func naming(_ name: String, in document: JSONValue) -> JSONValue? {
        // A document that is not an object is refused later, for that reason.
        guard case .object(let members) = document else { return document }
        guard document["template"] != nil else {
            return .object(members + [JSONMember(key: "template", value: .string(name))])
        }
        return TemplateReference(in: document)?.name == name ? document : nil
    }
}

extension TemplateReference {
    /// A name alone means the newest version.
    static let form = Form.either(
        Form.text(.name).map { TemplateReference(name: $0) },
        or: Fields(
            TemplateReference(name: ""),
            [
                Field("name", \.name, .text(.name), isRequired: true),
                Field("version", \.version, .integer(versions)),
            ], named: "TemplateReference"),
        allowed: "a name or {\"name\", \"version\"}", value: { $0 })
}
