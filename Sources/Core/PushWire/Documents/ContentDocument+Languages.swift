import PushModel

/// What a content says to devices of some languages: `"languages": {"fr": {"title": "Soldes"}}`. Each is the
/// content with what stands there in its place, member by member, as a document's content is over its template's.
extension Content {
    /// - Parameter version: what a language says, with what it leaves to the content.
    static func languagesField(_ version: Fields<Content>) -> Field<Content> {
        Field(
            languagesName, \.saidLanguages,
            .elsewhere(.map(version.schema, count: 1...maximumLanguages)) { writer, key, languages in
                writer.object(key) { object in
                    for said in languages {
                        object.object(said.language.text) { version.write(said.content, by: &$0) }
                    }
                }
            }, "by language tag: what devices of that language get instead")
    }

    fileprivate static let languagesName = "languages"

    private var saidLanguages: [LanguageContent] {
        get { languages }
        set { self = with(newValue) }
    }
}

extension DocumentReader {
    /// - Parameters:
    ///   - root: the content that they stand in.
    ///   - content: what was read of it. What is wrong with it is not told again for each language.
    ///   - fields: of a language.
    mutating func languages(
        of root: Object, beside content: Content, _ fields: Fields<Content>,
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
                note(place, "must be the tag of a language, such as fr, pt-BR or zh-Hans")
                continue
            }
            if let other = first[tag] {
                note(place, "the same language as \(other.printable(atMost: 64))")
                continue
            }
            first[tag] = key
            guard let own = anyObject(value, at: place) else { continue }
            if own.keys.isEmpty {
                note(place, "says nothing; give what differs in this language, or leave it out")
                continue
            }
            let whole = TemplateMerge.language(value, over: root.json)
            var reader = DocumentReader()
            let version = fields.read(whole, at: place, by: &reader) ?? Content()
            for fault in reader.faults.all
            where !known.contains(root.path + fault.path.dropFirst(place.count)) {
                faults.note(fault)
            }
            // What goes beside the payload, and what a payload is made as, is one for all messages of a delivery.
            for section in sections where !section.isSame(version, content) {
                note("\(place).\(section.name)", "\(section.sameInAllLanguages) the same in all languages")
            }
            languages.append(LanguageContent(language: tag, content: version))
        }
        return languages
    }
}
