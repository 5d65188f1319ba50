import PushModel

/// What a content says to devices of some languages: `"languages": {"fr": {"title": "Soldes"}}`. Each is the
/// content with what stands there in its place, member by member, as a document's content is over its template's.
extension DocumentReader {
    private static var languagesKey: String { "languages" }

    /// - Parameters:
    ///   - root: the content that they stand in.
    ///   - content: what was read of it.
    ///   - known: paths of what is wrong with it, which is not told again for each language.
    mutating func languages(
        of root: JSONValue, at path: String, beside content: Content, known: Set<String>
    ) -> [LanguageContent] {
        guard let value = root[Self.languagesKey] else { return [] }
        let place = "\(path).\(Self.languagesKey)"
        guard let object = anyObject(value, at: place) else { return [] }
        guard (1...Content.maximumLanguages).contains(object.keys.count) else {
            note(place, "holds \(object.keys.count) languages; allowed are 1 to \(Content.maximumLanguages)")
            return []
        }
        var first: [LanguageTag: String] = [:]
        var languages: [LanguageContent] = []
        for (key, value) in zip(object.keys, object.values) {
            let place = object.path(of: key)
            guard let tag = LanguageTag(key) else {
                note(place, "not a language; allowed are tags such as fr, pt-BR and zh-Hans")
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
            let whole = TemplateMerge.language(value, over: root)
            var reader = DocumentReader()
            let version = reader.contentOfLanguage(whole, at: place)
            for finding in reader.findings where !known.contains(path + finding.path.dropFirst(place.count)) {
                note(finding.path, finding.problem)
            }
            refuseOtherRequests(version, than: content, at: place)
            languages.append(LanguageContent(language: tag, content: version))
        }
        return languages
    }

    /// What goes beside the payload, and what a payload is made as, is one for all messages of a delivery.
    private mutating func refuseOtherRequests(_ version: Content, than content: Content, at path: String) {
        if APNsHeading(version.ios) != APNsHeading(content.ios) {
            note("\(path).ios", "type, priority and collapseId are the same in all languages")
        }
        if version.android.type != content.android.type {
            note("\(path).android", "type is the same in all languages")
        }
    }
}
