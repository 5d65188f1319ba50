import PushModel

/// The contents for devices in particular languages: `"languages": {"fr": {"title": "Soldes"}}`. A language
/// inherits the members of the main content and overrides some of them, member by member. A document's
/// content overrides that of its template by the same rules.
extension Content {
    /// - Parameter version: The members of a language, including those that it inherits from the content.
    static func languagesField(_ version: Fields<Content>) -> Field<Content> {
        Field(
            languagesName, \.saidLanguages,
            .elsewhere(.map(version.schema, count: 1...maximumLanguages)) { writer, key, languages in
                writer.object(key) { object in
                    for said in languages {
                        object.object(said.language.text) { version.write(said.content, by: &$0) }
                    }
                }
            }, "for each language tag, the members that replace the content's on devices in that language")
    }

    fileprivate static let languagesName = "languages"

    private var saidLanguages: [LanguageContent] {
        get { languages }
        set { self = with(newValue) }
    }
}

extension DocumentReader {
    /// - Parameters:
    ///   - root: The content that contains the languages.
    ///   - content: The content as read. Its faults are not repeated for each language.
    ///   - fields: The members of a language.
    mutating func languages(
        of root: Object, alongside content: Content, _ fields: Fields<Content>,
        _ sections: [ContentSectionDeclaration]
    ) -> [LanguageContent] {
        guard let value = root.value(Content.languagesName) else { return [] }
        let known = Set(faults.all.map(\.path))
        let place = root.path(of: Content.languagesName)
        guard let object = anyObject(value, at: place) else { return [] }
        guard (1...Content.maximumLanguages).contains(object.keys.count) else {
            note(place, "must have 1 to \(Content.maximumLanguages) languages, not \(object.keys.count)")
            return []
        }
        var first: [LanguageTag: String] = [:]
        var languages: [LanguageContent] = []
        for (key, value) in zip(object.keys, object.values) {
            let place = object.path(of: key)
            guard let tag = LanguageTag(key) else {
                note(place, "must be a language tag, such as fr, pt-BR or zh-Hans")
                continue
            }
            if let other = first[tag] {
                note(place, "the same language as \(other.printable(atMost: 64))")
                continue
            }
            first[tag] = key
            guard let own = anyObject(value, at: place) else { continue }
            if own.keys.isEmpty {
                note(place, "is empty; add what differs in this language, or remove it")
                continue
            }
            let whole = TemplateMerge.language(value, over: root.json)
            var reader = DocumentReader()
            let version = fields.read(whole, at: place, by: &reader) ?? Content()
            for fault in reader.faults.all
            where !known.contains(root.path + fault.path.dropFirst(place.count)) {
                faults.note(fault)
            }
            // Data outside the payload, and data that determines the kind of payload, must be the same for
            // all messages of a delivery.
            for section in sections where !section.isSame(version, content) {
                note("\(place).\(section.name)", "\(section.sameInAllLanguages) the same in all languages")
            }
            languages.append(LanguageContent(language: tag, content: version))
        }
        return languages
    }
}
