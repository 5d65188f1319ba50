/// The data in a grant that fills a message's payload. It consists of the subscriber's parameters, as the
/// store writes them, the facts that the content uses, and the variables that the delivery's target contains
/// for this recipient, in this order. A later value takes precedence over an earlier value of the same name.
/// If the content depends on the language, the device's language precedes the parameters, between two line
/// feeds. The parameters are a JSON object, which the store never begins with a line feed, and the facts and
/// the variables are further JSON objects.
package enum MessageFilling {
    package static let mark = UInt8(ascii: "\n")

    /// - Parameters:
    ///   - language: The language as the device reported it; empty if it reported none.
    ///   - parameters: A JSON object of texts, or nothing.
    ///   - facts: Objects of facts: ``object(_:of:)``.
    ///   - variables: The variables of the recipient, in the same form as the parameters.
    package static func bytes(
        language: String, parameters: [UInt8], facts: [UInt8] = [], variables: [UInt8] = []
    ) -> [UInt8] {
        [mark] + language.utf8.map { $0 == mark ? UInt8(ascii: " ") : $0 } + [mark] + parameters + facts
            + variables
    }

    /// Returns the facts as a JSON object; empty if there are none.
    package static func object(_ facts: Set<CollectedFact>, of subscriber: CollectedFacts) -> [UInt8] {
        let members = CollectedFact.allCases.filter(facts.contains).map {
            RegistrationParameter(name: $0.rawValue, value: subscriber.text(of: $0))
        }
        return Array((ParameterText.json(members) ?? "").utf8)
    }

    /// Returns the facts that may fill placeholders of a text. The text is a content, as the store keeps it,
    /// or the default of a variable. The result may contain facts that the text does not use. These facts are
    /// read but have no effect.
    package static func facts(in text: some Collection<UInt8>) -> Set<CollectedFact> {
        var facts: Set<CollectedFact> = []
        var rest = text[text.startIndex...]
        while let mark = rest.firstRange(of: Content.personalisationMark.utf8) {
            rest = rest[mark.upperBound...]
            let name = rest.drop { " #^".utf8.contains($0) }.prefix { isLetter($0) }
            if let fact = CollectedFact.allCases.first(where: { name.elementsEqual($0.rawValue.utf8) }) {
                facts.insert(fact)
            }
        }
        return facts
    }

    /// Returns the facts that may fill the texts of a message to an app.
    /// - Parameters:
    ///   - contentJSON: The content, as the store keeps it.
    ///   - variables: The app's variables, whose defaults may contain placeholders.
    ///   - declared: The app's parameters. Their names do not mean facts.
    package static func facts(
        in contentJSON: [UInt8], _ variables: [AppVariable], besides declared: [ParameterDeclaration]
    ) -> Set<CollectedFact> {
        let defaults = variables.compactMap(\.defaultValue).map { facts(in: $0.utf8) }
        return defaults.reduce(facts(in: contentJSON)) { $0.union($1) }
            .intersection(CollectedFact.known(besides: declared))
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & ~0x20) }

    /// Reports whether a text needs the languages of devices. The text is a content, as the store keeps it,
    /// or the default of a variable. The result may be `true` for a text that does not need languages. In
    /// that case, each device's language is read but has no effect.
    package static func needsLanguage(_ text: some Collection<UInt8>) -> Bool {
        if text.firstRange(of: "\"languages\":".utf8) != nil { return true }
        guard text.firstRange(of: Content.personalisationMark.utf8) != nil else { return false }
        return text.firstRange(of: ":number".utf8) != nil || text.firstRange(of: ":date".utf8) != nil
    }
}
