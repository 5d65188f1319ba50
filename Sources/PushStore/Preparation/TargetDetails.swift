internal import PushModel

/// What a target says that plain ones do not: `delivery.target_parameters` of ``StoredTarget/detailed``, as
/// JSON. What it lists stands in pages, as of plain ones: see ``TargetPages``.
struct TargetDetails: Equatable, Codable {
    enum Base: String, Codable {
        case all, userKeys, tokens, parameters
        case matching = "where"
        case recipients = "recipientsOf"
        case openers = "openersOf"
        case nonOpeners = "nonOpenersOf"
    }

    let base: Base
    /// Of ``Base/parameters``.
    private(set) var parameters: [String: String]?
    /// Of ``Base/matching``.
    private(set) var expression: TargetExpression?
    /// Of ``Base/recipients``, ``Base/openers`` and ``Base/nonOpeners``.
    private(set) var source: Int64?
    /// How many are excluded: where the pages have not so many, some are lost, and nobody may be sent to.
    let excludedUserKeys: Int
    let excludedTokens: Int
    let sample: TargetSample?
    /// nil: it does not.
    private(set) var ignoresFrequencyCap: Bool?
    /// nil: every subscription is for itself.
    private(set) var isOncePerUser: Bool?

    private enum CodingKeys: String, CodingKey {
        case base, parameters, sample, excludedUserKeys, excludedTokens, ignoresFrequencyCap, isOncePerUser
        case expression = "where"
        case source = "delivery"
    }

    /// What is not listed of a target.
    init(_ target: Target) {
        switch target.base {
        case .all: base = .all
        case .userKeys: base = .userKeys
        case .tokens: base = .tokens
        case .parameters(let wanted): (base, parameters) = (.parameters, wanted)
        case .matching(let wanted): (base, expression) = (.matching, wanted)
        case .recipients(let delivery): (base, source) = (.recipients, delivery.rawValue)
        case .openers(let delivery): (base, source) = (.openers, delivery.rawValue)
        case .nonOpeners(let delivery): (base, source) = (.nonOpeners, delivery.rawValue)
        }
        excludedUserKeys = target.excluded(.userKeys).count
        excludedTokens = target.excluded(.tokens).count
        sample = target.sample
        if target.ignoresFrequencyCap { ignoresFrequencyCap = true }
        if target.isOncePerUser { isOncePerUser = true }
    }

    /// - Parameter column: `target_parameters`.
    static func read(_ column: String?) throws -> TargetDetails {
        let details = try StoredJSON.decode(TargetDetails.self, from: column ?? "")
        let isWhole =
            switch details.base {
            case .all, .userKeys, .tokens: true
            case .parameters: details.parameters != nil
            case .matching: details.expression != nil
            case .recipients, .openers, .nonOpeners: details.source != nil
            }
        let lengths = 0...Target.maximumListed
        guard isWhole, lengths.contains(details.excludedUserKeys), lengths.contains(details.excludedTokens)
        else { throw UnreadableValue() }
        return details
    }

    /// The target with these lists.
    func target(listed: [String], excluding exclusion: Target.Exclusion) throws -> Target {
        let chosen: Target.Base? =
            switch base {
            case .all: .all
            case .userKeys: .userKeys(listed)
            case .tokens: .tokens(listed)
            case .parameters: parameters.map(Target.Base.parameters)
            case .matching: expression.map(Target.Base.matching)
            case .recipients: source.map { .recipients(of: DeliveryID(rawValue: $0)) }
            case .openers: source.map { .openers(of: DeliveryID(rawValue: $0)) }
            case .nonOpeners: source.map { .nonOpeners(of: DeliveryID(rawValue: $0)) }
            }
        guard let chosen else { throw UnreadableValue() }
        var target = Target(chosen, excluding: exclusion, sample: sample)
        target.ignoresFrequencyCap = ignoresFrequencyCap == true
        target.isOncePerUser = isOncePerUser == true
        return target
    }
}

/// What a target lists: up to three lists, in pages of ``StoredTarget/pageSize``, each list from a page of
/// its own on.
enum TargetPages {
    enum List: CaseIterable {
        case base, excludedUserKeys, excludedTokens

        /// Its first page, which is beyond the last one that the list before can have.
        var first: Int {
            switch self {
            case .base: 0
            case .excludedUserKeys: 1_000_000
            case .excludedTokens: 2_000_000
            }
        }
    }

    /// All that a list says, in its order.
    static func read(_ list: List, of delivery: DeliveryID, _ db: any Session) throws -> [String] {
        try db.values(String.self, sql: selection, arguments: arguments(list, of: delivery))
            .flatMap { try StoredJSON.decode([String].self, from: $0) }
    }

    /// ?1 delivery, ?2 the list's first page, ?3 that of the next list.
    static let selection = """
        SELECT listed FROM delivery_target WHERE delivery_id = ?1 AND page >= ?2 AND page < ?3 ORDER BY page
        """

    static func arguments(_ list: List, of delivery: DeliveryID) -> [any SQLConvertible] {
        [delivery.rawValue, list.first, list.first + 1_000_000]
    }

    static func write(_ values: [String], as list: List, of delivery: DeliveryID, _ db: any Session) throws {
        for (index, start) in stride(from: 0, to: values.count, by: StoredTarget.pageSize).enumerated() {
            let page = Array(values.dropFirst(start).prefix(StoredTarget.pageSize))
            try db.execute(
                sql: "INSERT INTO delivery_target (delivery_id, page, listed) VALUES (?1, ?2, ?3)",
                arguments: [delivery.rawValue, list.first + index, try StoredJSON.encode(page)])
        }
    }
}

extension Target {
    enum ExclusionList { case userKeys, tokens }

    /// Each once.
    func excluded(_ list: ExclusionList) -> [String] {
        switch list {
        case .userKeys: exclusion.userKeys.unique
        case .tokens: exclusion.tokens.unique
        }
    }

    /// Each listed value once, in the order of first mention; nil where the target lists none.
    var listed: [String]? {
        switch base {
        case .userKeys(let values), .tokens(let values): values.unique
        case .all, .parameters, .matching, .recipients, .openers, .nonOpeners: nil
        }
    }
}

extension [String] {
    /// Each once, in the order of first mention.
    fileprivate var unique: [String] {
        var seen = Set<String>()
        return filter { seen.insert($0).inserted }
    }
}
