internal import PushWire

/// The titles and texts of a content, in all its languages, as fields of a form. All other members of the
/// content are kept as they are.
struct ContentTexts {
    struct Version {
        /// The language's tag; `nil` for the texts of all other languages.
        var language: String?
        var title: String
        var body: String
    }

    private(set) var versions: [Version]

    /// The maximum number of languages in a form.
    static let maxLanguages = 100
    private static let languageField = "language"

    /// Reads the texts of a document's content.
    init(of content: JSONValue?) {
        versions = [
            Version(language: nil, title: Self.text(content, "title"), body: Self.text(content, "body"))
        ]
        guard case .object(let languages)? = content?["languages"] else { return }
        for member in languages.prefix(Self.maxLanguages) {
            versions.append(
                Version(
                    language: member.key, title: Self.text(member.value, "title"),
                    body: Self.text(member.value, "body")))
        }
    }

    /// Reads the texts of a submitted form.
    init(of form: FormFields) {
        versions = [Version(language: nil, title: form["title"] ?? "", body: form["body"] ?? "")]
        for tag in form.all(Self.languageField).prefix(Self.maxLanguages) {
            versions.append(
                Version(
                    language: tag, title: form["title.\(tag)"] ?? "", body: form["body.\(tag)"] ?? ""))
        }
    }

    private static func text(_ value: JSONValue?, _ name: String) -> String {
        if case .string(let text)? = value?[name] { text } else { "" }
    }

    /// Adds an empty language, unless the content has it or the tag is empty.
    mutating func add(language tag: String) {
        guard !tag.isEmpty, !versions.contains(where: { $0.language == tag }) else { return }
        versions.append(Version(language: tag, title: "", body: ""))
    }

    // MARK: The form

    /// The names of the form's fields.
    var fieldNames: Set<String> {
        Set(versions.flatMap { [Self.name("title", $0.language), Self.name("body", $0.language)] })
    }

    /// The form's fields by the members of a document, for errors.
    var names: [String: String] {
        var names: [String: String] = [:]
        for version in versions {
            let place = version.language.map { "content.languages.\($0)" } ?? "content"
            for member in ["title", "body"] {
                names["\(place).\(member)"] = Self.name(member, version.language)
            }
        }
        return names
    }

    private static func name(_ member: String, _ language: String?) -> String {
        language.map { "\(member).\($0)" } ?? member
    }

    func html(_ fields: Fields) -> HTML {
        versions.map { version -> HTML in
            let language: HTML? = version.language.map {
                "<input type=\"hidden\" name=\"\(Self.languageField)\" value=\"\($0)\">"
            }
            let attributes: HTML = "\("lang", is: version.language)"
            return """
                \(language)\(fields.text(
                    .title(version.language), Self.name("title", version.language), value: version.title,
                    attributes: attributes))\
                \(fields.area(
                    .body(version.language), Self.name("body", version.language), value: version.body,
                    attributes: attributes))
                """
        }.joined()
    }

    // MARK: The document

    /// Returns the content without the texts that the fields have.
    func removed(from content: JSONValue?) -> JSONValue {
        var empty = self
        empty.versions = versions.map { Version(language: $0.language, title: "", body: "") }
        return empty.merged(into: content)
    }

    /// Returns a content with these texts. A text that is empty is removed, and so is a language that has
    /// nothing else.
    func merged(into content: JSONValue?) -> JSONValue {
        var whole = content ?? .object([])
        for version in versions {
            guard let tag = version.language else {
                whole = Self.setting(version, in: whole)
                continue
            }
            let languages = whole["languages"] ?? .object([])
            let changed = Self.setting(version, in: languages[tag] ?? .object([]))
            let empty = JSONValue.object([])
            let others = Self.setting(tag, to: changed == empty ? nil : changed, in: languages)
            whole = Self.setting("languages", to: others == empty ? nil : others, in: whole)
        }
        return whole
    }

    private static func setting(_ version: Version, in content: JSONValue) -> JSONValue {
        let titled = setting(
            "title", to: version.title.isEmpty ? nil : .string(version.title), in: content)
        return setting("body", to: version.body.isEmpty ? nil : .string(version.body), in: titled)
    }

    /// Returns an object with one changed member. A value that is not an object is left unchanged, so that
    /// its fault is reported.
    static func setting(_ name: String, to value: JSONValue?, in object: JSONValue) -> JSONValue {
        guard case .object(var members) = object else { return object }
        if let place = members.firstIndex(where: { $0.key == name }) {
            if let value { members[place].value = value } else { members.remove(at: place) }
        } else if let value {
            members.append(JSONMember(key: name, value: value))
        }
        return .object(members)
    }
}

extension JSONValue {
    /// The value as the bytes of a document.
    var documentBytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}

extension Phrase {
    fileprivate static func title(_ tag: String?) -> Phrase {
        guard let tag else { return Phrase("Title", "Titel") }
        let name = LanguageNames.title(tag)
        return Phrase("Title in \(name.english)", "Titel auf \(name.german)")
    }

    fileprivate static func body(_ tag: String?) -> Phrase {
        guard let tag else { return Phrase("Text", "Text") }
        let name = LanguageNames.title(tag)
        return Phrase("Text in \(name.english)", "Text auf \(name.german)")
    }
}
