package import PushModel

/// Merges a document with its template.
///
/// **Promises.** The document takes precedence over the template. The `content` and each of its `languages`
/// are merged member by member, including the members of `variables`, `custom` and the gateways' sections.
/// `schedule` and `retry` are merged key by key. Everything else is replaced as a whole. `apps` and
/// `environments` together choose the apps, so a document with one of them takes neither from the template. A
/// value of the wrong kind replaces the template's value, so that the reader refuses it at the path that it
/// has in the document. A document cannot remove anything from the template.
package enum TemplateMerge {
    /// Merges a delivery document with its template. In the result, `template` contains the version.
    /// - Parameter source: The source of the recipients. The template's target is used only if it is the
    ///   document.
    package static func delivery(
        _ document: JSONValue, over template: JSONValue, _ version: TemplateVersion,
        target source: DeliveryDocument.TargetSource = .document
    ) -> JSONValue {
        naming(version, in: completed(document, by: template, target: source))
    }

    /// Merges changes with the document of a delivery, as a document is merged with its template.
    package static func copy(_ document: JSONValue, changedBy changes: JSONValue) -> JSONValue {
        completed(changes, by: document, target: .document)
    }

    private static func completed(
        _ document: JSONValue, by base: JSONValue, target source: DeliveryDocument.TargetSource
    ) -> JSONValue {
        var whole = ["label", "service", "tracking", "allowEmpty", "ignoreFrequencyCap"]
        if !choosesApps(document) { whole += appChoices }
        if source == .document { whole.append("target") }
        return filled(
            document,
            from: [
                ("content", base["content"], contentLevels), ("schedule", base["schedule"], 1),
                ("retry", base["retry"], 1),
            ] + whole.map { ($0, base[$0], 0) })
    }

    /// Reports whether a document determines the apps of its delivery.
    package static func choosesApps(_ document: JSONValue) -> Bool {
        appChoices.contains { document[$0] != nil }
    }

    private static let appChoices = ["apps", "environments"]

    /// Merges a single message with its template. A message can have a validity and a priority. Tracking,
    /// retries and the rest of a schedule apply only to deliveries.
    package static func message(
        _ message: JSONValue, over template: JSONValue, _ version: TemplateVersion
    ) -> JSONValue {
        let schedule = template["schedule"]
        let merged = filled(
            message,
            from: [
                ("content", template["content"], contentLevels), ("validity", schedule?["validity"], 0),
                ("priority", schedule?["priority"], 0),
            ])
        return naming(version, in: merged)
    }

    /// Returns the document with the version of its template in place of the reference.
    private static func naming(_ version: TemplateVersion, in document: JSONValue) -> JSONValue {
        guard case .object(var members) = document else { return document }
        let value: JSONValue = ["name": .string(version.name), "version": .integer(version.version)]
        if let place = members.firstIndex(where: { $0.key == "template" }) {
            members[place].value = value
        } else {
            members.append(JSONMember(key: "template", value: value))
        }
        return .object(members)
    }

    /// Merges a language of a content with the content, without the content's languages.
    static func language(_ own: JSONValue, over content: JSONValue) -> JSONValue {
        guard case .object(let members) = content else { return own }
        return merged(own, over: .object(members.filter { $0.key != languagesKey }), levels: contentLevels)
    }

    /// The number of levels of a content that are merged: its members, and the members of those that are
    /// objects.
    private static let contentLevels = 2
    /// The key of a content's languages. Each language is a content.
    private static let languagesKey = "languages"

    /// - Parameter defaults: For each member, the template's value and the number of levels of objects that
    ///   are merged member by member.
    private static func filled(
        _ document: JSONValue, from defaults: [(key: String, value: JSONValue?, levels: Int)]
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
        return .object(members)
    }

    /// Returns the template's languages. If the document also contains a language, the result spells its tag
    /// as the document does.
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

    /// Merges two objects. The template's members come first, in the template's order, followed by the
    /// members that only the document has.
    private static func merged(_ own: JSONValue, over base: JSONValue, levels: Int) -> JSONValue {
        guard levels > 0, case .object(let ownMembers) = own, case .object(let baseMembers) = base else {
            return own
        }
        let said = Dictionary(ownMembers.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        let known = Set(baseMembers.map(\.key))
        let members = baseMembers.map { member in
            // Only a content itself is merged with this number of levels.
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
