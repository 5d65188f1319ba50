/// What a delivery says: the `content` object of its document, checked but not yet addressed to anybody.
///
/// Title and body are shared by all platforms; what only one gateway knows is in its ``ContentSection``. Texts may have
/// places that each subscriber's parameters fill (``PersonalText``).
package struct Content: Equatable, Sendable {
    package var title: String?
    package var body: String?
    /// Application variables and their values, in ascending order of their names' UTF-8 bytes; no name twice.
    package var variables: [ContentVariable] { didSet { variables.sort() } }
    /// What apps get beside their variables, as JSON of any depth, in the same order; no name twice.
    package var custom: [CustomMember] { didSet { custom.sort() } }
    private var sections = ContentSections()
    /// Whether body and title may be cut to what the gateway takes.
    package var shortens = false
    /// What devices of some languages get instead, in ascending order of languages, each once.
    package private(set) var languages: [LanguageContent]

    /// Languages of one content.
    package static let maximumLanguages = 50

    package init(
        title: String? = nil, body: String? = nil, variables: [String: String] = [:],
        custom: [CustomMember] = [], languages: [LanguageContent] = []
    ) {
        self.title = title
        self.body = body
        self.variables = variables.map { ContentVariable(name: $0.key, value: $0.value) }.sorted()
        self.custom = custom.sorted()
        self.languages = languages.sorted { $0.language < $1.language }
    }

    /// A gateway's section; without members if the content does not have it.
    package subscript<Section: ContentSection>(_ type: Section.Type) -> Section {
        get { sections[type] }
        set { sections[type] = newValue }
    }

    /// The same without the sections of other gateways. Its languages keep theirs.
    /// - Parameter section: the name of the only one that stays. nil: none stays.
    package func keeping(section: String?) -> Content {
        var content = self
        content.sections.keepOnly(section)
        return content
    }

    /// What devices of other languages get, then what each of its languages says: none of these has languages.
    package var versions: [Content] {
        guard !languages.isEmpty else { return [self] }
        var base = self
        base.languages = []
        return [base] + languages.map(\.content)
    }

    /// The same with these languages.
    package func with(_ languages: [LanguageContent]) -> Content {
        var content = self
        content.languages = languages.sorted { $0.language < $1.language }
        return content
    }

    /// What opens a placeholder such as `{{firstName}}`.
    package static let personalisationMark = "{{"

    /// Every text that a device may show or an app may read, each with its path in the document; those of its
    /// languages aside.
    package var texts: [(path: String, text: String)] {
        var texts: [(path: String, text: String)] = []
        if let title { texts.append(("title", title)) }
        if let body { texts.append(("body", body)) }
        texts += variables.map { ("variables.\($0.name)", $0.value) }
        texts += custom.map { ("custom.\($0.name)", $0.text) }
        for section in sections.all {
            texts += section.texts.map { ("\(type(of: section).name).\($0.path)", $0.text) }
        }
        return texts
    }

    /// Texts with places for parameters, those aside that no place can be in: see ``placeProblems``.
    package var personalTexts: [(path: String, text: PersonalText)] {
        texts.compactMap { path, text in
            guard Content.isPersonalised(text), !isFixed(path) else { return nil }
            return (try? PersonalText(text)).map { (path, $0) }
        }
    }

    /// What is wrong with its texts' places, each with its path.
    package var placeProblems: [(path: String, problem: String)] {
        texts.compactMap { path, text in
            guard Content.isPersonalised(text) else { return nil }
            if isFixed(path) { return (path, "no {{ here: it is the same for all messages of a delivery") }
            do throws(PersonalTextError) {
                _ = try PersonalText(text)
                return nil
            } catch {
                return (path, error.description)
            }
        }
    }

    /// What is no text of the payload, and what is JSON rather than a text.
    private func isFixed(_ path: String) -> Bool {
        let isJSON = custom.contains { member in
            if case .json = member.value { "custom.\(member.name)" == path } else { false }
        }
        return isJSON
            || sections.all.map { type(of: $0) }.contains { section in
                path.hasPrefix("\(section.name).")
                    && section.fixedPaths.contains(String(path.dropFirst(section.name.count + 1)))
            }
    }

    /// Whether a text has a mark that opens a place.
    package static func isPersonalised(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), previous == byte { return true }
            previous = byte
        }
        return false
    }
}

/// What devices of one language get instead of a content.
package struct LanguageContent: Equatable, Sendable {
    package var language: LanguageTag
    /// All of it: what the language says, and what it leaves to the content that it stands in.
    package var content: Content

    package init(language: LanguageTag, content: Content) {
        self.language = language
        self.content = content
    }
}

/// One application variable of a delivery. Devices get the value as a string.
package struct ContentVariable: Equatable, Comparable, Sendable {
    package var name: String
    package var value: String
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
}
