/// The variables that a target contains for each listed recipient: texts, keyed by name. When a message is
/// filled, these variables take precedence over the parameters of the recipient's subscription.
package struct RecipientVariables: Equatable, Sendable {
    /// All names that occur, each once, in byte order.
    package let names: [String]
    /// The variables of each listed user key or token, as a JSON object of texts that are not empty. A
    /// recipient without variables has no entry. The dictionary is empty for a delivery that was read back
    /// from the store, because its messages contain their own variables.
    package let byRecipient: [ExactText: [UInt8]]

    /// Maximum size of one recipient's variables as JSON, in bytes. This equals the maximum size of a
    /// payload.
    package static let maximumBytes = 4_096

    /// - Parameter values: Names and texts, keyed by the listed user key or token. Empty texts count as
    ///   missing.
    package init(_ values: [ExactText: [(name: String, text: String)]]) {
        var names = Set<String>()
        byRecipient = values.compactMapValues { pairs in
            names.formUnion(pairs.map(\.name))
            return Self.json(pairs)
        }
        self.names = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Creates the variables of a delivery that is read back from the store.
    package init(names: [String]) {
        self.names = names
        byRecipient = [:]
    }

    private init(names: [String], _ byRecipient: [ExactText: [UInt8]]) {
        (self.names, self.byRecipient) = (names, byRecipient)
    }

    /// Returns these variables, keyed by a different spelling of the listed user keys or tokens.
    /// - Parameters:
    ///   - listed: The user keys or tokens in order. If several have the same new spelling, the result
    ///     contains only the variables of the first.
    ///   - spelling: Returns the new spelling of a user key or token.
    package func respelled(_ listed: [String], _ spelling: (String) -> String) -> RecipientVariables {
        let pairs = listed.map { (ExactText(spelling($0)), byRecipient[ExactText($0)] ?? []) }
        let first = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        return RecipientVariables(names: names, first.filter { !$0.value.isEmpty })
    }

    /// Returns variables for recipients who receive the same content as the listed recipients. A recipient
    /// who is not listed gets the variables of the first listed recipient that has any.
    package func filled(for recipients: [String], asIn listed: [String]) -> RecipientVariables {
        let usual = listed.lazy.compactMap { byRecipient[ExactText($0)] }.first ?? []
        let known = Set(listed.map(ExactText.init))
        let pairs = recipients.map(ExactText.init).map {
            ($0, known.contains($0) ? byRecipient[$0] ?? [] : usual)
        }
        return RecipientVariables(
            names: names,
            Dictionary(pairs, uniquingKeysWith: { first, _ in first }).filter { !$0.value.isEmpty })
    }

    /// Returns the JSON object of the texts, or `nil` if no text is left.
    package static func json(_ pairs: [(name: String, text: String)]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for (name, text) in pairs where !text.isEmpty {
            bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
            JSONText.append(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            JSONText.append(text, to: &bytes)
        }
        guard !bytes.isEmpty else { return nil }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
