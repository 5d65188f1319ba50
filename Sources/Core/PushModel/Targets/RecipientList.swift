/// A list of recipients that is separate from a document because it may contain millions. The list is stored
/// separately from its delivery, and only until the delivery is prepared.
package struct RecipientList: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case userKeys, tokens
    }

    /// The list's number in the store; 0 if the list is not stored.
    package var number: Int64
    package var kind: Kind
    /// The number of recipients, each counted once.
    package var count: Int
    /// The number of pages in which the list is stored.
    package var pages: Int

    package init(number: Int64 = 0, kind: Kind, count: Int, pages: Int) {
        self.number = number
        self.kind = kind
        self.count = count
        self.pages = pages
    }
}

/// A recipient of a list.
package struct ListedRecipient: Equatable, Sendable {
    /// A user key or a token.
    package var value: String
    /// The recipient's variables as a JSON object of texts; empty if there are none.
    package var variables: [UInt8]

    package init(_ value: String, variables: [UInt8] = []) {
        self.value = value
        self.variables = variables
    }
}
