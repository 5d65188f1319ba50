package import PushModel

/// What a document says over what its template says.
///
/// **Promises.** The document has the last word: of `content` member by member, and so within `variables`,
/// `custom` and the sections of gateways, and within each of its `languages`; of `schedule` and `retry` by key; all else as a whole. What has the wrong
/// kind takes the place of what the template says, so that it is refused where it stands. Nothing that the
/// template says is taken away.
package enum TemplateMerge {
    /// A delivery document. Its `template` then says the version.
    package static func delivery(
        _ document: JSONValue, over template: JSONValue, _ version: TemplateVersion
    ) -> JSONValue {
        filled(
            document,
            from: [
                ("content", template["content"], contentLevels), ("schedule", template["schedule"], 1),
                ("retry", template["retry"], 1), ("tracking", template["tracking"], 0),
            ], version)
    }

    /// A single message, which has validity and priority of its own; tracking, retries and the rest of a
    /// schedule are a delivery's.
    package static func message(
        _ message: JSONValue, over template: JSONValue, _ version: TemplateVersion
    ) -> JSONValue {
        let schedule = template["schedule"]
        return filled(
            message,
            from: [
                ("content", template["content"], contentLevels), ("validity", schedule?["validity"], 0),
                ("priority", schedule?["priority"], 0),
            ], version)
    }

    /// What a language of a content says over the content, which is taken without its languages.
    static func language(_ own: JSONValue, over content: JSONValue) -> JSONValue {
        guard case .object(let members) = content else { return own }
        return merged(own, over: .object(members.filter { $0.key != languagesKey }), levels: contentLevels)
    }

    /// Its members, and those of the objects among them.
    private static let contentLevels = 2
    /// Each of a content's languages is a content.
    private static let languagesKey = "languages"

    /// - Parameter defaults: for each member what the template says, and how many levels of objects are taken
    ///   member by member.
    private static func filled(
        _ document: JSONValue, from defaults: [(key: String, value: JSONValue?, levels: Int)],
        _ version: TemplateVersion
    ) -> JSONValue {
        guard case .object(var members) = document else { return document }
        func set(_ key: String, _ value: JSONValue) {
            if let place = members.firstIndex(where: { $0.key == key }) {
                members[place].value = value
            } else {
                members.append(JSONMember(key: key, value: value))
            }
        }
        for (key, value, levels) in defaults {
            guard let value else { continue }
            set(key, document[key].map { merged($0, over: value, levels: levels) } ?? value)
        }
        set("template", ["name": .string(version.name), "version": .integer(version.version)])
        return .object(members)
    }

    /// The template's languages under the names that the document gives them, where both mean the same.
    private static func spelled(_ base: JSONValue, as own: JSONValue) -> JSONValue {
        guard case .object(let ownMembers) = own, case .object(let members) = base else { return base }
        let names = Dictionary(
            ownMembers.compactMap { member in LanguageTag(member.key).map { ($0, member.key) } },
            uniquingKeysWith: { first, _ in first })
        return .object(
            members.map { member in
                let name = LanguageTag(member.key).flatMap { names[$0] }
                return JSONMember(key: name ?? member.key, value: member.value)
            })
    }

    /// Members of the template first, in its order, then those that it does not have.
    private static func merged(_ own: JSONValue, over base: JSONValue, levels: Int) -> JSONValue {
        guard levels > 0, case .object(let ownMembers) = own, case .object(let baseMembers) = base else {
            return own
        }
        let said = Dictionary(ownMembers.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        let known = Set(baseMembers.map(\.key))
        let members = baseMembers.map { member in
            // Of a content only.
            let isLanguages = levels == contentLevels && member.key == languagesKey
            let levels = isLanguages ? contentLevels + 1 : levels - 1
            let value = said[member.key].map { own in
                merged(own, over: isLanguages ? spelled(member.value, as: own) : member.value, levels: levels)
            }
            return JSONMember(key: member.key, value: value ?? member.value)
        }
        return .object(members + ownMembers.filter { !known.contains($0.key) })
    }
}
