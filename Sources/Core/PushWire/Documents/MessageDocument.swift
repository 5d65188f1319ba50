package import PushModel

/// One message to one recipient, as a program submits it. It still contains names, not ids.
///
///     {"app": "neotrips-ios", "userKey": "anna", "content": {"title": "Your code", "body": "{{code}}"},
///      "variables": {"code": "1234"}, "validity": "10m", "idempotencyKey": "order-77"}
///
/// **Promises.** As for ``DeliveryDocument``: the reader lists every fault by path.
package struct MessageDocument: Equatable, Sendable {
    package enum Scope: Equatable, Sendable {
        /// The app with this name.
        case app(String)
        /// All apps of the service with this name.
        case service(String)
    }
    package enum Recipient: Equatable, Sendable {
        case token(String)
        case userKey(String)
    }

    // After a message has been read, exactly one of `app` and `service` is set, and exactly one of `token`
    // and `userKey`.
    private var app: String?
    private var service: String?
    private var token: String?
    private var userKey: String?
    package var scope: Scope { app.map { .app($0) } ?? .service(service ?? "") }
    package var recipient: Recipient { token.map { .token($0) } ?? .userKey(userKey ?? "") }
    /// The values that fill the placeholders of the content, and the application variables that the content
    /// does not give.
    package private(set) var variables: [ContentVariable] = []
    package private(set) var priority = usualPriority
    /// The validity. If it is `nil`, the default validity of deliveries applies.
    package private(set) var validitySeconds: Int64?
    /// The earliest time; `nil` means immediately.
    package private(set) var start: WallTime?
    package private(set) var idempotencyKey: String?

    /// The priority if none is given. A person is usually waiting for a single message, so it overtakes
    /// deliveries to many recipients, which have normal priority by default.
    package static let usualPriority = DeliveryPriority.high

    /// Maximum number of messages in one document.
    package static let maxMessages = 1_000
    /// Maximum size, in bytes. A larger document is refused before it is parsed.
    package static let maximumBytes = 4 << 20

    /// Returns the messages of a document. An object is one message; an array contains several, and each is
    /// read separately.
    /// - Throws: ``WireError/document(_:)`` if the document as a whole is not valid.
    package static func values(of bytes: [UInt8]) throws(WireError) -> [JSONValue] {
        let value = try JSONParser.document(
            bytes, atMost: maximumBytes, else: "the maximum is \(maximumBytes)")
        guard case .array(let values) = value else { return [value] }
        guard (1...maxMessages).contains(values.count) else {
            throw .whole("the document must have 1 to \(maxMessages) messages, not \(values.count)")
        }
        return values
    }

    /// Returns the app or service that a message names, or `nil` if the message does not name exactly one of
    /// the two in a valid form.
    package static func scope(of value: JSONValue) -> Scope? {
        var reader = DocumentReader()
        guard let message = fields.read(value, at: "", by: &reader) else { return nil }
        return (message.app == nil) == (message.service == nil) ? nil : message.scope
    }

    /// - Parameter value: The message, already merged with the template that it names (``TemplateMerge``).
    /// - Parameter content: Reads the content. It is called once, with the JSON of the content.
    /// - Throws: ``WireError/document(_:)`` with the faults of the message and of its content.
    package static func read<Read>(
        _ value: JSONValue, content: (JSONValue) throws(WireError) -> Read
    ) throws(WireError) -> (message: MessageDocument, content: Read) {
        var reader = DocumentReader()
        let message = fields.read(value, at: "", by: &reader)
        var read: Read?
        // The caller reads the content, because it can share the result among messages with the same content.
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

    /// These fields do not read the content. The caller reads it: see ``read(_:content:)``.
    private static let fields = fields(.any)

    private static func fields(_ content: Schema) -> Fields<MessageDocument> {
        let content = Field<MessageDocument>(
            "content", as: Form<Content>.elsewhere(content), "required if there is no template")
        return Fields(
            MessageDocument(), whom + [content] + how, named: "NewMessage", oneOfEach: alternatives
        ) { reader, root, message in
            // If there is a template, merging has already filled in the content or reported a different
            // fault.
            if root.value("template") == nil {
                reader.require("content", in: root, example: ContentDocument.smallest)
            }
            reader.check(message.variables.map { ($0.name, $0.value) }, at: root.path(of: "variables"))
            for names in alternatives where names.count(where: { root.value($0) != nil }) != 1 {
                reader.note(names[0], "exactly one of \(names.joined(separator: " and ")) is required")
            }
        }
    }

    private static let whom: [Field<MessageDocument>] = [
        Field("app", \.app, .text(.name), "the app with which the message is sent"),
        Field("service", \.service, .text(.name), "the message is sent with all apps of this service"),
        Field("token", \.token, .text(.token), "one device").secret,
        Field(
            "userKey", \.userKey, .text(.bytes(SubscriberLimits.userKeyBytes)),
            "all devices of a user"
        ).secret,
        Field(
            "template", as: TemplateReference.form, "a template of the service; content overrides parts of it"
        ),
        Field(
            "variables", as: RecipientVariables.form,
            "the values of the placeholders in content and template, and of application variables that they "
                + "do not give; at most 4 096 bytes"
        ) { $0.variables = $1.map { ContentVariable(name: $0.name, value: $0.text) } }.secret,
    ]

    private static let how: [Field<MessageDocument>] = [
        Field("priority", \.priority, .word, "default: high, which is sent before deliveries"),
        Field(
            "validity", \.validitySeconds, .duration(from: 0),
            "how long the message can be sent: seconds, or a number followed by s, m, h or d; the engine "
                + "adds up to a sixtieth of this time, at most 1 h; default: 5d; 0: one attempt"),
        Field(
            "sendAt", \.start, .time,
            "the time of sending, at most 366 days ahead; the validity begins at this time; default: "
                + "immediately"
        ).formerly("startAt"),
        Field(
            "idempotencyKey", \.idempotencyKey,
            .text(
                .rule(IdempotencyKeyText.allowed, IdempotencyKeyText.isAllowed),
                schema: .key(longest: IdempotencyKeyText.longest)),
            "for this message only; replaces the header Idempotency-Key"
        ).secret,
    ]
}
