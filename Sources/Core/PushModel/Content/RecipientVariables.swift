/// What a target says of each of those that it lists: texts by name, which a message to him is filled with
/// before what his subscription says.
package struct RecipientVariables: Equatable, Sendable {
    /// All that occur, each once, in the order of their bytes.
    package let names: [String]
    /// By listed user key or token: a JSON object of texts, none of them empty. Who says nothing has none. Of a
    /// delivery that is read back it is empty: messages have theirs.
    package let byRecipient: [ExactText: [UInt8]]

    /// What one recipient's may take, as JSON: as much as a payload.
    package static let maximumBytes = 4_096

    /// - Parameter values: by listed value, name and text; empty texts are as if they were not there.
    package init(_ values: [ExactText: [(name: String, text: String)]]) {
        var names = Set<String>()
        byRecipient = values.compactMapValues { pairs in
            names.formUnion(pairs.map(\.name))
            return Self.json(pairs)
        }
        self.names = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// As it is read back.
    package init(names: [String]) {
        self.names = names
        byRecipient = [:]
    }

    private init(names: [String], _ byRecipient: [ExactText: [UInt8]]) {
        (self.names, self.byRecipient) = (names, byRecipient)
    }

    /// - Parameters:
    ///   - listed: in order: of those that are spelled alike the first counts.
    ///   - spelling: of a listed value.
    package func respelled(_ listed: [String], _ spelling: (String) -> String) -> RecipientVariables {
        let pairs = listed.map { (ExactText(spelling($0)), byRecipient[ExactText($0)] ?? []) }
        let first = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        return RecipientVariables(names: names, first.filter { !$0.value.isEmpty })
    }

    /// For those who are to look at what others get: who is not listed is said the same of as the first of
    /// these that something is said of.
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

    /// nil: nothing is left to say.
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
