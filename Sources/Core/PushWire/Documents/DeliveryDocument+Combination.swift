import PushModel

/// The sets in a target: `and`, `or` and `not`, and the choosers that they combine. Each set is an object
/// with exactly one member.
extension Target {
    static let combinations = ["and", "or", "not"]

    /// The choosers that a combination can contain.
    private static let combinable: [Schema.Member] =
        [
            .init("all", everybody.schema, isRequired: false, about: "true"),
            .init("userKeys", userKeys.schema, isRequired: false),
            .init("tokens", tokens.schema, isRequired: false),
            .init("where", condition.schema, isRequired: false),
        ]
        + SentGroup.allCases.map {
            .init($0.rawValue, delivery.schema, isRequired: false, about: ofService)
        }

    fileprivate static let setNames = combinable.map(\.name) + combinations

    private static let setSchema: Schema = .component("TargetSet") {
        .object(
            combinable + combinations.map { .init($0, combined($0), isRequired: false, about: about($0)) },
            oneOfEach: [setNames])
    }

    private static func combined(_ name: String) -> Schema {
        name == "not" ? setSchema : .list(setSchema, count: 1...TargetSet.maximumParts)
    }

    static func about(_ combination: String) -> String {
        switch combination {
        case "and": "the subscribers in all of these sets"
        case "or": "the subscribers in at least one of these sets"
        default: "the subscribers of the delivery's apps that are not in this set"
        }
    }

    /// The value of a combination, or of a chooser that is read in the same way.
    static func set(_ name: String) -> Form<TargetSet> {
        let chooser = combinable.first { $0.name == name }?.schema
        return Form(chooser ?? combined(name)) { reader, value, path in
            reader.set(named: name, value, at: path, depth: 1)
        }
    }

    /// Notes a fault if the sets of a target are too many for preparation.
    static func checkSets(_ sets: [TargetSet], at path: String, by reader: inout DocumentReader) {
        let choosers = sets.flatMap(\.choosers)
        func refuse(_ what: String, _ count: Int, _ most: Int) {
            if count > most {
                reader.note(path, "combines \(count) \(what); the maximum is \(most)")
            }
        }
        let expressions = choosers.count { if case .matching = $0 { true } else { false } }
        refuse("where", expressions, TargetSet.maximumExpressions)
        let groups = choosers.count { if case .sent = $0 { true } else { false } }
        refuse("groups of earlier deliveries", groups, TargetSet.maximumGroups)
        let listed = choosers.reduce(0) { count, chooser in
            switch chooser {
            case .userKeys(let values), .tokens(let values): count + values.count
            default: count
            }
        }
        refuse("user keys and tokens", listed, maximumListed)
    }
}

extension DocumentReader {
    /// Reads a set within a combination.
    private mutating func set(_ value: JSONValue, at path: String, depth: Int) -> TargetSet? {
        guard let object = anyObject(value, at: path) else { return nil }
        for key in object.keys where !Target.setNames.contains(key) {
            guard Target.isMember(key) else {
                noteUnknown(key, in: object, known: Target.setNames)
                return nil
            }
            let instead =
                Target.choosesRecipients(key)
                ? "use it as a member of target, in place of the combination; \(Target.hintAtExclude)"
                : "use it as a member of target, next to the combination"
            note(object.path(of: key), "cannot be part of a combination; \(instead)")
            return nil
        }
        guard object.keys.count == 1, let name = object.keys.first, let value = object.values.first else {
            note(
                path,
                """
                must have exactly one of \(Target.setNames.joined(separator: ", ")); to combine several, use \
                {"and": […]}
                """)
            return nil
        }
        return set(named: name, value, at: object.path(of: name), depth: depth)
    }

    /// - Parameter depth: The number of combinations that contain the value, including its own name.
    fileprivate mutating func set(
        named name: String, _ value: JSONValue, at path: String, depth: Int
    ) -> TargetSet? {
        targetParts += 1
        guard targetParts <= TargetSet.maximumParts else {
            if targetParts == TargetSet.maximumParts + 1 {
                note(
                    path,
                    "the target combines more than \(TargetSet.maximumParts) choosers; \(Self.fewerChoosers)")
            }
            return nil
        }
        switch name {
        case "all": return Target.everybody.read(&self, value, path) == true ? .all : nil
        case "userKeys": return Target.userKeys.read(&self, value, path).map(TargetSet.userKeys)
        case "tokens": return Target.tokens.read(&self, value, path).map(TargetSet.tokens)
        case "where": return Target.condition.read(&self, value, path).flatMap(Self.expression)
        case "not", "and", "or":
            guard depth <= TargetSet.maximumDepth else {
                note(path, "and, or and not are nested deeper than \(TargetSet.maximumDepth) levels")
                return nil
            }
            if name == "not" { return set(value, at: path, depth: depth + 1).map(TargetSet.not) }
            guard let sets = sets(value, at: path, depth: depth) else { return nil }
            return name == "and" ? .and(sets) : .or(sets)
        default:
            guard let group = SentGroup(rawValue: name) else { return nil }
            return Target.delivery.read(&self, value, path).map { .sent(group, of: $0) }
        }
    }

    private static let fewerChoosers = "put conditions into one where, and user keys into one list"

    private mutating func sets(_ value: JSONValue, at path: String, depth: Int) -> [TargetSet]? {
        guard case .array(let elements) = value else {
            return refuse(value, at: path, allowed: "an array of objects, such as [{…}, {…}]")
        }
        if elements.isEmpty { note(path, "must have at least 1 entry, not 0") }
        let most = TargetSet.maximumParts
        guard elements.count <= most else {
            note(path, "must have at most \(most) entries, not \(elements.count); \(Self.fewerChoosers)")
            return nil
        }
        var sets: [TargetSet] = []
        for (index, element) in elements.enumerated() {
            // The fault has already been noted.
            guard targetParts <= TargetSet.maximumParts else { return nil }
            if let set = set(element, at: "\(path)[\(index)]", depth: depth + 1) { sets.append(set) }
        }
        return sets
    }

    /// Returns a condition as a set.
    private static func expression(_ condition: Target.Base) -> TargetSet? {
        switch condition {
        case .matching(let expression): .matching(expression)
        case .parameters(let wanted):
            .matching(
                .and(wanted.sorted { $0.key < $1.key }.map { .compare($0.key, .equal, .text($0.value)) }))
        default: nil
        }
    }
}

// MARK: - Writing

extension TargetTree<[String]> {
    /// The member of a document that contains the set.
    var member: JSONMember {
        let value: JSONValue =
            switch self {
            case .all: .boolean(true)
            case .userKeys(let values), .tokens(let values): .array(values.map { .string($0) })
            case .matching(let expression): expression.equalTexts ?? expression.json
            case .sent(_, let delivery): .integer(delivery.rawValue)
            case .and(let parts), .or(let parts): .array(parts.map { .object([$0.member]) })
            case .not(let part): .object([part.member])
            }
        return JSONMember(key: name, value: value)
    }
}

extension TargetExpression {
    /// The condition as an object of texts, whose number is not limited in documents; `nil` if it is not such
    /// a condition.
    fileprivate var equalTexts: JSONValue? {
        guard case .and(let parts) = self, !parts.isEmpty else { return nil }
        var members: [JSONMember] = []
        for part in parts {
            guard case .compare(let name, .equal, .text(let text)) = part,
                !members.contains(where: { $0.key == name })
            else { return nil }
            members.append(JSONMember(key: name, value: .string(text)))
        }
        return .object(members)
    }
}
