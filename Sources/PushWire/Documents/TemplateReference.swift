/// Which template a delivery document or a message names: `"template": "sale"`, or `{"name": "sale",
/// "version": 3}`.
package struct TemplateReference: Hashable, Sendable {
    package var name: String
    /// nil: the newest.
    package var version: Int64?

    package static let versions: ClosedRange<Int64> = 1...Int64(Int32.max)

    package init(name: String, version: Int64? = nil) {
        self.name = name
        self.version = version
    }

    /// What a document names; nil: nothing, or not as a template is named, which its reader says.
    package init?(in document: JSONValue) {
        guard let value = document["template"] else { return nil }
        var reader = DocumentReader()
        guard let found = reader.templateReference(value, at: "template"), reader.findings.isEmpty else {
            return nil
        }
        self = found
    }

    /// A document with a template that was named beside it; nil: it names another one itself.
    package static func naming(_ name: String, in document: JSONValue) -> JSONValue? {
        // What is no object is refused as what it is.
        guard case .object(let members) = document else { return document }
        guard document["template"] != nil else {
            return .object(members + [JSONMember(key: "template", value: .string(name))])
        }
        return TemplateReference(in: document)?.name == name ? document : nil
    }
}

extension DocumentReader {
    /// The member `template`; nil where it is absent or wrong.
    mutating func templateReference(of root: Object) -> TemplateReference? {
        guard let value = root.value("template") else { return nil }
        return templateReference(value, at: root.path(of: "template"))
    }

    mutating func templateReference(_ value: JSONValue, at path: String) -> TemplateReference? {
        switch value {
        case .string:
            return string(value, at: path, .bytes(Self.maximumNameBytes)).map { TemplateReference(name: $0) }
        case .object:
            guard let object = object(value, at: path, keys: ["name", "version"]) else { return nil }
            require("name", in: object)
            let version = integer("version", of: object, in: TemplateReference.versions)
            return string("name", of: object, .bytes(Self.maximumNameBytes))
                .map { TemplateReference(name: $0, version: version) }
        default:
            note(path, "found \(value.kind); allowed is a name, or {\"name\", \"version\"}")
            return nil
        }
    }
}
