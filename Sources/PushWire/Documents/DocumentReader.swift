internal import PushModel

/// Walks a parsed document strictly and collects everything that is wrong with it on the way, so that an
/// operator corrects a document once and not once a mistake. A wrong value reads as nil.
struct DocumentReader {
    private(set) var findings: [DocumentFinding] = []

    /// One JSON object under inspection: what is in it, and where it stands.
    struct Object {
        fileprivate let members: [JSONMember]
        let path: String

        /// Where its member `key` stands.
        func path(of key: String) -> String {
            let key = key.printable(atMost: 64)
            return path.isEmpty ? key : "\(path).\(key)"
        }
        /// The member's value; nil where it is absent.
        func value(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }
        var keys: [String] { members.map(\.key) }
        /// In the order of ``keys``.
        var values: [JSONValue] { members.map(\.value) }
    }

    mutating func note(_ path: String, _ problem: String) {
        findings.append(DocumentFinding(path: path, problem: problem))
    }

    /// - Throws: what was noted, if anything.
    func finish() throws(WireError) {
        if !findings.isEmpty { throw .document(findings) }
    }

    // MARK: Objects

    /// A value that must be an object with none but these keys.
    mutating func object(_ value: JSONValue, at path: String, keys: [String]) -> Object? {
        guard let object = anyObject(value, at: path) else { return nil }
        for key in object.keys where !keys.contains(key) {
            note(object.path(of: key), "unknown key; known here: \(keys.joined(separator: ", "))")
        }
        return object
    }

    /// A value that must be an object with whatever keys.
    mutating func anyObject(_ value: JSONValue, at path: String) -> Object? {
        guard case .object(let members) = value else {
            note(path, "found \(value.kind); allowed is an object")
            return nil
        }
        return Object(members: members, path: path)
    }

    /// A member that must be an object with none but these keys; nil where it is absent.
    mutating func object(_ key: String, of parent: Object, keys: [String]) -> Object? {
        guard let value = parent.value(key) else { return nil }
        return object(value, at: parent.path(of: key), keys: keys)
    }

    /// Notes a member that must be there and is not.
    mutating func require(_ key: String, in object: Object) {
        if object.value(key) == nil { note(object.path(of: key), "missing") }
    }

    // MARK: Members; nil where absent or wrong

    mutating func string(_ key: String, of object: Object, _ allowed: TextLimits = .text) -> String? {
        guard let value = object.value(key) else { return nil }
        return string(value, at: object.path(of: key), allowed)
    }

    mutating func string(_ value: JSONValue, at path: String, _ allowed: TextLimits) -> String? {
        guard case .string(let text) = value else {
            note(path, "found \(value.kind); allowed is a string")
            return nil
        }
        if let problem = allowed.problem(of: text) {
            note(path, problem)
            return nil
        }
        return text
    }

    mutating func boolean(_ key: String, of object: Object) -> Bool? {
        guard let value = object.value(key) else { return nil }
        return boolean(value, at: object.path(of: key))
    }

    /// As ``boolean(_:of:)``, of a value.
    mutating func boolean(_ value: JSONValue, at path: String) -> Bool? {
        if case .boolean(let boolean) = value { return boolean }
        note(path, "found \(value.kind); allowed is true or false")
        return nil
    }

    mutating func integer(_ key: String, of object: Object, in range: ClosedRange<Int64>) -> Int64? {
        guard let value = object.value(key) else { return nil }
        return integer(value, at: object.path(of: key), in: range)
    }

    private mutating func integer(_ value: JSONValue, at path: String, in range: ClosedRange<Int64>) -> Int64?
    {
        let allowed = "allowed is an integer from \(range.lowerBound) to \(range.upperBound)"
        guard case .integer(let integer) = value else {
            note(path, "found \(value.kind); \(allowed)")
            return nil
        }
        if range.contains(integer) { return integer }
        note(path, "out of range; \(allowed)")
        return nil
    }

    mutating func fraction(_ key: String, of object: Object) -> Double? {
        guard let value = object.value(key) else { return nil }
        let number: Double? =
            switch value {
            case .integer(let integer): Double(integer)
            case .real(let real): real
            default: nil
            }
        if let number, (0...1).contains(number) { return number }
        note(
            object.path(of: key),
            "\(number == nil ? "found \(value.kind)" : "out of range"); allowed is a number from 0 to 1")
        return nil
    }

    /// A member that must be an array of at most 100 strings, which may recur; empty where absent or wrong.
    mutating func texts(_ key: String, of object: Object) -> [String] {
        guard let value = object.value(key) else { return [] }
        let path = object.path(of: key)
        guard case .array(let elements) = value, elements.count <= 100 else {
            note(path, "allowed is an array of at most 100 strings")
            return []
        }
        return elements.enumerated().compactMap { string($0.element, at: "\(path)[\($0.offset)]", .text) }
    }

    /// Notes lists of arguments without the key of the text that they are put into.
    mutating func refuseArguments(of object: Object, without pairs: [(arguments: String, key: String)]) {
        for (arguments, key) in pairs where object.value(arguments) != nil && object.value(key) == nil {
            note(object.path(of: arguments), "arguments of no text; give \(key) too")
        }
    }

    /// A member that must be one of an enumeration's raw values.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, of object: Object, as: Choice.Type
    ) -> Choice? {
        guard let value = object.value(key) else { return nil }
        if case .string(let text) = value, let choice = Choice(rawValue: text) { return choice }
        let found = if case .string = value { "not one of its values" } else { "found \(value.kind)" }
        let allowed = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        note(object.path(of: key), "\(found); allowed is \(allowed)")
        return nil
    }

    /// A member that must be an array of different strings.
    mutating func strings(
        _ key: String, of object: Object, count: ClosedRange<Int>, _ allowed: TextLimits
    ) -> [String]? {
        guard let value = object.value(key) else { return nil }
        let path = object.path(of: key)
        guard case .array(let elements) = value else {
            note(path, "found \(value.kind); allowed is an array of strings")
            return nil
        }
        guard count.contains(elements.count) else {
            note(
                path,
                "holds \(elements.count) entries; allowed are \(count.lowerBound) to \(count.upperBound)")
            return nil
        }
        var seen: Set<ExactText> = []
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            guard let text = string(element, at: "\(path)[\(index)]", allowed) else { continue }
            if seen.insert(ExactText(text)).inserted {
                texts.append(text)
            } else {
                note("\(path)[\(index)]", "stands twice")
            }
        }
        return texts
    }
}

/// What a string of a document may be.
enum TextLimits {
    /// Any text, also an empty one.
    case text
    /// From 1 to this many bytes of UTF-8.
    case bytes(Int)
    /// A device token of any platform.
    case token

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
        }
    }
}
