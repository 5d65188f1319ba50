internal import PushModel

/// Reads a parsed document strictly and collects all of its faults, so that an operator corrects a document
/// once instead of once per fault. An invalid value is read as `nil`. ``Fields`` define the members that an
/// object may have.
package struct DocumentReader {
    var faults = Faults()
    /// The source of a delivery document's target.
    var target = DeliveryDocument.TargetSource.document
    /// The number of choosers and combinations that were read within the combinations of a target.
    var targetParts = 0

    /// A JSON object that is being read, with its path.
    package struct Object {
        let members: [JSONMember]
        let path: String

        /// Returns the path of the member `key`.
        package func path(of key: String) -> String { Faults.path(path, key) }
        /// Returns the member's value, or `nil` if it is absent.
        package func value(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }
        var json: JSONValue { .object(members) }
        package var keys: [String] { members.map(\.key) }
        /// The values in the order of ``keys``.
        var values: [JSONValue] { members.map(\.value) }
    }

    package mutating func note(_ path: String, _ problem: String) {
        faults.note(path, problem)
    }

    /// See ``Faults/refuse(_:at:_:isOtherKind:)``.
    package mutating func refuse<Value>(
        _ value: JSONValue, at path: String, allowed: String, isOtherKind: Bool = true
    ) -> Value? {
        faults.refuse(value, at: path, allowed, isOtherKind: isOtherKind)
    }

    /// - Throws: The noted faults, if there are any.
    func finish() throws(WireError) {
        if !faults.isEmpty { throw .document(faults.listed) }
    }

    /// Reads a value that must be an object with only these keys.
    mutating func object(_ value: JSONValue, at path: String, keys: [String]) -> Object? {
        guard let object = anyObject(value, at: path) else { return nil }
        for key in object.keys where !keys.contains(key) {
            noteUnknown(key, in: object, known: keys)
        }
        return object
    }

    /// Reads a value that must be an object with arbitrary keys.
    mutating func anyObject(_ value: JSONValue, at path: String) -> Object? {
        guard case .object(let members) = value else { return refuse(value, at: path, allowed: "an object") }
        return Object(members: members, path: path)
    }

    mutating func noteUnknown(_ key: String, in object: Object, known: [String]) {
        faults.refuseUnknown(object.path(of: key), known: known)
    }

    /// Records a fault for a required member that is missing.
    /// - Parameter example: The smallest values of the member.
    mutating func require(_ key: String, in object: Object, example: String? = nil) {
        guard object.value(key) == nil else { return }
        note(object.path(of: key), example.map { "missing; for example \($0)" } ?? "missing")
    }

    /// For each key, records a fault if the object has a member with the suffix `Args` but no member with the
    /// suffix `Key`. The latter names the text into which the arguments are inserted.
    package mutating func refuseArguments(of object: Object, without keys: [String]) {
        for key in keys where object.value("\(key)Args") != nil && object.value("\(key)Key") == nil {
            note(object.path(of: "\(key)Args"), "arguments without a text; add \(key)Key")
        }
    }

    // MARK: Values; nil if invalid

    mutating func string(_ value: JSONValue, at path: String, _ allowed: TextLimits...) -> String? {
        string(value, at: path, allowed)
    }

    mutating func string(_ value: JSONValue, at path: String, _ allowed: [TextLimits]) -> String? {
        guard case .string(let text) = value else { return refuse(value, at: path, allowed: "a string") }
        for limits in allowed {
            guard let problem = limits.problem(of: text) else { continue }
            if case .rule(let allowed, _) = limits {
                return refuse(value, at: path, allowed: allowed, isOtherKind: false)
            }
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

    /// Returns the elements of a value that must be an array.
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
                "must have \(count.lowerBound) to \(count.upperBound) \(counted), not \(elements.count)")
            return nil
        }
        return elements
    }
}

extension JSONParser {
    /// Returns the JSON of a document or of a request body, before any of it is checked.
    /// - Throws: ``WireError/malformed(_:)``, or ``WireError/document(_:)`` with all keys that occur twice in
    ///   an object.
    package static func document(_ bytes: [UInt8]) throws(WireError) -> JSONValue {
        let (value, repeated): (JSONValue, [String])
        do { (value, repeated) = try read(bytes) } catch {
            // Every document in UTF-16 or UTF-32 contains zero bytes.
            let isUTF8 = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            throw .malformed(isUTF8 ? "not JSON: \(error)" : "not UTF-8; JSON must be UTF-8: \(error)")
        }
        var faults = Faults()
        for path in repeated { faults.refuseRepeated(path) }
        if !faults.isEmpty { throw .document(faults.listed) }
        return value
    }

    /// - Parameter allowed: The end of the fault for a larger document. It states the allowed size.
    static func document(
        _ bytes: [UInt8], atMost most: Int, else allowed: String
    ) throws(WireError) -> JSONValue {
        guard bytes.count <= most else { throw .whole("the document has \(bytes.count) bytes; \(allowed)") }
        return try document(bytes)
    }
}

/// The limits of a string in a document.
package enum TextLimits: Sendable {
    /// Any text, including an empty one.
    case text
    /// A text of 1 to this many bytes of UTF-8.
    case bytes(Int)
    /// A device token of any platform.
    case token
    /// A text that the rule allows.
    /// - Parameter allowed: The end of a sentence that begins with "must be".
    case rule(_ allowed: String, @Sendable (String) -> Bool)

    /// A name or a label.
    static let name = Self.bytes(256)

    /// The schema with the maximum length; `nil` if the limits are not a length.
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
                ? "must be a device token, not a placeholder for a missing one"
                : TextLimits.bytes(SubscriberLimits.tokenBytes).problem(of: text)
        case .bytes(let most):
            if text.isEmpty {
                "must not be empty"
            } else if text.utf8.count > most {
                "must have at most \(most) bytes, not \(text.utf8.count)"
            } else {
                nil
            }
        case .rule(let allowed, let isAllowed): isAllowed(text) ? nil : "must be \(allowed)"
        }
    }
}
