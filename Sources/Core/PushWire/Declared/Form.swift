package import PushModel

/// The form of a document's value: how it is described, read and written.
package struct Form<Value: Sendable>: Sendable {
    /// Reads the value at a path, or returns `nil` if it is not valid, after noting the fault.
    package typealias Reading = @Sendable (inout DocumentReader, JSONValue, String) -> Value?
    /// Writes the value as a member with this name.
    package typealias Writing = @Sendable (inout DocumentWriter, String, Value) -> Void

    let schema: Schema
    let read: Reading
    let write: Writing

    /// - Parameter write: Writes the value. The default writes nothing and is for a form that is only read.
    package init(
        _ schema: Schema, read: @escaping Reading, write: @escaping Writing = { _, _, _ in }
    ) {
        (self.schema, self.read, self.write) = (schema, read, write)
    }

    /// A value that is not read with the other members: the object's check reads it afterwards.
    static func elsewhere(_ schema: Schema, write: @escaping Writing = { _, _, _ in }) -> Self {
        Self(schema, read: { _, _, _ in nil }, write: write)
    }

    /// Returns a form for a more specific type.
    /// - Parameters:
    ///   - make: Returns `nil` if the value is not valid. In that case, the fault has already been noted.
    ///   - value: Converts in the other direction, for writing; `nil` if the form is only read.
    package func map<Other>(
        _ make: @escaping @Sendable (Value) -> Other?, write value: (@Sendable (Other) -> Value)? = nil
    ) -> Form<Other> {
        Form<Other>(schema) { reader, value, path in
            read(&reader, value, path).flatMap(make)
        } write: { writer, key, other in
            if let value { write(&writer, key, value(other)) }
        }
    }

    /// A value of another type that is written as a string.
    /// - Parameter allowed: The allowed values, for the fault that any other value causes. It is the end of a
    ///   sentence that begins with "must be".
    static func spelled(
        _ schema: Schema, allowed: String, read: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) -> Self {
        Self(schema) { reader, value, path in
            guard case .string(let text) = value else {
                return reader.refuse(value, at: path, allowed: allowed)
            }
            return read(text) ?? reader.refuse(value, at: path, allowed: allowed, isOtherKind: false)
        } write: {
            $0.string($1, write($2))
        }
    }

    package static func object(_ fields: Fields<Value>) -> Self {
        Self(fields.schema) { reader, value, path in
            fields.read(value, at: path, by: &reader)
        } write: { writer, key, value in
            writer.object(key) { fields.write(value, by: &$0) }
        }
    }

    /// A value in a short form or as an object.
    /// - Parameters:
    ///   - allowed: The allowed values, for the fault that a value causes if it is neither a string nor an
    ///     object. If it is `nil`, `short` reports the fault.
    ///   - value: Converts an object. Returns `nil` if the object is not valid.
    package static func either<Root>(
        _ short: Self, or fields: Fields<Root>, allowed: String? = nil,
        value make: @escaping @Sendable (Root) -> Value?,
        write: @escaping Writing = { _, _, _ in }
    ) -> Self {
        let read: Reading = { reader, value, path in
            if case .object = value { return fields.read(value, at: path, by: &reader).flatMap(make) }
            if let allowed {
                guard case .string = value else { return reader.refuse(value, at: path, allowed: allowed) }
            }
            return short.read(&reader, value, path)
        }
        return Self(.oneOf([short.schema, fields.schema]), read: read, write: write)
    }

    /// An array.
    /// - Parameters:
    ///   - distinct: Returns the text that represents an element in comparisons. Two equal elements are a
    ///     fault. If `distinct` is `nil`, equal elements are allowed.
    static func list<Element>(
        _ element: Form<Element>, _ count: ClosedRange<Int>,
        distinct: (@Sendable (Element) -> String)? = nil
    ) -> Self where Value == [Element] {
        Self(.list(element.schema, count: count)) { reader, value, path in
            guard let elements = reader.elements(of: value, at: path, count) else { return nil }
            var seen: Set<ExactText> = []
            var values: [Element] = []
            for (index, one) in elements.enumerated() {
                let path = "\(path)[\(index)]"
                guard let value = element.read(&reader, one, path) else { continue }
                if let distinct, !seen.insert(ExactText(distinct(value))).inserted {
                    reader.faults.refuseRepeated(path)
                } else {
                    values.append(value)
                }
            }
            return values
        }
    }
}

extension Form {
    /// An object with arbitrary member names.
    /// - Parameters:
    ///   - read: Reads a member from its name, value and path. Returns `nil` if it is not valid, after noting
    ///     the fault.
    package static func map<Member>(
        _ schema: Schema,
        read: @escaping @Sendable (inout DocumentReader, String, JSONValue, String) -> Member?,
        write: @escaping @Sendable (inout DocumentWriter, Member) -> Void = { _, _ in }
    ) -> Self where Value == [Member] {
        Self(.map(schema)) { reader, value, path in
            guard let object = reader.anyObject(value, at: path) else { return nil }
            return object.members.compactMap { read(&reader, $0.key, $0.value, object.path(of: $0.key)) }
        } write: { writer, key, members in
            writer.object(key) { object in for member in members { write(&object, member) } }
        }
    }
}

extension Form<String> {
    /// Any text, including an empty one.
    package static var anyText: Self { .text() }

    /// - Parameter schema: The schema. If it is `nil`, the schema of the first limit that has one is used.
    package static func text(_ limits: TextLimits..., schema: Schema? = nil) -> Self {
        Self(schema ?? limits.lazy.compactMap(\.schema).first ?? .string) { reader, value, path in
            reader.string(value, at: path, limits)
        } write: {
            $0.string($1, $2)
        }
    }
}

extension Form<WallTime> {
    package static var time: Form<WallTime> {
        .spelled(
            .time, allowed: WallTime.allowed, read: { WallTime(rfc3339: $0) }, write: \.utcText)
    }
}

extension Form<[String]> {
    /// At most 100 strings, which need not be distinct.
    package static func texts(_ limits: TextLimits = .text) -> Self {
        let list = Form.list(.text(limits), 0...100)
        return Self(list.schema, read: list.read) { $0.strings($1, $2) }
    }

    /// Distinct strings.
    static func strings(_ count: ClosedRange<Int>, _ limits: TextLimits) -> Self {
        .list(.text(limits), count) { $0 }
    }
}

extension Form<Bool> {
    package static var boolean: Self {
        Self(.boolean) {
            $0.boolean($1, at: $2)
        } write: {
            $0.spelled($1, "\($2)")
        }
    }
}

extension Form {
    /// - Parameter make: Returns `nil` if the number is out of range.
    static func number(
        _ range: ClosedRange<Double>, allowed: String, _ make: @escaping @Sendable (Double) -> Value?,
        write: @escaping Writing = { _, _, _ in }
    ) -> Self {
        let read: Reading = { reader, value, path in
            let number: Double
            switch value {
            case .integer(let integer): number = Double(integer)
            case .real(let real): number = real
            default: return reader.refuse(value, at: path, allowed: allowed)
            }
            return make(number) ?? reader.refuse(value, at: path, allowed: allowed, isOtherKind: false)
        }
        return Self(.numbers(range), read: read, write: write)
    }
}

extension Form<Double> {
    /// A number from 0 to 1.
    package static var fraction: Self {
        .number(0...1, allowed: "a number from 0 to 1") {
            (0...1).contains($0) ? $0 : nil
        } write: {
            $0.number($1, $2)
        }
    }
}

extension Form where Value: FixedWidthInteger {
    package static func integer(_ range: ClosedRange<Value>) -> Self {
        Self(.integers(Int(range.lowerBound)...Int(range.upperBound))) { reader, value, path in
            let allowed = "an integer from \(range.lowerBound) to \(range.upperBound)"
            guard case .integer(let integer) = value else {
                return reader.refuse(value, at: path, allowed: allowed)
            }
            if let value = Value(exactly: integer), range.contains(value) { return value }
            return reader.refuse(value, at: path, allowed: allowed, isOtherKind: false)
        } write: {
            $0.integer($1, $2)
        }
    }
}

extension Form where Value: RawRepresentable<String> & CaseIterable {
    /// One of an enumeration's raw values.
    package static var word: Self {
        let words = Value.allCases.map(\.rawValue)
        return Self(.words(words)) { reader, value, path in
            let allowed = "one of \(words.joined(separator: ", "))"
            guard case .string(let text) = value else {
                return reader.refuse(value, at: path, allowed: allowed)
            }
            return Value(rawValue: text)
                ?? reader.refuse(value, at: path, allowed: allowed, isOtherKind: false)
        } write: {
            $0.string($1, $2.rawValue)
        }
    }
}
