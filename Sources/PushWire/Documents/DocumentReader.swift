internal import PushModel

/// Walks a parsed document strictly and collects everything that is wrong with it on the way, so that an
/// operator corrects a document once and not once a mistake. A wrong value reads as nil. ``Fields`` say what
/// an object may have.
struct DocumentReader {
    private(set) var findings: [DocumentFinding] = []
    /// Where the target of a delivery document is.
    var target = DeliveryDocument.TargetSource.document

    /// One JSON object under inspection: what is in it, and where it stands.
    struct Object {
        let members: [JSONMember]
        let path: String

        /// Where its member `key` stands.
        func path(of key: String) -> String {
            let key = key.printable(atMost: 64)
            return path.isEmpty ? key : "\(path).\(key)"
        }
        /// The member's value; nil where it is absent.
        func value(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }
        var json: JSONValue { .object(members) }
        var keys: [String] { members.map(\.key) }
        /// In the order of ``keys``.
        var values: [JSONValue] { members.map(\.value) }
    }

    mutating func note(_ path: String, _ problem: String) {
        findings.append(DocumentFinding(path: path, problem: problem))
    }

    /// Notes a value that is not what it must be.
    /// - Parameter problem: nil: it is of another kind.
    /// - Returns: nil, for a reading that fails.
    mutating func refuse<Value>(
        _ value: JSONValue, at path: String, _ problem: String? = nil, allowed: String
    ) -> Value? {
        note(path, "\(problem ?? "found \(value.kind)"); allowed is \(allowed)")
        return nil
    }

    /// - Throws: what was noted, if anything.
    func finish() throws(WireError) {
        if !findings.isEmpty { throw .document(findings) }
    }

    /// A value that must be an object with none but these keys.
    mutating func object(_ value: JSONValue, at path: String, keys: [String]) -> Object? {
        guard let object = anyObject(value, at: path) else { return nil }
        for key in object.keys where !keys.contains(key) {
            noteUnknown(key, in: object, known: keys)
        }
        return object
    }

    /// A value that must be an object with whatever keys.
    mutating func anyObject(_ value: JSONValue, at path: String) -> Object? {
        guard case .object(let members) = value else { return refuse(value, at: path, allowed: "an object") }
        return Object(members: members, path: path)
    }

    mutating func noteUnknown(_ key: String, in object: Object, known: [String]) {
        note(object.path(of: key), "unknown key; known here: \(known.joined(separator: ", "))")
    }

    /// Notes a member that must be there and is not.
    mutating func require(_ key: String, in object: Object) {
        if object.value(key) == nil { note(object.path(of: key), "missing") }
    }

    /// Notes lists of arguments without the key of the text that they are put into.
    mutating func refuseArguments(of object: Object, without keys: [String]) {
        for key in keys where object.value("\(key)Args") != nil && object.value("\(key)Key") == nil {
            note(object.path(of: "\(key)Args"), "arguments of no text; give \(key)Key too")
        }
    }

    // MARK: Values; nil where wrong

    mutating func string(_ value: JSONValue, at path: String, _ allowed: TextLimits...) -> String? {
        string(value, at: path, allowed)
    }

    mutating func string(_ value: JSONValue, at path: String, _ allowed: [TextLimits]) -> String? {
        guard case .string(let text) = value else { return refuse(value, at: path, allowed: "a string") }
        for limits in allowed {
            guard let problem = limits.problem(of: text) else { continue }
            note(path, problem)
            return nil
        }
        return text
    }

    mutating func boolean(_ value: JSONValue, at path: String) -> Bool? {
        if case .boolean(let boolean) = value {
            boolean
        } else {
            refuse(value, at: path, allowed: "true or false")
        }
    }

    /// The elements of what must be an array.
    mutating func elements(
        of value: JSONValue, at path: String, _ count: ClosedRange<Int>, of things: String = "strings",
        counted: String = "entries"
    ) -> [JSONValue]? {
        guard case .array(let elements) = value else {
            return refuse(value, at: path, allowed: "an array of \(things)")
        }
        guard count.contains(elements.count) else {
            note(
                path,
                "holds \(elements.count) \(counted); allowed are \(count.lowerBound) to \(count.upperBound)")
            return nil
        }
        return elements
    }
}

extension JSONParser {
    /// A document's JSON, before anything of it is looked at.
    /// - Parameter allowed: what is said of a document of more bytes.
    static func document(
        _ bytes: [UInt8], atMost most: Int, else allowed: String
    ) throws(WireError) -> JSONValue {
        guard bytes.count <= most else { throw .whole("the document has \(bytes.count) bytes; \(allowed)") }
        do { return try parse(bytes) } catch { throw .whole("not JSON: \(error.description)") }
    }
}

/// What a string of a document may be.
enum TextLimits: Sendable {
    /// Any text, also an empty one.
    case text
    /// From 1 to this many bytes of UTF-8.
    case bytes(Int)
    /// A device token of any platform.
    case token
    /// What the rule allows. - Parameter problem: what is said of other texts.
    case rule(_ problem: String, @Sendable (String) -> Bool)

    /// A name or a label.
    static let name = Self.bytes(256)

    /// nil: no length is all that matters.
    var schema: Schema? {
        switch self {
        case .text, .rule: nil
        case .bytes(let most): .text(most: most)
        case .token: .text(most: SubscriberLimits.tokenBytes)
        }
    }

    func problem(of text: String) -> String? {
        switch self {
        case .text: nil
        case .token:
            DeviceToken.isPlaceholder(text)
                ? "not a device token, but a word that stands for a missing one"
                : TextLimits.bytes(SubscriberLimits.tokenBytes).problem(of: text)
        case .bytes(let most):
            if text.isEmpty {
                "empty"
            } else if text.utf8.count > most {
                "\(text.utf8.count) bytes long; allowed are \(most)"
            } else {
                nil
            }
        case .rule(let problem, let isAllowed): isAllowed(text) ? nil : problem
        }
    }
}
