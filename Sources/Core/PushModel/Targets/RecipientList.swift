/// A list of recipients that stands beside a document because it may be of millions: kept apart from the delivery
/// that is for them, and no longer than until that is prepared.
package struct RecipientList: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case userKeys, tokens
    }

    /// In the store; 0: it is in none.
    package var number: Int64
    package var kind: Kind
    /// How many it has, each once.
    package var count: Int
    /// In so many pages.
    package var pages: Int

    package init(number: Int64 = 0, kind: Kind, count: Int, pages: Int) {
        self.number = number
        self.kind = kind
        self.count = count
        self.pages = pages
    }
}

/// One of a list.
package struct ListedRecipient: Equatable, Sendable {
    /// A user key or a token.
    package var value: String
    /// What is said of him: a JSON object of texts; empty: nothing.
    package var variables: [UInt8]

    package init(_ value: String, variables: [UInt8] = []) {
        self.value = value
        self.variables = variables
    }
}
