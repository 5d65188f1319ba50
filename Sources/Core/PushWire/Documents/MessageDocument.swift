package import PushModel

/// One message to one recipient, as a program hands it in: names still, no ids.
///
///     {"app": "neotrips-ios", "userKey": "anna", "content": {"title": "Your code", "body": "1234"},
///      "validity": "10m", "idempotencyKey": "order-77"}
///
/// **Promises.** As ``DeliveryDocument``: its reader lists every fault by path.
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

    // Of each two, a message that was read has one.
    private var app: String?
    private var service: String?
    private var token: String?
    private var userKey: String?
    package var scope: Scope { app.map { .app($0) } ?? .service(service ?? "") }
    package var recipient: Recipient { token.map { .token($0) } ?? .userKey(userKey ?? "") }
    package private(set) var priority = usualPriority
    /// nil: as a delivery's.
    package private(set) var validitySeconds: Int64?
    /// Not before; nil: at once.
    package private(set) var start: WallTime?
    package private(set) var idempotencyKey: String?

    /// Somebody waits for a single message, so that it overtakes deliveries to many, which are normal.
    package static let usualPriority = DeliveryPriority.high

    /// Messages of one document at most.
    package static let mostMessages = 1_000
    /// A larger document is refused before it is parsed.
    package static let maximumBytes = 4 << 20

    /// The messages of a document: an object is one, an array has several, each of which is read by itself.
    /// - Throws: ``WireError/document(_:)`` where the document as a whole is none.
    package static func values(of bytes: [UInt8]) throws(WireError) -> [JSONValue] {
        let value = try JSONParser.document(
            bytes, atMost: maximumBytes, else: "allowed are \(maximumBytes)")
        guard case .array(let values) = value else { return [value] }
        guard (1...mostMessages).contains(values.count) else {
            throw .whole("the document must have 1 to \(mostMessages) messages, not \(values.count)")
        }
        return values
    }

    /// With which app or service a message is sent; nil: it says neither, or not as it may.
    package static func scope(of value: JSONValue) -> Scope? {
        var reader = DocumentReader()
        guard let message = fields.read(value, at: "", by: &reader) else { return nil }
        return (message.app == nil) == (message.service == nil) ? nil : message.scope
    }

    /// - Parameter value: with the members of the template that it names (``TemplateMerge``).
    /// - Parameter content: reads the content; called once, with what stands there.
    /// - Throws: ``WireError/document(_:)`` with what is wrong with the message and with its content.
    package static func read<Read>(
        _ value: JSONValue, content: (JSONValue) throws(WireError) -> Read
    ) throws(WireError) -> (message: MessageDocument, content: Read) {
        var reader = DocumentReader()
        let message = fields.read(value, at: "", by: &reader)
        var read: Read?
        // Many messages have the same.
        if let found = value["content"] {
            do throws(WireError) {
                read = try content(found)
            } catch {
                guard case .document(let findings) = error else { throw error }
                for finding in findings { reader.faults.note(finding) }
            }
        }
        try reader.finish()
        guard let message, let read else { throw .whole("not a message") }
        return (message, read)
    }

    package static func schema(_ contents: ContentDocument) -> Schema { fields(contents.schema).schema }

    private static let alternatives = [["app", "service"], ["token", "userKey"]]

    /// The content is read by whoever knows that many messages have the same.
    private static let fields = fields(.any)

    private static func fields(_ content: Schema) -> Fields<MessageDocument> {
        let content = Field<MessageDocument>(
            "content", as: Form<Content>.elsewhere(content), "needed without a template")
        return Fields(
            MessageDocument(), whom + [content] + how, named: "NewMessage", oneOfEach: alternatives
        ) { reader, root, _ in
            // With a template it was filled; where that could not be, something else is wrong, and is told.
            if root.value("template") == nil { reader.require("content", in: root) }
            for names in alternatives where names.count(where: { root.value($0) != nil }) != 1 {
                reader.note(names[0], "exactly one of \(names.joined(separator: " and ")) is needed")
            }
        }
    }

    private static let whom: [Field<MessageDocument>] = [
        Field("app", \.app, .text(.name), "the app that it is sent with"),
        Field("service", \.service, .text(.name), "with all of its apps"),
        Field("token", \.token, .text(.token), "one device").secret,
        Field(
            "userKey", \.userKey, .text(.bytes(SubscriberLimits.userKeyBytes)),
            "all devices of a person"
        ).secret,
        Field(
            "template", as: TemplateReference.form, "a template of the service; content changes parts of it"),
    ]

    private static let how: [Field<MessageDocument>] = [
        Field("priority", \.priority, .word, "absent: high, which overtakes deliveries"),
        Field(
            "validity", \.validitySeconds, .duration(from: 0),
            "how long it may be sent: seconds, or a number with s, m, h or d, to which the engine adds up to a sixtieth, "
                + "1 h at most; absent: 5d; 0: one attempt"),
        Field(
            "startAt", \.start, .time,
            "not before; the validity counts from then. Absent: at once"),
        Field(
            "idempotencyKey", \.idempotencyKey,
            .text(
                .rule(IdempotencyKeyText.allowed, IdempotencyKeyText.isAllowed),
                schema: .key(longest: IdempotencyKeyText.longest)),
            "of this message alone; in the place of the header Idempotency-Key"
        ).secret,
    ]
}
