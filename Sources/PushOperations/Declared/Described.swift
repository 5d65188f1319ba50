package import PushModel
package import PushWire

/// A type that knows its JSON: what a value may be, how one is read, and how it is written.
package protocol Described: Sendable {
    static var schema: Schema { get }
    /// The value of an absent member; nil: the member is required.
    static var absent: Self? { get }
    /// Reads a value and notes everything that is wrong with it.
    /// - Returns: nil if it is not one of this type; then a fault was noted.
    static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self?
    /// nil: a member with this value is left out.
    var json: JSONValue? { get }
}

extension Described {
    package static var absent: Self? { nil }
}

/// The faults of a request, one line each: the path and the allowed values. No line contains a given value.
package struct Faults: Equatable, Sendable {
    package private(set) var lines: [String] = []

    package init() {}

    package mutating func note(_ path: String, _ problem: String) {
        lines.append(path.isEmpty ? "the body \(problem)" : "\(path): \(problem)")
    }

    /// - Parameter allowed: the end of a sentence that begins with "must be".
    mutating func refuse(_ json: JSONValue, at path: String, _ allowed: String) {
        note(path, "must be \(allowed), not \(json.kind)")
    }

    mutating func refuse(_ given: [JSONMember], unknownTo known: [Declaration], at path: String) {
        let names = known.map(\.name).joined(separator: ", ")
        for key in given.map(\.key) where !known.contains(where: { $0.name == key }) {
            note(Self.path(path, key.printable(atMost: 64)), "unknown; known are \(names)")
        }
    }

    static func path(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

extension String: Described {
    package static var schema: Schema { .string }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> String? {
        if case .string(let text) = json { return text }
        faults.refuse(json, at: path, "a string")
        return nil
    }
    package var json: JSONValue? { .string(self) }
}

extension Int: Described {
    package static var schema: Schema { .integer }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Int? {
        if case .integer(let number) = json { return Int(number) }
        faults.refuse(json, at: path, "an integer")
        return nil
    }
    package var json: JSONValue? { .integer(Int64(self)) }
}

extension Bool: Described {
    package static var schema: Schema { .boolean }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Bool? {
        if case .boolean(let value) = json { return value }
        faults.refuse(json, at: path, "true or false")
        return nil
    }
    package var json: JSONValue? { .boolean(self) }
}

extension Array: Described where Element: Described {
    package static var schema: Schema { .list(Element.schema) }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        guard case .array(let elements) = json else {
            faults.refuse(json, at: path, "an array")
            return nil
        }
        let values = elements.enumerated().map { Element.read($1, at: "\(path)[\($0)]", &faults) }
        return values.contains { $0 == nil } ? nil : values.compactMap(\.self)
    }
    package var json: JSONValue? { .array(map { $0.json ?? .null }) }
}

/// nil is encoded as null, so that the member is always present.
extension Optional: Described where Wrapped: Described {
    package static var schema: Schema { .orNull(Wrapped.schema) }
    package static var absent: Wrapped?? { .some(nil) }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Wrapped?? {
        json == .null ? .some(nil) : Wrapped.read(json, at: path, &faults).map { .some($0) }
    }
    package var json: JSONValue? { self?.json ?? .null }
}

extension FrequencyCap: Described {
    package static var schema: Schema { .string }
    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> FrequencyCap? {
        guard case .string(let text) = json, let cap = FrequencyCap(text) else {
            faults.note(path, "must be \(allowed)")
            return nil
        }
        return cap
    }
    package var json: JSONValue? { .string(description) }
}
