/// A set of subscribers within the apps of a delivery: those that one chooser selects, or a combination of
/// such sets. A subscriber of another app is in no set, and `not` therefore means all other subscribers of
/// the delivery's apps.
/// - Parameter Listed: The representation of a list.
package indirect enum TargetTree<Listed: Equatable & Sendable>: Equatable, Sendable {
    case all
    /// Subscriptions with these user keys.
    case userKeys(Listed)
    /// Subscriptions with these tokens.
    case tokens(Listed)
    /// Subscriptions whose parameters the expression matches.
    case matching(TargetExpression)
    /// Subscriptions that an earlier delivery determines.
    case sent(SentGroup, of: DeliveryID)
    /// Subscriptions that are in all of these sets.
    case and([TargetTree])
    /// Subscriptions that are in at least one of these sets.
    case or([TargetTree])
    case not(TargetTree)

    /// Maximum nesting depth of `and`, `or` and `not`, not counting those in the expressions.
    package static var maximumDepth: Int { 8 }
    /// Maximum number of choosers and combinations in one target.
    package static var maximumParts: Int { 64 }
    /// Maximum number of expressions in the combinations of one target. Each is evaluated for every
    /// subscriber.
    package static var maximumExpressions: Int { 16 }
    /// Maximum number of groups of earlier deliveries in the combinations of one target. Preparation keeps
    /// one bit in memory for each group and subscription.
    package static var maximumGroups: Int { 16 }

    /// The sets from which this set is combined; empty for a chooser.
    package var parts: [TargetTree] {
        switch self {
        case .and(let parts), .or(let parts): parts
        case .not(let part): [part]
        case .all, .userKeys, .tokens, .matching, .sent: []
        }
    }

    /// Calls `body` for each chooser in the set, in the order of the document, with the place of the chooser
    /// in the document.
    /// - Parameter path: The place of the set itself.
    package func forEachChooser(at path: String = "", _ body: (TargetTree, String) throws -> Void) rethrows {
        let path = path.isEmpty ? name : "\(path).\(name)"
        switch self {
        case .and(let parts), .or(let parts):
            for (index, part) in parts.enumerated() {
                try part.forEachChooser(at: "\(path)[\(index)]", body)
            }
        case .not(let part): try part.forEachChooser(at: path, body)
        case .all, .userKeys, .tokens, .matching, .sent: try body(self, path)
        }
    }

    /// The choosers in the set, in the order of the document.
    package var choosers: [TargetTree] {
        var all: [TargetTree] = []
        forEachChooser { chooser, _ in all.append(chooser) }
        return all
    }

    /// The lists in the set, in the order of the document.
    package var lists: [Listed] {
        choosers.compactMap { chooser in
            switch chooser {
            case .userKeys(let list), .tokens(let list): list
            case .all, .matching, .sent, .and, .or, .not: nil
            }
        }
    }

    /// The name of the member of a document that contains the set.
    package var name: String {
        switch self {
        case .all: "all"
        case .userKeys: RecipientList.Kind.userKeys.rawValue
        case .tokens: RecipientList.Kind.tokens.rawValue
        case .matching: "where"
        case .sent(let group, _): group.rawValue
        case .and: "and"
        case .or: "or"
        case .not: "not"
        }
    }

    /// Returns the same set with another representation of each list. The lists are converted in the order of
    /// the document.
    package func mapLists<Other>(
        _ other: (RecipientList.Kind, Listed) throws -> Other
    ) rethrows -> TargetTree<Other> {
        switch self {
        case .all: .all
        case .userKeys(let list): .userKeys(try other(.userKeys, list))
        case .tokens(let list): .tokens(try other(.tokens, list))
        case .matching(let expression): .matching(expression)
        case .sent(let group, let delivery): .sent(group, of: delivery)
        case .and(let parts): .and(try parts.map { try $0.mapLists(other) })
        case .or(let parts): .or(try parts.map { try $0.mapLists(other) })
        case .not(let part): .not(try part.mapLists(other))
        }
    }

    /// Returns the set with other expressions.
    package func mapExpressions(_ other: (TargetExpression) -> TargetExpression) -> Self {
        switch self {
        case .all, .userKeys, .tokens, .sent: self
        case .matching(let expression): .matching(other(expression))
        case .and(let parts): .and(parts.map { $0.mapExpressions(other) })
        case .or(let parts): .or(parts.map { $0.mapExpressions(other) })
        case .not(let part): .not(part.mapExpressions(other))
        }
    }
}

/// A set whose lists are user keys and tokens, as in a document.
package typealias TargetSet = TargetTree<[String]>

/// A group of the subscribers of an earlier delivery. Raw values are the names of members in documents.
package enum SentGroup: String, CaseIterable, Sendable, Codable {
    /// Subscriptions to which a message of the delivery was sent.
    case recipients = "recipientsOf"
    /// Subscriptions for which a message of the delivery was opened: the device reported a click.
    case openers = "openersOf"
    /// Subscriptions to which a message of the delivery was sent and for which no message of the delivery was
    /// opened.
    case nonOpeners = "nonOpenersOf"

    /// Whether the group depends on what devices report about the delivery's messages.
    package var asksDevices: Bool { self != .recipients }
}

/// The format in which the store keeps sets: an object whose only member has the name of a document's member.
extension TargetTree: Codable where Listed: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A depth that no stored set reaches. Reading a deeper set would use too much of a thread's stack. Each
    /// level adds a name and an index to the coding path.
    private static var deepest: Int { 2 * maximumDepth + 4 }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        guard decoder.codingPath.count <= Self.deepest, values.allKeys.count == 1,
            let key = values.allKeys.first
        else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no set"))
        }
        switch key.stringValue {
        case "all": self = .all
        case "userKeys": self = .userKeys(try values.decode(Listed.self, forKey: key))
        case "tokens": self = .tokens(try values.decode(Listed.self, forKey: key))
        case "where": self = .matching(try values.decode(TargetExpression.self, forKey: key))
        case "and": self = .and(try values.decode([TargetTree].self, forKey: key))
        case "or": self = .or(try values.decode([TargetTree].self, forKey: key))
        case "not": self = .not(try values.decode(TargetTree.self, forKey: key))
        default:
            guard let group = SentGroup(rawValue: key.stringValue) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: values, debugDescription: "an unknown set")
            }
            self = .sent(group, of: DeliveryID(rawValue: try values.decode(Int64.self, forKey: key)))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        let key = Key(stringValue: name)
        switch self {
        case .all: try values.encode(true, forKey: key)
        case .userKeys(let list), .tokens(let list): try values.encode(list, forKey: key)
        case .matching(let expression): try values.encode(expression, forKey: key)
        case .sent(_, let delivery): try values.encode(delivery.rawValue, forKey: key)
        case .and(let parts), .or(let parts): try values.encode(parts, forKey: key)
        case .not(let part): try values.encode(part, forKey: key)
        }
    }
}
