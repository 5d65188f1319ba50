package import PushWire

extension JSONValue {
    /// Creates the JSON form of a value: members in the order in which they are encoded, `nil` as null.
    ///
    /// This uses a separate encoder because the library's encoder does not keep the order and omits `nil`,
    /// although a reader of an answer should see an explicit null.
    package init(encoding value: some Encodable) throws {
        let encoder = JSONValueEncoder()
        try value.encode(to: encoder)
        self = encoder.value
    }
}

/// Collects what one value encodes. If the value requests a container for its members twice, as a value
/// composed of two others does, the encoder collects the members of both containers.
final class JSONValueEncoder: Encoder {
    fileprivate enum Part {
        case nothing
        case single(JSONValue)
        case object([(key: String, value: JSONValueEncoder)])
        case array([JSONValueEncoder])
    }
    fileprivate var part = Part.nothing
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    fileprivate var value: JSONValue {
        switch part {
        case .nothing: .object([])
        case .single(let value): value
        case .object(let members): .object(members.map { JSONMember(key: $0.key, value: $0.value.value) })
        case .array(let elements): .array(elements.map(\.value))
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = part {} else { part = .object([]) }
        return KeyedEncodingContainer(ObjectMembers(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = part {} else { part = .array([]) }
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    fileprivate func member(_ key: String) -> JSONValueEncoder {
        let encoder = JSONValueEncoder()
        guard case .object(var members) = part else { return encoder }
        part = .nothing
        members.append((key, encoder))
        part = .object(members)
        return encoder
    }

    fileprivate func element() -> JSONValueEncoder {
        let encoder = JSONValueEncoder()
        guard case .array(var elements) = part else { return encoder }
        part = .nothing
        elements.append(encoder)
        part = .array(elements)
        return encoder
    }

    /// Stores a value. The members of an object are added to the existing ones.
    func take(_ value: JSONValue) {
        guard case .object(let members) = value else { return part = .single(value) }
        if case .object = part {} else { part = .object([]) }
        for member in members { self.member(member.key).part = .single(member.value) }
    }

    fileprivate func set(_ value: some Encodable) throws {
        switch value {
        case let value as String: part = .single(.string(value))
        case let value as Bool: part = .single(.boolean(value))
        case let value as Double: part = .single(.real(value))
        case let value as Float: part = .single(.real(Double(value)))
        case let value as any FixedWidthInteger & Encodable:
            guard let integer = Int64(exactly: value) else {
                throw EncodingError.invalidValue(
                    value, .init(codingPath: [], debugDescription: "beyond 64 bits"))
            }
            part = .single(.integer(integer))
        default: try value.encode(to: self)
        }
    }
}

private struct ObjectMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { encoder.member(key.stringValue).part = .single(.null) }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        try encoder.member(key.stringValue).set(value)
    }
    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    // Optionals of these types have their own methods, whose default implementations drop `nil`.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try orNull(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try orNull(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try orNull(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try orNull(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try orNull(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try orNull(value, key) }

    private func orNull(_ value: (some Encodable)?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoder.member(key.stringValue).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.member(key.stringValue).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder.member("super") }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key.stringValue) }
}

private struct Elements: UnkeyedEncodingContainer {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { if case .array(let elements) = encoder.part { elements.count } else { 0 } }

    func encodeNil() { encoder.element().part = .single(.null) }
    func encode(_ value: some Encodable) throws { try encoder.element().set(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.element().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder.element() }
}

private struct Single: SingleValueEncodingContainer {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { encoder.part = .single(.null) }
    func encode(_ value: some Encodable) throws { try encoder.set(value) }
}
