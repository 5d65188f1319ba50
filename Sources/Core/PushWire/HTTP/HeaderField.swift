/// A header field of a request, prepared for HPACK.
package struct HeaderField: Equatable, Sendable {
    /// What HPACK (RFC 7541 §6.2) may do with it.
    package enum Indexing: Equatable, Sendable {
        /// Enters the dynamic table: the value recurs.
        case indexed
        /// Sent as a literal and kept nowhere, by us or by proxies: it differs each time or is secret.
        case never
    }

    package var name: String
    package var value: String
    package var indexing: Indexing

    package init(name: String, value: String, indexing: Indexing = .indexed) {
        self.name = name
        self.value = value
        self.indexing = indexing
    }
}
