/// The common part of many requests: their header fields, prepared once.
///
/// Each connection encodes the constant fields once and then copies them. Variable fields are set for each
/// request through a ``RequestWriter``; a variable that is not set is omitted from the request. Pseudo-header
/// fields (`:method`, `:scheme`, `:authority`, `:path`) come first. Names are in lower case. A template must
/// be used on one thread only.
package final class RequestTemplate {
    package enum Field {
        /// A field that is the same in each request.
        case constant(name: String, value: String)
        /// A secret field that is the same in each request. HPACK's table keeps it only if
        /// ``HTTP2Configuration/indexesSecrets`` allows it.
        case secret(name: String, value: String)
        /// A field whose value is set for each request. Variables are numbered 0, 1, 2 … in the order of
        /// their appearance. The value of the first request is inserted into HPACK's table, so that the table
        /// contains the name. Later values are not inserted, because values that change each time would only
        /// evict constant fields.
        case variable(name: String)
    }

    /// A field in its encoded form.
    struct Part {
        enum Kind { case constant, secret, variable }
        let name, value: [UInt8]
        let kind: Kind
        /// Whether the field differs between templates. Such a field should be in HPACK's table only if many
        /// requests have it.
        var isOfTemplate: Bool { kind == .constant && name.first != UInt8(ascii: ":") }
        /// Whether HPACK's static table has the whole field.
        var isStatic: Bool { kind == .constant && HPACKStaticTable.index(of: name, value) != nil }
    }

    let parts: [Part]
    let variableCount: Int
    /// The maximum size of the block without its variable values, including table updates, in bytes.
    let maxConstantBytes: Int
    /// The place of the template's code in the connection that used the template last. This is a hint that
    /// must be checked.
    var place = 0

    /// - Throws: ``TransportError`` `.setting` if there are more than ``maxFields`` fields, if a
    ///   pseudo-header field follows an ordinary field, or if a name is empty or not in lower case.
    package init(_ fields: [Field]) throws(TransportError) {
        try Self.check(fields)
        parts = fields.map { field in
            switch field {
            case .constant(let name, let value):
                Part(name: Array(name.utf8), value: Array(value.utf8), kind: .constant)
            case .secret(let name, let value):
                Part(name: Array(name.utf8), value: Array(value.utf8), kind: .secret)
            case .variable(let name): Part(name: Array(name.utf8), value: [], kind: .variable)
            }
        }
        variableCount = parts.count { $0.kind == .variable }
        maxConstantBytes = parts.reduce(2 * HPACKInteger.maxBytes) {
            $0 + $1.name.count + $1.value.count + 3 * HPACKInteger.maxBytes
        }
    }

    /// The maximum number of fields, which is more than any gateway needs.
    package static let maxFields = 32

    private static func check(_ fields: [Field]) throws(TransportError) {
        guard fields.count <= maxFields else {
            throw TransportError(
                .setting("a request template can have at most \(maxFields) fields, not \(fields.count)"))
        }
        var ordinary = false
        for field in fields {
            let name =
                switch field {
                case .constant(let name, _), .secret(let name, _), .variable(let name): name
                }
            let isPseudo = name.utf8.first == UInt8(ascii: ":")
            guard !name.isEmpty, !name.utf8.contains(where: { (0x41...0x5A).contains($0) || $0 <= 0x20 })
            else {
                throw TransportError(.setting("header name '\(name)': must be lower case and not empty"))
            }
            guard !(isPseudo && ordinary) else {
                throw TransportError(.setting("header '\(name)': pseudo-headers must precede all others"))
            }
            ordinary = ordinary || !isPseudo
        }
    }
}
