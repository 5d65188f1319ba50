/// A language of the console.
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// The language's name in the language itself.
    package var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        }
    }

    /// Returns the language that a browser prefers, according to `Accept-Language`.
    static func preferred(by header: String?) -> Language {
        let ranked = (header ?? "").prefix(1_000).split(separator: ",").prefix(20).enumerated().compactMap {
            index, part -> (language: Language, weight: Double, index: Int)? in
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = pieces.first?.lowercased(),
                let language = allCases.first(where: {
                    tag == $0.rawValue || tag.hasPrefix("\($0.rawValue)-")
                })
            else { return nil }
            let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            return (language, weight ?? 1, index)
        }
        return ranked.filter { $0.weight > 0 }
            .max { ($0.weight, -$0.index) < ($1.weight, -$1.index) }?.language ?? .english
    }
}

/// A text of the console in all languages. A phrase is declared next to the screen that shows it, as a static
/// member of this type, or as a function if it contains values. A phrase that lacks a language does not
/// compile.
///
/// ```swift
/// extension Phrase {
///     fileprivate static let pause = Phrase("Pause", "Anhalten")
///     fileprivate static func waiting(_ count: Int) -> Phrase {
///         .counted(count, one: Phrase("1 message waits", "1 Nachricht wartet")) {
///             Phrase("\($0) messages wait", "\($0) Nachrichten warten")
///         }
///     }
/// }
/// ```
package struct Phrase: Sendable, Equatable {
    package let english: String
    package let german: String

    package init(_ english: String, _ german: String) { (self.english, self.german) = (english, german) }

    /// Creates a phrase that is the same in all languages, such as a name.
    package init(same text: String) { self.init(text, text) }

    /// The text in the reader's language.
    package var text: String { text(in: Presentation.current.language) }

    package func text(in language: Language) -> String {
        switch language {
        case .english: english
        case .german: german
        }
    }

    /// Returns a phrase that contains a count.
    /// - Parameter other: Returns the phrase for all counts except one. It receives the formatted count.
    package static func counted(
        _ count: Int, one: @autoclosure () -> Phrase, other: (_ count: String) -> Phrase
    ) -> Phrase {
        count == 1 ? one() : other(Formats.count(count))
    }

    /// Returns a name for use inside a phrase. Its writing direction does not affect the text around it.
    package static func isolated(_ name: String) -> String {
        let inner = name.unicodeScalars.filter { !("\u{2066}"..."\u{2069}").contains($0) }
        return "\u{2068}\(String(String.UnicodeScalarView(inner)))\u{2069}"
    }
}

/// A phrase that contains markup.
package struct MarkedPhrase: Sendable {
    private let english: HTML
    private let german: HTML

    package init(_ english: HTML, _ german: HTML) { (self.english, self.german) = (english, german) }

    /// The markup in the reader's language.
    package var html: HTML {
        switch Presentation.current.language {
        case .english: english
        case .german: german
        }
    }
}
