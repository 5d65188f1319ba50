package import PushWire

/// An answer, or an object within one: a Codable value whose schema is derived from its properties.
package protocol View: Component, Codable {
    /// Descriptions of members whose names do not explain them.
    static var about: [String: String] { get }
}

extension View {
    package static var about: [String: String] { [:] }
    @_semantics("optimize.sil.specialize.generic.never")
    package static var sample: Self? { try? Self(from: SchemaDecoder(isFull: true)) }
    @_semantics("optimize.sil.specialize.generic.never")
    package var json: JSONValue? { try? JSONValue(encoding: self) }

    @_semantics("optimize.sil.specialize.generic.never")
    package static var schemaMembers: [Schema.Member] {
        let decoder = SchemaDecoder(isFull: true)
        // A value that lacks all optional members contains exactly the members that are always present.
        guard (try? Self(from: decoder)) != nil, let least = try? Self(from: SchemaDecoder(isFull: false))
        else { return [] }
        return decoder.members.map { name, _, schema in
            Schema.Member(name, schema, isRequired: least.json?[name] != nil, about: about[name])
        }
    }

    /// An object with a sample of each member. Values in ``AnswerExamples`` replace the samples. Members that
    /// an answer with these values omits are left out.
    @_semantics("optimize.sil.specialize.generic.never")
    package static var example: JSONValue? {
        let decoder = SchemaDecoder(isFull: true)
        guard (try? Self(from: decoder)) != nil else { return nil }
        let samples = decoder.members.map { JSONMember(key: $0.name, value: $0.type.example ?? .null) }
        let example = JSONValue.object(samples).exemplified(by: schemaName)
        guard case .object(let members) = example, let answer = example.decoded(as: Self.self)?.json
        else { return nil }
        return .object(members.filter { answer[$0.key] != nil })
    }
}

/// A decoder that supplies samples to a type and records which members the type decodes.
private final class SchemaDecoder: Decoder {
    /// Whether members that may be missing are present.
    let isFull: Bool
    private(set) var members: [(name: String, type: any Described.Type, schema: Schema)] = []
    private var mayBeNull: Set<String> = []
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(isFull: Bool) { self.isFull = isFull }

    struct NotDescribed: Error {}

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(SampleMembers(decoder: self))
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotDescribed() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NotDescribed() }

    func noteNull(_ name: String) { mayBeNull.insert(name) }

    func sample<Value>(_ type: Value.Type, _ name: String) throws -> Value {
        guard let described = type as? any Described.Type, let value = described.sample as? Value else {
            throw NotDescribed()
        }
        let schema = mayBeNull.contains(name) ? .orNull(described.schema) : described.schema
        members.append((name, described, schema))
        return value
    }
}

private struct SampleMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SchemaDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { decoder.isFull }
    // Called for members that may be null.
    func decodeNil(forKey key: Key) -> Bool {
        decoder.noteNull(key.stringValue)
        return false
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.sample(type, key.stringValue)
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw SchemaDecoder.NotDescribed() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw SchemaDecoder.NotDescribed()
    }
    func superDecoder() throws -> any Decoder { throw SchemaDecoder.NotDescribed() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw SchemaDecoder.NotDescribed() }
}
