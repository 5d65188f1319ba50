internal import PushModel
internal import PushQueue

/// The parts of a target that plain targets do not have: `delivery.target_parameters` of
/// ``StoredTarget/detailed``, as JSON. The target's lists are stored in pages, like those of plain targets:
/// see ``TargetPages``.
struct TargetDetails: Equatable, Codable {
    enum Base: String, Codable {
        case all, userKeys, tokens, parameters
        case matching = "where"
        case recipients = "recipientsOf"
        case openers = "openersOf"
        case nonOpeners = "nonOpenersOf"
        /// A combination of sets, or another base with ``excludedSets``, which earlier versions do not know.
        case combined
    }

    /// A set of a target, with the page numbers of its lists.
    typealias StoredSet = TargetTree<ListPages>

    /// A list of values in a set.
    struct ListPages: Equatable, Codable {
        /// The number of the list: see ``TargetPages/List/set(_:)``.
        var list: Int
        /// The number of values, each counted once.
        var count: Int

        /// Whether the numbers are in the range that a submission can have written.
        var isPossible: Bool {
            (0..<TargetSet.maximumParts).contains(list) && (0...Target.maximumListed).contains(count)
        }
    }

    let base: Base
    /// The base of a target that has ``excludedSets``; `nil` for any other target.
    private(set) var excludingBase: Base?
    /// The set for ``Base/combined``; `nil` if there is another base.
    private(set) var set: StoredSet?
    /// Sets whose subscriptions are left out; `nil` if there are none.
    private(set) var excludedSets: [StoredSet]?
    /// The parameters for ``Base/parameters``.
    private(set) var parameters: [String: String]?
    /// The expression for ``Base/matching``.
    private(set) var expression: TargetExpression?
    /// The delivery for ``Base/recipients``, ``Base/openers`` and ``Base/nonOpeners``.
    private(set) var source: Int64?
    /// The number of exclusions. If the pages contain a different number, some are lost, and no message may
    /// be sent.
    let excludedUserKeys: Int
    let excludedTokens: Int
    let sample: TargetSample?
    /// Whether the target ignores the frequency cap; `nil` means `false`.
    private(set) var ignoresFrequencyCap: Bool?
    /// Whether each user is reached once; `nil` if each subscription counts separately.
    private(set) var isOncePerUser: Bool?
    /// The names of the values that the target supplies for its listed recipients; `nil` if there are none.
    private(set) var variables: [String]?
    /// The list for ``Base/userKeys`` and ``Base/tokens`` if it is stored separately; `nil` if the list
    /// belongs to the delivery.
    private(set) var list: List?
    /// See ``UnknownRecipients``.
    var unknown: Int?
    /// The number of subscriptions that were found by the listed values so far; `nil` if the target lists
    /// none, or if an earlier version began the preparation.
    var devices: Int?

    struct List: Equatable, Codable {
        var number: Int64
        var count: Int
        var pages: Int
        var upload: RecipientUpload?
    }

    private enum CodingKeys: String, CodingKey {
        case base, parameters, sample, excludedUserKeys, excludedTokens, ignoresFrequencyCap, isOncePerUser
        case variables, list, unknown, devices, set, excludedSets, excludingBase
        case expression = "where"
        case source = "delivery"
    }

    /// Creates the details of a target, without its lists.
    init(_ target: Target) {
        let base: Base
        switch target.base {
        case .all: base = .all
        case .userKeys: base = .userKeys
        case .tokens: base = .tokens
        case .list(let found):
            base = found.kind == .userKeys ? .userKeys : .tokens
            list = List(
                number: found.number, count: found.count, pages: found.pages, upload: found.upload)
        case .parameters(let wanted): (base, parameters) = (.parameters, wanted)
        case .matching(let wanted): (base, expression) = (.matching, wanted)
        case .recipients(let delivery): (base, source) = (.recipients, delivery.rawValue)
        case .openers(let delivery): (base, source) = (.openers, delivery.rawValue)
        case .nonOpeners(let delivery): (base, source) = (.nonOpeners, delivery.rawValue)
        case .combined: base = .combined
        }
        var sets = target.storedSets
        if case .combined = target.base { set = sets.removeFirst() }
        if !sets.isEmpty {
            excludedSets = sets
            if base != .combined { excludingBase = base }
        }
        self.base = sets.isEmpty ? base : .combined
        excludedUserKeys = target.excluded(.userKeys).count
        excludedTokens = target.excluded(.tokens).count
        sample = target.sample
        if target.ignoresFrequencyCap { ignoresFrequencyCap = true }
        if target.isOncePerUser { isOncePerUser = true }
        variables = target.variables?.names
    }

    /// - Parameter column: The value of `target_parameters`.
    static func read(_ column: String?) throws -> TargetDetails {
        let details = try StoredJSON.decode(TargetDetails.self, from: column ?? "")
        let isWhole =
            switch details.chosenBase {
            case .all, .userKeys, .tokens: true
            case .parameters: details.parameters != nil
            case .matching: details.expression != nil
            case .recipients, .openers, .nonOpeners: details.source != nil
            case .combined: details.set != nil
            }
        let lengths = 0...Target.maximumListed
        let sets = (details.set.map { [$0] } ?? []) + (details.excludedSets ?? [])
        guard sets.flatMap(\.lists).allSatisfy(\.isPossible) else { throw UnreadableValue() }
        guard details.list.map({ $0.pages >= 0 && $0.count >= 0 }) ?? true else { throw UnreadableValue() }
        guard isWhole, lengths.contains(details.excludedUserKeys), lengths.contains(details.excludedTokens)
        else { throw UnreadableValue() }
        return details
    }

    /// Whether the target lists its recipients.
    var isListed: Bool { chosenBase == .userKeys || chosenBase == .tokens }

    /// What chooses the recipients from which the exclusions take some away.
    var chosenBase: Base { excludingBase ?? base }

    /// Returns the target with these lists.
    /// - Parameter inSet: Returns the values of a list in a set.
    func target(
        listed: [String], excluding listedExclusion: Target.Exclusion, inSet: (Int) throws -> [String]
    ) throws -> Target {
        func whole(_ set: StoredSet) throws -> TargetSet { try set.mapLists { try inSet($1.list) } }
        var exclusion = listedExclusion
        exclusion.sets = try (excludedSets ?? []).map(whole)
        let chosen: Target.Base? =
            switch chosenBase {
            case .all: .all
            case .userKeys: list.map { $0.base(.userKeys) } ?? .userKeys(listed)
            case .tokens: list.map { $0.base(.tokens) } ?? .tokens(listed)
            case .parameters: parameters.map(Target.Base.parameters)
            case .matching: expression.map(Target.Base.matching)
            case .recipients: source.map { .recipients(of: DeliveryID(rawValue: $0)) }
            case .openers: source.map { .openers(of: DeliveryID(rawValue: $0)) }
            case .nonOpeners: source.map { .nonOpeners(of: DeliveryID(rawValue: $0)) }
            case .combined: try set.map { .combined(try whole($0)) }
            }
        guard let chosen else { throw UnreadableValue() }
        var target = Target(chosen, excluding: exclusion, sample: sample)
        target.ignoresFrequencyCap = ignoresFrequencyCap == true
        target.isOncePerUser = isOncePerUser == true
        target.variables = variables.map(RecipientVariables.init(names:))
        return target
    }
}

extension TargetDetails.List {
    fileprivate func base(_ kind: RecipientList.Kind) -> Target.Base {
        .list(RecipientList(number: number, kind: kind, count: count, pages: pages, upload: upload))
    }
}

/// The lists of a target: up to three, and those in sets. They are stored in pages of
/// ``StoredTarget/pageSize`` values. Each list begins with a new page.
enum TargetPages {
    enum List {
        case base, excludedUserKeys, excludedTokens
        /// A list in a set. These lists are numbered in the order of ``PushModel/Target/sets``, from 0.
        case set(Int)

        /// The first page of the list, which is beyond the last possible page of the previous list.
        var first: Int {
            switch self {
            case .base: 0
            case .excludedUserKeys: 1_000_000
            case .excludedTokens: 2_000_000
            case .set(let number): (3 + number) * 1_000_000
            }
        }
    }

    /// Returns the entire content of a list, in its order.
    static func read(_ list: List, of delivery: DeliveryID, _ db: any Session) throws -> [String] {
        try db.values(String.self, sql: selection, arguments: arguments(list, of: delivery))
            .flatMap { try StoredJSON.decode([String].self, from: $0) }
    }

    /// ?1 delivery, ?2 the first page of the list, ?3 the first page of the next list.
    static let selection = """
        SELECT listed, variables FROM delivery_target WHERE delivery_id = ?1 AND page >= ?2 AND page < ?3 \
        ORDER BY page
        """

    static func arguments(_ list: List, of delivery: DeliveryID) -> [any SQLConvertible] {
        [delivery.rawValue, list.first, list.first + 1_000_000]
    }

    /// - Parameter variables: The values for the listed recipients.
    static func write(
        _ values: [String], as list: List, saying variables: RecipientVariables? = nil,
        of delivery: DeliveryID, _ db: any Session
    ) throws {
        for (index, start) in stride(from: 0, to: values.count, by: StoredTarget.pageSize).enumerated() {
            let page = ListedPage(values.dropFirst(start).prefix(StoredTarget.pageSize), variables)
            try db.execute(
                sql:
                    """
                    INSERT INTO delivery_target (delivery_id, page, listed, variables) VALUES (?1, ?2, \
                    ?3, ?4)
                    """,
                arguments: [
                    delivery.rawValue, list.first + index, try StoredJSON.encode(page.values),
                    page.variables?.bytes,
                ])
        }
    }
}

/// Some of the recipients that a target lists, and the values that it supplies for each.
struct ListedPage {
    var values: [String]
    /// The values; `nil` if the target supplies none.
    var variables: VariableBlock?

    init(_ values: some Sequence<String>, _ variables: RecipientVariables?) {
        self.values = Array(values)
        self.variables = variables.map { known in
            VariableBlock(self.values.lazy.map { known.byRecipient[ExactText($0)] ?? [] })
        }
    }

    /// - Returns: `nil` if the previous page was the last one.
    static func read(_ number: Int, of plan: PreparationPlan, _ db: any Session) throws -> ListedPage? {
        if case .list(_, let pages)? = plan.driver { return try read(number, of: pages, plan, db) }
        if let list = plan.details?.list { return try read(number, of: list, plan, db) }
        if let lists = plan.lists {
            let page = lists.listedOnce.dropFirst(number * StoredTarget.pageSize).prefix(
                StoredTarget.pageSize)
            return page.isEmpty ? nil : ListedPage(page, lists.variables)
        }
        let row = try db.row(
            sql: "SELECT listed, variables FROM delivery_target WHERE delivery_id = ?1 AND page = ?2",
            arguments: [plan.delivery.rawValue, number])
        return try row.map { try page(try $0["listed"], try $0["variables"], of: plan) }
    }

    /// Reads a page of a list in a set.
    private static func read(
        _ number: Int, of list: TargetDetails.ListPages, _ plan: PreparationPlan, _ db: any Session
    ) throws -> ListedPage? {
        let first = number * StoredTarget.pageSize
        guard first < list.count else { return nil }
        if let lists = plan.lists {
            let values = lists.listsInSets[list.list].dropFirst(first).prefix(StoredTarget.pageSize)
            return ListedPage(values, nil)
        }
        let listed = try db.value(
            String.self, sql: "SELECT listed FROM delivery_target WHERE delivery_id = ?1 AND page = ?2",
            arguments: [plan.delivery.rawValue, TargetPages.List.set(list.list).first + number])
        // A lost page must not cause its recipients to be skipped.
        guard let listed else { throw UnreadableValue() }
        return ListedPage(try StoredJSON.decode([String].self, from: listed), nil)
    }

    private static func read(
        _ number: Int, of list: TargetDetails.List, _ plan: PreparationPlan, _ db: any Session
    ) throws -> ListedPage? {
        guard number < list.pages else { return nil }
        if let draft = plan.draft {
            guard let found = try draft.page(number) else { throw UnreadableValue() }
            return try page(found.listed, found.variables, of: plan)
        }
        let row = try db.row(
            sql: "SELECT listed, variables FROM recipient_page WHERE list_id = ?1 AND page = ?2",
            arguments: [list.number, number])
        // A lost page must not cause its recipients to be skipped.
        guard let row else { throw UnreadableValue() }
        return try page(try row["listed"], try row["variables"], of: plan)
    }

    private static func page(
        _ listed: String, _ variables: [UInt8]?, of plan: PreparationPlan
    ) throws -> ListedPage {
        var page = ListedPage(try StoredJSON.decode([String].self, from: listed), nil)
        guard plan.details?.variables != nil else { return page }
        // A recipient must not receive less than is intended for it.
        guard let variables, let block = try? VariableBlock(decoding: variables, count: page.values.count)
        else { throw UnreadableValue() }
        page.variables = block
        return page
    }
}

extension Target {
    enum ExclusionList { case userKeys, tokens }

    /// Returns each excluded value once.
    func excluded(_ list: ExclusionList) -> [String] {
        switch list {
        case .userKeys: exclusion.userKeys.unique
        case .tokens: exclusion.tokens.unique
        }
    }

    /// Each listed value once, in the order of its first occurrence.
    var listedOnce: [String] { listed.unique }

    /// The sets as they are stored, without their lists.
    fileprivate var storedSets: [TargetDetails.StoredSet] {
        var number = 0
        return sets.map { set in
            set.mapLists { _, values in
                defer { number += 1 }
                return TargetDetails.ListPages(list: number, count: values.unique.count)
            }
        }
    }

    /// The lists in the sets, by their numbers. Each value occurs once.
    var listsInSets: [[String]] { sets.flatMap(\.lists).map(\.unique) }
}

extension [String] {
    /// Each value once, in the order of its first occurrence.
    fileprivate var unique: [String] {
        var seen = Set<ExactText>()
        return filter { seen.insert(ExactText($0)).inserted }
    }
}
