package import PushModel

/// What an operator saves under a name: a delivery document without what is one delivery's own.
///
///     {"content": {"title": "Spring sale", "ios": {"sound": "default"}}, "schedule": {"validity": "12h"}}
///
/// **Promises.** As ``DeliveryDocument``: everything wrong with it is told at once, by path, without its
/// values.
package struct TemplateDocument: Equatable, Sendable {
    package var content: Content
    package var tracking: Bool
    /// What was read, with its members in the order of their names: the same is spelled the same.
    package var value: JSONValue

    /// A larger document is refused before it is parsed. Gateways take a tenth of it.
    package static let maximumBytes = 64 << 10

    /// - Throws: ``WireError/document(_:)``
    package static func parse(_ bytes: [UInt8]) throws(WireError) -> TemplateDocument {
        func fault(_ problem: String) -> WireError {
            .document([DocumentFinding(path: "", problem: problem)])
        }
        guard bytes.count <= maximumBytes else {
            throw fault("the document has \(bytes.count) bytes; a template may have \(maximumBytes)")
        }
        let value: JSONValue
        do { value = try JSONParser.parse(bytes) } catch { throw fault("not JSON: \(error.description)") }
        var reader = DocumentReader()
        let document = reader.template(value)
        try reader.finish()
        guard let document else { throw fault("not a template") }
        return document
    }
}

extension DocumentReader {
    /// Nil where something that it cannot do without is missing; then that was noted.
    fileprivate mutating func template(_ value: JSONValue) -> TemplateDocument? {
        guard let root = object(value, at: "", keys: ["content", "schedule", "retry", "tracking"]) else {
            return nil
        }
        require("content", in: root)
        let content = root.value("content").map { self.content($0, at: "content") }
        _ = schedule(of: root, mayStart: false)
        _ = retry(of: root)
        let tracking = boolean("tracking", of: root) ?? true
        guard let content else { return nil }
        return TemplateDocument(content: content, tracking: tracking, value: value.sorted)
    }
}
