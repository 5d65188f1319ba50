package import PushModel
package import PushWire

/// A type that describes its own JSON.
package protocol Described: Sendable {
    static var schema: Schema { get }
    /// An arbitrary value; `nil` if none can be created.
    static var sample: Self? { get }
    /// An example value for readers of the API's description; `nil` if none can be created.
    static var example: JSONValue? { get }
    /// The value as JSON; `nil` if an object omits a member that has this value.
    var json: JSONValue? { get }
}

extension Described {
    package static var example: JSONValue? { sample?.json }
}

/// A type of values that callers send.
package protocol Readable: Described {
    /// The value of an absent member; `nil` if the member is required.
    static var absent: Self? { get }
    /// Reads a value and records everything that is wrong with it.
    /// - Returns: `nil` if the value is not of this type; in this case a fault was recorded.
    static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self?
}

extension Readable {
    package static var absent: Self? { nil }
}

/// An object that the API's description lists under a name.
package protocol Component: Described {
    static var schemaName: String { get }
    static var schemaMembers: [Schema.Member] { get }
}

extension Component {
    package static var schema: Schema { .component(schemaName) { .object(schemaMembers) } }
    package static var schemaName: String { Schema.name(of: Self.self) }
}

extension Schema {
    /// Returns the type's name without its module: `DeliveryCounts` for `DeliveryView.Counts`, `MasterChild`
    /// for `MasterStatus.Child`.
    fileprivate static func name(of type: Any.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst().map { name in
            ["View", "Status"].first(where: name.hasSuffix).map { name.dropLast($0.count) } ?? name
        }.joined()
    }
}

extension String: Readable {
    package static var schema: Schema { .string }
    package static var sample: String? { placeholder }
    /// A meaningless text for use in examples.
    static var placeholder: String { "text" }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> String? {
        if case .string(let text) = json { text } else { faults.refuse(json, at: path, "a string") }
    }
    package var json: JSONValue? { .string(self) }
}

extension Readable where Self: FixedWidthInteger {
    package static var schema: Schema { .integer }
    package static var sample: Self? { 1 }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        if case .integer(let number) = json, let value = Self(exactly: number) { return value }
        return faults.refuse(json, at: path, "an integer")
    }
    package var json: JSONValue? { .integer(Int64(clamping: self)) }
}
extension Int: Readable {}
extension Int32: Readable {}
extension Int64: Readable {}
extension UInt32: Readable {}

extension Double: Described {
    package static var schema: Schema { .number }
    package static var sample: Double? { 0 }
    package var json: JSONValue? { .real(self) }
}

extension Bool: Readable {
    package static var schema: Schema { .boolean }
    package static var sample: Bool? { false }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Bool? {
        if case .boolean(let value) = json { value } else { faults.refuse(json, at: path, "true or false") }
    }
    package var json: JSONValue? { .boolean(self) }
}

extension Array: Described where Element: Described {
    package static var schema: Schema { .list(Element.schema) }
    package static var sample: Self? { Element.sample.map { [$0] } ?? [] }
    package static var example: JSONValue? { Element.example.map { .array([$0]) } }
    package var json: JSONValue? { .array(map { $0.json ?? .null }) }
}

extension Array: Readable where Element: Readable {
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        guard case .array(let elements) = json else { return faults.refuse(json, at: path, "an array") }
        let values = elements.enumerated().map { Element.read($1, at: "\(path)[\($0)]", &faults) }
        return values.contains { $0 == nil } ? nil : values.compactMap(\.self)
    }
}

extension Dictionary: Described where Key == String, Value: Described {
    package static var schema: Schema { .map(Value.schema) }
    package static var sample: Self? { [:] }
    package var json: JSONValue? {
        .object(sorted { $0.key < $1.key }.map { JSONMember(key: $0.key, value: $0.value.json ?? .null) })
    }
}

/// Any JSON value.
extension JSONValue: Readable {
    package static var schema: Schema { .any }
    package static var sample: JSONValue? { .null }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> JSONValue? {
        json
    }
    package var json: JSONValue? { self }
}

/// An object within a request's body that the use case parses itself.
package struct JSONDocument: Readable, Equatable {
    package var bytes: [UInt8] = []

    package init() {}

    package static var schema: Schema { .map(.any) }
    package static var sample: Self? { Self() }
    /// The parsed document; `nil` if the bytes are not JSON.
    package var json: JSONValue? { try? JSONParser.parse(bytes) }

    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        guard case .object = json else {
            return faults.withholding { $0.refuse(json, at: path, "an object") }
        }
        var document = Self()
        json.append(to: &document.bytes)
        return document
    }
}

/// `nil` is encoded as null, so that the member is always present.
extension Optional: Described where Wrapped: Described {
    package static var schema: Schema { .orNull(Wrapped.schema) }
    package static var sample: Wrapped?? { .some(nil) }
    package var json: JSONValue? { self?.json ?? .null }
}

extension Optional: Readable where Wrapped: Readable {
    package static var absent: Wrapped?? { .some(nil) }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Wrapped?? {
        json == .null ? .some(nil) : Wrapped.read(json, at: path, &faults).map { .some($0) }
    }
}

/// A distinct type for values that are represented in JSON by their raw values.
package protocol RawReadable: Readable, RawRepresentable where RawValue: Readable {}

extension RawReadable {
    package static var schema: Schema { RawValue.schema }
    package static var sample: Self? { RawValue.sample.flatMap { Self(rawValue: $0) } }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        RawValue.read(json, at: path, &faults).flatMap { Self(rawValue: $0) }
    }
    package var json: JSONValue? { rawValue.json }
}

/// A value that is represented in JSON by a string.
package protocol TextValue: Readable, TextCodable {
    static var exampleText: String { get }
}

extension TextValue {
    package static var schema: Schema { .string }
    package static var sample: Self? { Self(jsonText: exampleText) }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        if case .string(let text) = json, let value = Self(jsonText: text) { return value }
        return faults.refuse(json, at: path, allowed)
    }
    package var json: JSONValue? { .string(jsonText) }
}

/// A value that is one of a small set of words.
package protocol Word: Readable, CaseIterable {
    static var schemaName: String { get }
    var word: String { get }
}

extension Word where Self: RawRepresentable, RawValue == String {
    package var word: String { rawValue }
}

extension Word {
    package static var schemaName: String { Schema.name(of: Self.self) }
    package static var words: [String] { allCases.map(\.word) }
    package static var schema: Schema { .words(words, named: schemaName) }
    package static var sample: Self? { allCases.first }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        if case .string(let text) = json, let value = Self(word: text) { return value }
        return faults.refuse(json, at: path, "one of \(words.joined(separator: ", "))")
    }
    package var json: JSONValue? { .string(word) }

    package init?(word: String) {
        guard let value = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = value
    }

    /// Decodes a word, for types whose raw values are not words.
    static func word(from decoder: any Decoder) throws -> Self {
        let container = try decoder.singleValueContainer()
        guard let value = Self(word: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must be one of \(words.joined(separator: ", "))")
        }
        return value
    }
}
