internal import PushModel

/// The address of a page, relative to the console's root. A literal contains the path and the names in the
/// query; each inserted value is percent-encoded: `"/subscribers?key=\(key)"`.
package struct ConsolePath: Sendable, Equatable, ExpressibleByStringInterpolation {
    package static let root = "/console"

    /// The path with its query. It begins with a slash.
    package let text: String
    /// The address on the host.
    package var url: String { Self.root + text }

    package init(stringLiteral literal: StaticString) { text = literal.description }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Creates a path from a text that a browser sent; `nil` if it leads out of the console.
    package init?(returning text: String) {
        let bytes = text.utf8
        guard bytes.count <= 2_000, text.hasPrefix("/"), !text.hasPrefix("//"),
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
            // Browsers read %2e as a dot, also in the segments that lead to another folder.
            !text.prefix(while: { $0 != "?" }).lowercased().replacing("%2e", with: ".")
                .split(separator: "/").contains(where: { $0 == ".." || $0 == "." })
        else { return nil }
        self.text = text
    }

    /// - Parameter segments: The path's segments, not encoded.
    init(segments: [String], query: FormFields = FormFields()) {
        let path = segments.map { "/\(PercentEncoding.encoded($0))" }.joined()
        let fields = query.fields.map {
            "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))"
        }
        let whole = path.isEmpty ? "/" : path
        text = fields.isEmpty ? whole : "\(whole)?\(fields.joined(separator: "&"))"
    }

    private init(text: String) { self.text = text }

    /// Returns the address with one more field in its query. A field whose value is `nil` is not added.
    package func with(_ name: StaticString, _ value: String?) -> ConsolePath {
        guard let value else { return self }
        let mark = text.contains("?") ? "&" : "?"
        return ConsolePath(text: "\(text)\(mark)\(name)=\(PercentEncoding.encoded(value))")
    }

    /// Returns the address of the element of the page that has this id. Add the fields of the query before.
    func at(_ id: String) -> ConsolePath { ConsolePath(text: "\(text)#\(PercentEncoding.encoded(id))") }

    package struct StringInterpolation: StringInterpolationProtocol {
        package typealias StringLiteralType = StaticString
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}
        package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
        package mutating func appendInterpolation(_ value: String) { text += PercentEncoding.encoded(value) }
        package mutating func appendInterpolation(_ value: some BinaryInteger) { text += "\(value)" }
    }
}
