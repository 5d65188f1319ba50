/// A header field of a request.
package struct HeaderField: Equatable, Sendable {
    package var name: String
    package var value: String
    /// Whether the value is a credential. A credential enters HPACK's dynamic table (RFC 7541, 7.1.3) only if
    /// the operator allows it.
    package var isSecret: Bool

    package init(name: String, value: String, isSecret: Bool = false) {
        self.name = name
        self.value = value
        self.isSecret = isSecret
    }
}
