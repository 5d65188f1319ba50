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
    /// The file from which the list was made; `nil` if an earlier version made it.
    package var upload: RecipientUpload?

    package init(number: Int64 = 0, kind: Kind, count: Int, pages: Int, upload: RecipientUpload? = nil) {
        self.number = number
        self.kind = kind
        self.count = count
        self.pages = pages
        self.upload = upload
    }
}

/// The figures of a file of recipients.
package struct RecipientUpload: Equatable, Sendable, Codable {
    /// The number of recipients in the file, including repeated ones.
    package var rows: Int
    /// The subscribers that were found by the values of a parameter; `nil` if the file has user keys or
    /// tokens, which are looked up when the delivery is prepared.
    package var match: Match?

    /// The result of looking up the values of a parameter.
    package struct Match: Equatable, Sendable, Codable {
        /// The name of the parameter.
        package var key: String
        /// The number of values, each counted once.
        package var values: Int
        /// The number of values that at least one subscription has.
        package var matched: Int
        /// The number of subscriptions that have one of the values.
        package var devices: Int
        /// The number of users of these subscriptions. Each subscription without a user key counts as a
        /// user.
        package var people: Int
        /// The number of values that subscriptions of several user keys have.
        package var ambiguous: Int

        package init(
            key: String, values: Int, matched: Int, devices: Int, people: Int, ambiguous: Int
        ) {
            self.key = key
            self.values = values
            self.matched = matched
            self.devices = devices
            self.people = people
            self.ambiguous = ambiguous
        }
    }

    package init(rows: Int, match: Match? = nil) {
        self.rows = rows
        self.match = match
    }
}

/// A parameter by whose values a list identifies subscribers.
package struct RecipientKey: Equatable, Sendable {
    package var name: String
    package var kind: ParameterDeclaration.Kind

    package init(name: String, kind: ParameterDeclaration.Kind) {
        self.name = name
        self.kind = kind
    }

    /// Returns the text that represents the value in comparisons. Numbers that are equal have the same text:
    /// `7`, `007` and `7.0`. Numbers that differ in any digit have different texts. Any other values are
    /// compared by their bytes.
    package func comparable(_ value: String) -> String {
        guard kind == .number else { return value }
        if let integer = Int64(value) { return "\(integer)" }
        return WrittenNumber(value)?.canonical ?? value
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
