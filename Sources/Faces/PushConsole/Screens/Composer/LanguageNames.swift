extension Phrase {
    /// The content for all languages that have no content of their own.
    static let mainContent = Phrase("Main text", "Haupttext")
}

/// The names of languages. A language without a name here is shown by its tag.
enum LanguageNames {
    static let known: [(tag: String, name: Phrase)] = [
        ("ar", Phrase("Arabic", "Arabisch")), ("bg", Phrase("Bulgarian", "Bulgarisch")),
        ("cs", Phrase("Czech", "Tschechisch")), ("da", Phrase("Danish", "Dänisch")),
        ("de", Phrase("German", "Deutsch")), ("el", Phrase("Greek", "Griechisch")),
        ("en", Phrase("English", "Englisch")), ("es", Phrase("Spanish", "Spanisch")),
        ("fi", Phrase("Finnish", "Finnisch")), ("fr", Phrase("French", "Französisch")),
        ("he", Phrase("Hebrew", "Hebräisch")), ("hr", Phrase("Croatian", "Kroatisch")),
        ("hu", Phrase("Hungarian", "Ungarisch")), ("it", Phrase("Italian", "Italienisch")),
        ("ja", Phrase("Japanese", "Japanisch")), ("ko", Phrase("Korean", "Koreanisch")),
        ("nl", Phrase("Dutch", "Niederländisch")), ("nb", Phrase("Norwegian", "Norwegisch")),
        ("pl", Phrase("Polish", "Polnisch")), ("pt", Phrase("Portuguese", "Portugiesisch")),
        ("ro", Phrase("Romanian", "Rumänisch")), ("ru", Phrase("Russian", "Russisch")),
        ("sk", Phrase("Slovak", "Slowakisch")), ("sl", Phrase("Slovene", "Slowenisch")),
        ("sv", Phrase("Swedish", "Schwedisch")), ("tr", Phrase("Turkish", "Türkisch")),
        ("uk", Phrase("Ukrainian", "Ukrainisch")), ("zh", Phrase("Chinese", "Chinesisch")),
    ]

    /// The name of a language; its tag if the name is not known.
    static func title(_ tag: String) -> Phrase {
        guard !tag.isEmpty else { return Phrase("not reported", "nicht gemeldet") }
        let primary = tag.prefix { $0 != "-" }.lowercased()
        guard let name = known.first(where: { $0.tag == primary })?.name else {
            return Phrase(same: Phrase.isolated(tag))
        }
        guard primary.count < tag.count else { return name }
        return Phrase("\(name.english) (\(tag))", "\(name.german) (\(tag))")
    }
}
