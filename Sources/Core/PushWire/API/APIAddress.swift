internal import PushModel

/// The address that an API client requests: the path after `/api/v1`, and the query. Each segment, name and
/// value is decoded (RFC 3986 §2.1).
package struct APIAddress: Equatable, Sendable {
    package struct Field: Equatable, Sendable {
        package var name: String
        package var value: String
    }

    package let segments: [String]
    package let query: [Field]

    /// Maximum number of fields in a query.
    package static let maxFields = 16

    /// `nil` if a `%` is not followed by two hex digits, if the query has too many fields, or if decoded text
    /// is not UTF-8 or contains a NUL character. No name contains a NUL, and PostgreSQL refuses it in any
    /// text.
    package init?(path: some Collection<UInt8>, query: some Collection<UInt8>) {
        var segments: [String] = []
        for segment in Array(path).split(separator: UInt8(ascii: "/")) {
            guard let text = Self.text(segment, plusIsSpace: false) else { return nil }
            segments.append(text)
        }
        var fields: [Field] = []
        for pair in Array(query).split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard fields.count < Self.maxFields, let name = Self.text(halves[0], plusIsSpace: true),
                let value = Self.text(halves.count > 1 ? halves[1] : [], plusIsSpace: true)
            else { return nil }
            fields.append(Field(name: name, value: value))
        }
        self.segments = segments
        self.query = fields
    }

    /// Returns a name, percent-encoded as one segment of a path.
    package static func encoded(_ name: String) -> String { PercentEncoding.encoded(name) }

    private static func text(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
        PercentCoding.decode(bytes, plusIsSpace: plusIsSpace).flatMap {
            $0.contains(0) ? nil : String(validating: $0, as: UTF8.self)
        }
    }
}

/// A pattern for paths with variable segments. Each variable segment has a name, such as `id` in
/// `/deliveries/{id}`.
package struct APIPattern: Equatable, Sendable {
    private enum Segment: Equatable, Sendable {
        case word(String)
        case name(String)
    }

    package let text: String
    private let segments: [Segment]

    package init(_ text: String) {
        self.text = text
        segments = text.split(separator: "/").map {
            $0.hasPrefix("{") && $0.hasSuffix("}")
                ? .name(String($0.dropFirst().dropLast())) : .word(String($0))
        }
    }

    /// The number of segments.
    package var count: Int { segments.count }

    /// The names of the variable segments, in order.
    package var names: [String] {
        segments.compactMap { if case .name(let name) = $0 { name } else { nil } }
    }

    /// Returns the values of the variable segments, keyed by name, or `nil` if the path does not match.
    package func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .word(let word): guard word == text else { return nil }
            case .name(let name): values[name] = text
            }
        }
        return values
    }
}
