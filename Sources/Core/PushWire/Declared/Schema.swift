/// The form of a JSON value in the API, as defined by OpenAPI 3.1 (JSON Schema 2020-12).
package indirect enum Schema: Sendable {
    case string
    /// A text that is not empty, with a maximum length in bytes of UTF-8.
    case text(most: Int)
    case integer
    case integers(ClosedRange<Int>)
    case number
    case numbers(ClosedRange<Double>)
    case boolean
    /// An idempotency key with a maximum length in characters.
    case key(longest: Int)
    /// A request body that is read as a stream. Generated clients send a file.
    case file
    /// An RFC 3339 time. Input may have any offset; answers are in UTC with `Z`.
    case time
    /// One of these words.
    /// - Parameter named: The name of the OpenAPI component that lists the words. If it is `nil`, they are
    ///   listed where they are used.
    case words([String], named: String? = nil)
    case list(Schema, count: ClosedRange<Int>? = nil)
    /// Values of this kind, keyed by name.
    /// - Parameter names: The allowed names; `nil` allows any.
    case map(Schema, count: ClosedRange<Int>? = nil, names: [String]? = nil)
    /// - Parameter oneOfEach: Lists of names. Exactly one name from each list is present.
    case object([Member], oneOfEach: [[String]] = [])
    /// A component that the API's description lists under this name. A component may refer to itself.
    case component(String, @Sendable () -> Schema)
    case orNull(Schema)
    case oneOf([Schema])
    case anyOf([Schema])
    case any

    package struct Member: Sendable {
        package let name: String
        package let schema: Schema
        /// Whether the member is always present.
        package let isRequired: Bool
        package let about: String?
        /// The value that applies if the member is absent.
        package let preset: JSONValue?

        package init(
            _ name: String, _ schema: Schema, isRequired: Bool = true, about: String? = nil,
            preset: JSONValue? = nil
        ) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
            self.about = about
            self.preset = preset
        }
    }

    /// The point in a list at which a page begins. Callers do not interpret it.
    package static let cursor = Schema.text(most: 256)

    /// Returns the schema of one page of a list: the items, and the cursor of the next page. If the items are
    /// the component `X`, the page is the component `XList`.
    package static func page(of item: Schema) -> Schema {
        let page = Schema.object([
            .init("items", .list(item)),
            .init("next", .orNull(.cursor), about: "the cursor of the next page; null if there is none"),
        ])
        guard case .component(let name, _) = item else { return page }
        return .component("\(name)List") { page }
    }

    /// Returns the schema of a parameter or of an object's member.
    /// - Parameter preset: The value that applies if the parameter or member is absent.
    package func value(preset: JSONValue?) -> JSONValue {
        .object(members + Self.rules(["default": preset]))
    }

    package var withoutNull: Schema { if case .orNull(let schema) = self { schema } else { self } }

    package var value: JSONValue { .object(members) }

    private var members: [JSONMember] {
        switch self {
        case .string: Self.type("string")
        // JSON Schema counts characters, and a text never has more characters than bytes.
        case .text(let most): Self.type("string") + Self.bounds("Length", 1...most)
        case .integer: Self.type("integer")
        case .integers(let range):
            Self.type(
                "integer",
                [
                    "format": .string("int64"), "minimum": .integer(Int64(range.lowerBound)),
                    "maximum": .integer(Int64(range.upperBound)),
                ])
        case .number: Self.type("number")
        case .numbers(let range):
            Self.type("number", ["minimum": .real(range.lowerBound), "maximum": .real(range.upperBound)])
        case .boolean: Self.type("boolean")
        case .key(let longest):
            Schema.text(most: longest).members + Self.rules(["pattern": .string("^[ -~]*$")])
        case .file: Self.type("string", ["format": .string("binary")])
        case .time: Self.type("string", ["format": .string("date-time")])
        case .words(_, let name?), .component(let name, _):
            Self.rules(["$ref": .string("#/components/schemas/\(name)")])
        case .words(let words, nil): Self.type("string", ["enum": .array(words.map { .string($0) })])
        case .list(let item, let count):
            Self.type("array", ["items": item.value]) + Self.bounds("Items", count)
        case .map(let value, let count, let names):
            Self.type(
                "object",
                [
                    "additionalProperties": value.isAny ? .boolean(true) : value.value,
                    "propertyNames": names.map { ["enum": .array($0.map { .string($0) })] },
                ]) + Self.bounds("Properties", count)
        case .object(let members, let oneOfEach):
            Self.type("object", Self.properties(members)) + Self.exactlyOne(ofEach: oneOfEach)
        case .orNull(let schema):
            Self.rules(["anyOf": .array([schema.value, ["type": .string("null")]])])
        case .oneOf(let schemas): Self.rules(["oneOf": .array(schemas.map(\.value))])
        case .anyOf(let schemas): Self.rules(["anyOf": .array(schemas.map(\.value))])
        case .any: []
        }
    }

    private var isAny: Bool { if case .any = self { true } else { false } }

    private typealias Rules = KeyValuePairs<String, JSONValue?>

    private static func rules(_ rules: Rules) -> [JSONMember] {
        rules.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } }
    }

    private static func type(_ name: String, _ more: Rules = [:]) -> [JSONMember] {
        rules(["type": .string(name)]) + rules(more)
    }

    private static func bounds(_ what: String, _ count: ClosedRange<Int>?) -> [JSONMember] {
        rules([
            "min\(what)": count.map { .integer(Int64($0.lowerBound)) },
            "max\(what)": count.map { .integer(Int64($0.upperBound)) },
        ])
    }

    private static func exactlyOne(ofEach alternatives: [[String]]) -> [JSONMember] {
        let all = alternatives.map { names -> JSONValue in
            ["oneOf": .array(names.map { ["required": .array([.string($0)])] })]
        }
        return rules(["allOf": all.isEmpty ? nil : .array(all)])
    }

    private static func properties(_ members: [Member]) -> Rules {
        let properties = members.map { member in
            JSONMember(
                key: member.name,
                value: .object(
                    member.schema.members
                        + rules(["description": member.about.map { .string($0) }, "default": member.preset])))
        }
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        return ["properties": .object(properties), "required": .array(required)]
    }
}
