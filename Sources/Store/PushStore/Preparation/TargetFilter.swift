internal import PushModel
internal import PushQueue

/// Determines for one subscription of an app after another whether it is in the sets that a target combines,
/// and in none of the sets that it excludes.
struct TargetFilter {
    /// The ``TargetFilter/facts`` of a subscription.
    struct Facts {
        let row: any Statement
        /// The first of the columns with the facts, in their order.
        let first: Int32
    }

    private indirect enum Node {
        case all
        case userKeys(Set<ExactText>)
        case tokens(Set<ExactText>)
        /// The index of a condition.
        case matching(Int)
        case sent(SentGroups.Members)
        case and([Node])
        case or([Node])
        case not(Node)
    }

    private struct Condition {
        var matcher: TargetMatcher
        /// The place of the matcher's first fact among the ``TargetFilter/facts``.
        let firstFact: Int32
    }

    private let root: Node
    private var conditions: [Condition]
    /// The facts that the conditions use: for each condition its own, in the order of the conditions.
    let facts: [CollectedFact]
    private let needsAddress: Bool

    /// `nil` if the target neither combines nor excludes sets.
    init?(_ plan: PreparationPlan, of app: AppID, _ db: any Session) throws {
        let (included, excluded) = plan.filters
        guard !included.isEmpty || !excluded.isEmpty else { return nil }
        var maker = Maker(plan: plan, app: app, db: db)
        let nodes = try included.map { try maker.node($0) }
        let out = try excluded.map { try maker.node($0) }
        root = .and(nodes + (out.isEmpty ? [] : [.not(.or(out))]))
        (conditions, facts, needsAddress) = (maker.conditions, maker.facts, maker.needsAddress)
    }

    private struct Maker {
        let plan: PreparationPlan
        let app: AppID
        let db: any Session
        var conditions: [Condition] = []
        var facts: [CollectedFact] = []
        var needsAddress = false

        mutating func node(_ set: TargetDetails.StoredSet) throws -> Node {
            switch set {
            case .all: return .all
            case .userKeys(let pages): return .userKeys(try list(pages))
            case .tokens(let pages): return .tokens(try list(pages))
            case .matching(let expression):
                let matcher = TargetMatcher(
                    expression, facts: try expression.knownFacts(of: app, db), from: plan.begin)
                conditions.append(Condition(matcher: matcher, firstFact: Int32(facts.count)))
                facts += matcher.facts
                return .matching(conditions.count - 1)
            case .sent(let group, let delivery):
                guard let groups = plan.groups else { throw UnreadableValue() }
                return .sent(groups.members(SentGroups.Key(group: group, delivery: delivery), of: app))
            case .and(let parts): return .and(try parts.map { try node($0) })
            case .or(let parts): return .or(try parts.map { try node($0) })
            case .not(let part): return .not(try node(part))
            }
        }

        /// - Throws: ``UnreadableValue`` if the store does not contain everything that the target listed.
        private mutating func list(_ pages: TargetDetails.ListPages) throws -> Set<ExactText> {
            needsAddress = true
            if let lists = plan.lists { return Set(lists.listsInSets[pages.list].map(ExactText.init)) }
            let texts = try TargetExclusions.read(.set(pages.list), pages.count, of: plan.delivery, db)
            guard texts.count == pages.count else { throw UnreadableValue() }
            return texts
        }
    }

    /// Returns those members, all of the filter's app, that are in the target.
    mutating func remaining(
        of members: [TargetSelection.Member], _ db: any Session
    ) throws -> [TargetSelection.Member] {
        guard !members.isEmpty else { return [] }
        guard needsAddress || !conditions.isEmpty else {
            return members.filter { holds(root, $0.subscription, Span(), Span(), Span(), nil) }
        }
        var remaining: [TargetSelection.Member] = []
        let numbers = ContiguousArray(members.map { SubscriptionID(rawValue: $0.subscription) })
        guard facts.isEmpty else {
            var walk = try SubscriptionWalk(
                numbers, db, reading: SubscriptionWalk.address(with: facts))
            defer { walk.end() }
            // Ascending order costs least.
            for member in members.sorted(by: { $0.subscription < $1.subscription }) {
                let number = SubscriptionID(rawValue: member.subscription)
                guard let row = try walk.seek(number) else { continue }
                let token = needsAddress ? Array(StoredToken.text(of: row.value(1)).utf8) : []
                let (key, parameters) = (unsafe row.bytes(2), unsafe row.bytes(3))
                let isThere = holds(
                    root, member.subscription, token.span, unsafe key.span, unsafe parameters.span,
                    Facts(row: row, first: 4))
                if isThere { remaining.append(member) }
            }
            return remaining
        }
        let columns = needsAddress ? SubscriptionWalk.address : SubscriptionWalk.filling
        var walk = try SubscriptionWalk(numbers, db, reading: columns)
        try SubscriptionVisitor.visit(numbers, by: &walk, reading: columns) { place, token, key, parameters in
            if holds(root, members[place].subscription, token, key, parameters, nil) {
                remaining.append(members[place])
            }
        }
        return remaining
    }

    /// Reports whether a subscription of the filter's app is in the target.
    mutating func contains(
        _ subscription: Int64, _ token: Span<UInt8>, _ userKey: Span<UInt8>, _ parameters: Span<UInt8>,
        _ facts: Facts
    ) -> Bool {
        holds(root, subscription, token, userKey, parameters, facts)
    }

    private mutating func holds(
        _ node: Node, _ subscription: Int64, _ token: Span<UInt8>, _ userKey: Span<UInt8>,
        _ parameters: Span<UInt8>, _ facts: Facts?
    ) -> Bool {
        switch node {
        case .all: return true
        case .userKeys(let keys): return keys.contains(ExactText(userKey))
        case .tokens(let tokens): return tokens.contains(ExactText(token))
        case .matching(let index):
            conditions[index].matcher.read(parameters)
            if let facts {
                conditions[index].matcher.note(facts.row, from: facts.first + conditions[index].firstFact)
            }
            return conditions[index].matcher.isMatch
        case .sent(let members): return members.contains(subscription)
        case .and(let parts):
            for part in parts where !holds(part, subscription, token, userKey, parameters, facts) {
                return false
            }
            return true
        case .or(let parts):
            for part in parts where holds(part, subscription, token, userKey, parameters, facts) {
                return true
            }
            return false
        case .not(let part): return !holds(part, subscription, token, userKey, parameters, facts)
        }
    }
}
