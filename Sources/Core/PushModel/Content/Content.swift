/// The content of a delivery: the `content` object of its document, checked but not yet addressed to
/// recipients.
///
/// All platforms share title and body. Members that only one gateway knows are in that gateway's
/// ``ContentSection``. Texts may contain placeholders that each subscriber's parameters fill
/// (``PersonalText``).
package struct Content: Equatable, Sendable {
    package var title: String?
    package var body: String?
    /// Application variables and their values, in ascending order of their names' UTF-8 bytes; no name twice.
    package var variables: [ContentVariable] { didSet { variables.sort() } }
    /// Members that apps get in addition to their variables, as JSON of any depth, in ascending order of
    /// their names' UTF-8 bytes; no name twice.
    package var custom: [CustomMember] { didSet { custom.sort() } }
    private var sections = ContentSections()
    /// Whether body and title may be shortened to the size that the gateway accepts.
    package var shortens = false
    /// The contents for devices in particular languages, in ascending order of languages, each language once.
    package private(set) var languages: [LanguageContent]

    /// Maximum number of languages in one content.
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

    /// The section of a gateway. If the content does not contain the section, the value is an empty section.
    package subscript<Section: ContentSection>(_ type: Section.Type) -> Section {
        get { sections[type] }
        set { sections[type] = newValue }
    }

    /// Returns this content without the sections of other gateways. The sections of its languages are kept.
    /// - Parameter section: The name of the only section to keep; `nil` removes all of them.
    package func keeping(section: String?) -> Content {
        var content = self
        content.sections.keepOnly(section)
        return content
    }

    /// This content, which applies to devices in languages without their own content, followed by the
    /// contents for its languages. None of the returned contents has languages.
    package var versions: [Content] {
        guard !languages.isEmpty else { return [self] }
        var base = self
        base.languages = []
        return [base] + languages.map(\.content)
    }

    /// Returns this content with the given languages.
    package func with(_ languages: [LanguageContent]) -> Content {
        var content = self
        content.languages = languages.sorted { $0.language < $1.language }
        return content
    }

    /// The mark that opens a placeholder such as `{{firstName}}`.
    package static let personalisationMark = "{{"

    /// Every text that a device may show or an app may read, each with its path in the document. The texts of
    /// the content's languages are not included.
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

    /// The texts with placeholders, except those in which placeholders are not allowed: see
    /// ``placeProblems``.
    package var personalTexts: [(path: String, text: PersonalText)] {
        texts.compactMap { path, text in
            guard Content.isPersonalised(text), !isFixed(path) else { return nil }
            return (try? PersonalText(text)).map { (path, $0) }
        }
    }

    /// The errors in placeholders in the content's texts, each with the path of the text.
    package var placeProblems: [(path: String, problem: String)] {
        texts.compactMap { path, text in
            guard Content.isPersonalised(text) else { return nil }
            if isFixed(path) {
                return (path, "must not contain {{: it is the same for all messages of a delivery")
            }
            do throws(PersonalTextError) {
                _ = try PersonalText(text)
                return nil
            } catch {
                return (path, error.description)
            }
        }
    }

    /// Reports whether a path refers to a text outside the payload, or to JSON rather than a text.
    func isFixed(_ path: String) -> Bool {
        let isJSON = custom.contains { member in
            if case .json = member.value { "custom.\(member.name)" == path } else { false }
        }
        return isJSON
            || sections.all.map { type(of: $0) }.contains { section in
                path.hasPrefix("\(section.name).")
                    && section.fixedPaths.contains(String(path.dropFirst(section.name.count + 1)))
            }
    }

    /// Reports whether a text contains a mark that opens a placeholder.
    package static func isPersonalised(_ text: String) -> Bool {
        text[...].utf8.firstPair(of: UInt8(ascii: "{")) != nil
    }
}

extension Substring.UTF8View {
    /// Returns the range of the first two adjacent bytes with this value. The content of a delivery is read
    /// for each of its apps, and a generic search would take most of that time.
    func firstPair(of byte: UInt8) -> Range<Index>? {
        var previous: Index?
        var index = startIndex
        while index < endIndex {
            let next = self.index(after: index)
            if self[index] == byte {
                if let previous { return previous..<next }
                previous = index
            } else {
                previous = nil
            }
            index = next
        }
        return nil
    }
}

/// The content for devices of one language.
package struct LanguageContent: Equatable, Sendable {
    package var language: LanguageTag
    /// The complete content: the members of the language, and those that it inherits from the content that
    /// contains it.
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
