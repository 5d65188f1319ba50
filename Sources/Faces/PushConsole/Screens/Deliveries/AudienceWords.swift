/// The description of an audience, which the API gives in English, in the reader's language. A part that has
/// no translation, such as a condition, is shown as it is.
enum AudienceWords {
    /// - Parameter text: A description such as `all, without 2 tokens` or `city = Paris`.
    static func html(_ text: String) -> HTML {
        guard let (first, end) = base(text) else { return HTML.inEnglish(text) }
        var parts: [HTML] = ["\(first)"]
        var rest = text[end...]
        while !rest.isEmpty {
            guard let (part, end) = refinement(rest) else {
                parts.append(HTML.inEnglish(String(rest)))
                break
            }
            parts.append("\(part)")
            rest = rest[end...]
        }
        return parts.joined(by: ", ")
    }

    private static func base(_ text: String) -> (Phrase, String.Index)? {
        if let all = text.prefixMatch(of: /all(?:, |$)/) { return (.everyone, all.range.upperBound) }
        if let match = text.prefixMatch(of: /([0-9 ]+) (user key|token)s?(?:, |$)/) {
            guard let count = number(match.output.1) else { return nil }
            let words: Phrase = match.output.2 == "token" ? .tokens(count) : .userKeys(count)
            return (words, match.range.upperBound)
        }
        if let match = text.prefixMatch(
            of: /subscribers that (were sent|opened|have not opened) a message of delivery ([0-9]+)(?:, |$)/)
        {
            let id = String(match.output.2)
            let words: Phrase =
                switch match.output.1 {
                case "were sent": .recipients(id)
                case "opened": .openers(id)
                default: .nonOpeners(id)
                }
            return (words, match.range.upperBound)
        }
        return nil
    }

    private static func refinement(_ text: Substring) -> (Phrase, String.Index)? {
        if let match = text.prefixMatch(of: /without ([0-9 ]+) (user key|token)s?(?:, |$)/) {
            guard let count = number(match.output.1) else { return nil }
            let words: Phrase = match.output.2 == "token" ? .tokens(count) : .userKeys(count)
            return (.without(words), match.range.upperBound)
        }
        if let match = text.prefixMatch(of: /once per user(?:, |$)/) {
            return (.onePerPerson, match.range.upperBound)
        }
        if let match = text.prefixMatch(of: /regardless of the frequency cap(?:, |$)/) {
            return (.regardlessOfCap, match.range.upperBound)
        }
        return nil
    }

    private static func number(_ text: Substring) -> Int? { Int(text.filter { $0 != " " }) }
}

extension Phrase {
    fileprivate static let everyone = Phrase("Everyone", "Alle")
    fileprivate static func userKeys(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 user key", "1 Nutzerschlüssel")) {
            Phrase("\($0) user keys", "\($0) Nutzerschlüssel")
        }
    }
    fileprivate static func tokens(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 token", "1 Token")) { Phrase("\($0) tokens", "\($0) Token") }
    }
    fileprivate static func recipients(_ id: String) -> Phrase {
        Phrase("Subscribers who got delivery #\(id)", "Abonnenten, die Zustellung #\(id) bekamen")
    }
    fileprivate static func openers(_ id: String) -> Phrase {
        Phrase("Subscribers who opened delivery #\(id)", "Abonnenten, die Zustellung #\(id) öffneten")
    }
    fileprivate static func nonOpeners(_ id: String) -> Phrase {
        Phrase(
            "Subscribers who have not opened delivery #\(id)",
            "Abonnenten, die Zustellung #\(id) nicht öffneten")
    }
    fileprivate static func without(_ words: Phrase) -> Phrase {
        Phrase("without \(words.english)", "ohne \(words.german)")
    }
    fileprivate static let onePerPerson = Phrase("one device per person", "ein Gerät pro Person")
    fileprivate static let regardlessOfCap = Phrase(
        "regardless of the frequency cap", "ohne Häufigkeitsgrenze")
}
