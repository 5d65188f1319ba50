package import PushModel

/// One message to one recipient, as a program hands it in: names still, no ids.
///
///     {"app": "neotrips-ios", "userKey": "anna", "content": {"title": "Your code", "body": "1234"},
///      "validity": "10m", "idempotencyKey": "order-77"}
///
/// **Promises.** As ``DeliveryDocument``: everything wrong with it is told at once, by path, without its values.
package struct MessageDocument: Equatable, Sendable {
    package enum Scope: Equatable, Sendable {
        /// The app of this name.
        case app(String)
        /// All apps of the service of this name.
        case service(String)
    }
    package enum Recipient: Equatable, Sendable {
        case token(String)
        case userKey(String)
    }

    package var scope: Scope
    package var recipient: Recipient
    /// The `content` object, which ``ContentDocument/read(_:)`` reads: many messages have the same.
    package var content: JSONValue
    package var priority: DeliveryPriority
    /// nil: as a delivery's.
    package var validitySeconds: Int64?
    package var idempotencyKey: String?

    /// Somebody waits for a single message, so that it overtakes deliveries to many, which are normal.
    package static let usualPriority = DeliveryPriority.high

    /// Messages of one document at most.
    package static let mostMessages = 1_000
    /// A larger document is refused before it is parsed.
    package static let maximumBytes = 4 << 20

    /// The messages of a document: an object is one, an array has several, each of which is read by itself.
    /// - Throws: ``WireError/document(_:)`` where the document as a whole is none.
    package static func values(of bytes: [UInt8]) throws(WireError) -> [JSONValue] {
        func fault(_ problem: String) -> WireError {
            .document([DocumentFinding(path: "", problem: problem)])
        }
        guard bytes.count <= maximumBytes else {
            throw fault("the document has \(bytes.count) bytes; allowed are \(maximumBytes)")
        }
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            throw fault("not JSON: \(error.description)")
        }
        guard case .array(let values) = value else { return [value] }
        guard (1...mostMessages).contains(values.count) else {
            throw fault("holds \(values.count) messages; allowed are 1 to \(mostMessages)")
        }
        return values
    }

    /// With which app or service a message is sent; nil: it says neither, or not as it may.
    package static func scope(of value: JSONValue) -> Scope? {
        var reader = DocumentReader()
        return reader.anyObject(value, at: "").flatMap { reader.scope(of: $0) }
    }

    /// - Parameter value: with the members of the template that it names (``TemplateMerge``).
    /// - Parameter content: reads the content; called once, with what stands there.
    /// - Throws: ``WireError/document(_:)`` with what is wrong with the message and with its content.
    package static func read<Read>(
        _ value: JSONValue, content: (JSONValue) throws(WireError) -> Read
    ) throws(WireError) -> (message: MessageDocument, content: Read) {
        var reader = DocumentReader()
        let message = reader.message(value)
        var read: Read?
        if let found = value["content"] {
            do throws(WireError) {
                read = try content(found)
            } catch {
                guard case .document(let findings) = error else { throw error }
                for finding in findings { reader.note(finding.path, finding.problem) }
            }
        }
        try reader.finish()
        guard let message, let read else {
            throw .document([DocumentFinding(path: "", problem: "not a message")])
        }
        return (message, read)
    }
}

extension ContentDocument {
    /// A content that stands in another document, whose paths begin with `content`.
    package static func read(_ value: JSONValue) throws(WireError) -> Content {
        var reader = DocumentReader()
        let content = reader.content(value, at: "content")
        try reader.finish()
        return content
    }
}

extension DocumentReader {
    /// Nil where something that it cannot do without is missing; then that was noted.
    fileprivate mutating func message(_ value: JSONValue) -> MessageDocument? {
        let keys = [
            "app", "service", "token", "userKey", "template", "content", "priority", "validity",
            "idempotencyKey",
        ]
        guard let root = object(value, at: "", keys: keys) else { return nil }
        // With a template it was filled; where that could not be, something else is wrong, and is told.
        _ = templateReference(of: root)
        if root.value("template") == nil { require("content", in: root) }
        let scope = scope(of: root)
        let recipient = recipient(of: root)
        let priority =
            choice("priority", of: root, as: DeliveryPriority.self) ?? MessageDocument.usualPriority
        let validity = duration("validity", of: root, from: 0)
        let key = string("idempotencyKey", of: root, .bytes(RequestKey.longest))
        if let key, !RequestKey.isPrintable(key) {
            note(root.path(of: "idempotencyKey"), "allowed are printable ASCII characters")
        }
        guard let scope, let recipient, let content = root.value("content") else { return nil }
        return MessageDocument(
            scope: scope, recipient: recipient, content: content, priority: priority,
            validitySeconds: validity, idempotencyKey: key)
    }

    fileprivate mutating func scope(of root: Object) -> MessageDocument.Scope? {
        guard (root.value("app") == nil) != (root.value("service") == nil) else {
            note("app", "needed is exactly one of app and service")
            return nil
        }
        if let name = string("app", of: root, .bytes(Self.maximumNameBytes)) { return .app(name) }
        return string("service", of: root, .bytes(Self.maximumNameBytes)).map { .service($0) }
    }

    private mutating func recipient(of root: Object) -> MessageDocument.Recipient? {
        guard (root.value("token") == nil) != (root.value("userKey") == nil) else {
            note("token", "needed is exactly one of token and userKey")
            return nil
        }
        if let token = string("token", of: root, .token) { return .token(token) }
        return string("userKey", of: root, .bytes(SubscriberLimits.userKeyBytes)).map { .userKey($0) }
    }
}
