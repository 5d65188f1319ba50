internal import CPushShims

/// What many requests have in common: their header fields, prepared once.
///
/// Constant fields stand in memory of the template's own and are indexed by HPACK, so that each costs one
/// byte a request. Variable fields are filled in for each request through a ``RequestWriter``; a variable
/// that is not set is left out of the request. Pseudo-header fields (`:method`, `:scheme`, `:authority`,
/// `:path`) come first. Names are lower case. One thread.
package final class RequestTemplate {
    package enum Field {
        /// The same in each request.
        case constant(name: String, value: String)
        /// The same in each request, but kept out of HPACK's table: secrets.
        case secret(name: String, value: String)
        /// Set for each request: in the order of their appearance, variable 0, 1, 2 … Never indexed: a value
        /// that changes each time would only push the constant ones out of the table.
        case variable(name: String)
    }

    let fields: UnsafeMutablePointer<nghttp2_nv>
    let count: Int
    /// Where variable 0, 1, 2 … stand in `fields`.
    let variables: [Int]
    private let text: UnsafeMutablePointer<UInt8>

    /// - Throws: ``TransportError`` `.setting` when there are more than ``mostFields`` fields, a
    ///   pseudo-header follows an ordinary one, or a name is empty or not lower case.
    package init(_ fields: [Field]) throws(TransportError) {
        try Self.check(fields)
        var bytes: [UInt8] = []
        var spans: [(name: Range<Int>, value: Range<Int>, flags: UInt8)] = []
        var variables: [Int] = []
        let pinned = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        let hidden = pinned | UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        func add(_ name: String, _ value: String, _ flags: UInt8) {
            let start = bytes.count
            bytes += Array(name.utf8) + Array(value.utf8)
            let middle = start + name.utf8.count
            spans.append((start..<middle, middle..<bytes.count, flags))
        }
        for field in fields {
            switch field {
            case .constant(let name, let value): add(name, value, pinned)
            case .secret(let name, let value): add(name, value, hidden)
            case .variable(let name):
                variables.append(spans.count)
                add(name, "", hidden)
            }
        }
        text = .allocate(capacity: max(1, bytes.count))
        text.initialize(from: bytes, count: bytes.count)
        self.fields = .allocate(capacity: max(1, spans.count))
        for (index, span) in spans.enumerated() {
            self.fields.advanced(by: index).initialize(
                to: nghttp2_nv(
                    name: text + span.name.lowerBound, value: text + span.value.lowerBound,
                    namelen: span.name.count, valuelen: span.value.count, flags: span.flags))
        }
        count = spans.count
        self.variables = variables
    }

    deinit {
        fields.deallocate()
        text.deallocate()
    }

    /// More than any gateway asks for; the scratch array of a connection has as many.
    package static let mostFields = 32

    private static func check(_ fields: [Field]) throws(TransportError) {
        guard fields.count <= mostFields else {
            throw TransportError(
                .setting("a request template has at most \(mostFields) fields, not \(fields.count)"))
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
                throw TransportError(.setting("header '\(name)': pseudo-headers come before all others"))
            }
            ordinary = ordinary || !isPseudo
        }
    }
}
