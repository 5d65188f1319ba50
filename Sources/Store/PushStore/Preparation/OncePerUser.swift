internal import PushModel

/// The choice of a user's subscription for a target that reaches each user once. The candidates are the valid
/// subscriptions with the user's key, in the delivery's apps, that match the target. The one whose first
/// registration is the most recent is reached. A subscription without a key counts as a separate user.
///
/// **Guarantee.** The choice does not depend on the order in which chunks are created, or on the time at
/// which a device registered again, so that no two subscriptions of one user are reached. Subscriptions that
/// registered after preparation began follow all earlier ones, in the order of registration, because such a
/// subscription could be newer than one that already has its message. A subscription that the frequency cap
/// excludes is not replaced by another subscription of the same user.
///
/// For each key and app, only the newest ``maxPerApp`` subscriptions are considered, so that a key that does
/// not belong to a person does not prolong a transaction. A subscription that is not among them is not
/// reached.
struct OncePerUser {
    private struct Device {
        var id: Int64
        var created: Int64
    }

    /// The maximum number of subscriptions for one user key in one app.
    static let maxPerApp = 100
    /// The number of keys in one query.
    private static let keysAtOnce = 500
    /// The column of the first fact about a device.
    private static let firstFact: Int32 = 5

    private let apps: [AppID]
    /// The time at which preparation began; `nil` if it is just beginning.
    private let started: Int64?
    private let exclusions: TargetExclusions
    private let sample: TargetSample?
    /// The tokens of a target that lists tokens.
    private let tokens: Set<ExactText>?
    /// The condition that subscriptions must match; `nil` if there is none.
    private let expression: TargetExpression?
    private let plan: PreparationPlan
    /// The matcher of the condition for the app in which devices are being looked for.
    private var matcher: TargetMatcher?
    /// The sets that the target combines, for the same app; `nil` if there are none.
    private var filter: TargetFilter?
    /// The reached device, by user key.
    private var reached: [ExactText: Device] = [:]

    /// - Parameter exclusions: The exclusions of this target.
    init(
        _ plan: PreparationPlan, _ details: TargetDetails, _ exclusions: TargetExclusions, _ db: any Session
    ) throws {
        var seen = Set<AppID>()
        apps = plan.apps.filter { seen.insert($0).inserted }
        started = plan.started?.secondsSince1970
        self.exclusions = exclusions
        sample = details.sample
        self.plan = plan
        switch details.chosenBase {
        case .all, .userKeys, .combined:
            (tokens, expression) = (nil, nil)
        case .tokens:
            // A list may contain too many tokens to keep in memory. Documents that combine a list with this
            // option are refused.
            guard details.list == nil else { throw UnreadableValue() }
            expression = nil
            tokens =
                try plan.lists.map { Set($0.listed.map(ExactText.init)) }
                ?? TargetExclusions.read(.base, 0, of: plan.delivery, db)
        case .parameters:
            guard let wanted = details.parameters else { throw UnreadableValue() }
            tokens = nil
            expression = .and(wanted.map { .compare($0.key, .equal, .text($0.value)) })
        case .matching:
            guard let wanted = details.expression else { throw UnreadableValue() }
            tokens = nil
            expression = wanted
        case .recipients, .openers, .nonOpeners:
            // The other recipients of the source delivery cannot be found by subscription. Documents with
            // this combination are refused.
            throw UnreadableValue()
        }
    }

    /// Marks each member of a chunk if the member's user is reached on another device.
    mutating func mark(_ members: inout [TargetSelection.Member], _ db: any Session) throws {
        let places = members.indices.filter { members[$0].disabled == StateCode.valid }
            .sorted { members[$0].subscription < members[$1].subscription }
        let keys = try Self.userKeys(of: places.map { members[$0].subscription }, db)
        let wanted = Array(Set(keys.compactMap(\.self)))
        let chosen = Set(places.map { members[$0].subscription })
        if !wanted.isEmpty {
            for app in apps { try look(for: wanted, in: app, chosen, db) }
        }
        for (place, key) in zip(places, keys) {
            guard let key else { continue }
            members[place].isReachedElsewhere = reached[key]?.id != members[place].subscription
        }
    }

    /// - Parameter subscriptions: In ascending order.
    /// - Returns: The user keys; `nil` for a subscription that has none or was deleted.
    private static func userKeys(of subscriptions: [Int64], _ db: any Session) throws -> [ExactText?] {
        let numbers = ContiguousArray(subscriptions.map(SubscriptionID.init(rawValue:)))
        var walk = try SubscriptionWalk(numbers, db, reading: SubscriptionWalk.userKey)
        defer { walk.end() }
        return try numbers.map { number in
            guard let row = try walk.seek(number) else { return nil }
            let key = unsafe row.bytes(1)
            return key.isEmpty ? nil : ExactText(unsafe key.span)
        }
    }

    /// - Parameter chosen: Subscriptions that are already known to match the target.
    private mutating func look(
        for keys: [ExactText], in app: AppID, _ chosen: Set<Int64>, _ db: any Session
    ) throws {
        matcher = try expression.map {
            TargetMatcher($0, facts: try $0.knownFacts(of: app, db), from: plan.begin)
        }
        filter = try TargetFilter(plan, of: app, db)
        let facts = (matcher?.facts ?? []) + (filter?.facts ?? [])
        let batch = try Batch(db, one: HotSQL.devicesOfUser(facts), many: HotSQL.devicesOfUsers(facts))
        batch.bind(app.rawValue, at: 1)
        batch.bind(Int64(Self.maxPerApp), at: 3)
        for first in stride(from: 0, to: keys.count, by: Self.keysAtOnce) {
            try batch.rows(of: Array(keys[first...].prefix(Self.keysAtOnce)), from: 0) {
                Batch.number($0, inColumn: 4)
            } bind: {
                $1.bind($0.text, at: 2)
            } row: { key, row, _ in
                note(row, of: key, chosen)
            }
        }
    }

    /// - Parameter row: The number, first registration, token and parameters, a column that only PostgreSQL
    ///   needs, and the facts that the condition and the combined sets use.
    private mutating func note(_ row: any Statement, of key: ExactText, _ chosen: Set<Int64>) {
        let device = Device(id: row.integer(0), created: row.integer(1))
        if let best = reached[key], !isBefore(device, best) { return }
        if chosen.contains(device.id) || isMeant(row, device, key) { reached[key] = device }
    }

    private mutating func isMeant(_ row: any Statement, _ device: Device, _ key: ExactText) -> Bool {
        if let sample, !sample.contains(SubscriptionID(rawValue: device.id)) { return false }
        if tokens != nil || exclusions.namesTokens {
            let token = ExactText(StoredToken.text(of: row.value(2)))
            if exclusions.names(token: token) || tokens?.contains(token) == false { return false }
        }
        guard matcher != nil || filter != nil else { return true }
        let parameters = unsafe row.bytes(3)
        matcher?.read(unsafe parameters.span)
        matcher?.note(row, from: Self.firstFact)
        guard matcher?.isMatch != false else { return false }
        guard filter != nil else { return true }
        let (token, user) = (Array(StoredToken.text(of: row.value(2)).utf8), Array(key.text.utf8))
        let facts = TargetFilter.Facts(
            row: row, first: Self.firstFact + Int32(matcher?.facts.count ?? 0))
        return filter?.contains(
            device.id, token.span, user.span, unsafe parameters.span, facts) != false
    }

    /// Reports whether the first device is reached rather than the second.
    private func isBefore(_ first: Device, _ second: Device) -> Bool {
        let areLate = started.map { (first.created > $0, second.created > $0) } ?? (false, false)
        if areLate.0 != areLate.1 { return areLate.1 }
        let isNewer = (first.created, first.id) > (second.created, second.id)
        return areLate.0 ? !isNewer : isNewer
    }
}

extension SubscriptionWalk {
    /// The columns for the owner of a subscription.
    static let userKey = "id, user_key"
}

extension HotSQL {
    /// ?1 app, ?2 user key, ?3 limit. Returns the newest subscriptions with the key, except disabled ones.
    /// The columns are those of `devicesOfUsers`, with 0 in place of the position.
    static func devicesOfUser(_ facts: [CollectedFact]) -> String {
        """
        SELECT s.id, s.created_at, s.token, s.parameters, 0\(FactSQL.columns(facts))
        FROM (SELECT subscription_id FROM user_key WHERE app_id = ?1 AND user_key = ?2
                ORDER BY subscription_id DESC LIMIT ?3) AS page
            JOIN subscription s ON s.id = page.subscription_id\(FactSQL.joins(facts, .sqlite))
        WHERE s.user_key = ?2 AND s.disabled = \(StateCode.valid)
        """
    }

    /// PostgreSQL only: ?1 app, ?2 user keys, ?3 limit for each. Returns the newest subscriptions for each
    /// key, without disabled ones, and the key's position in the list, starting at 1, and then the facts.
    static func devicesOfUsers(_ facts: [CollectedFact]) -> String {
        """
        SELECT s.id, s.created_at, s.token, s.parameters, g.place\(FactSQL.columns(facts))
        FROM unnest(CAST(?2 AS TEXT[])) WITH ORDINALITY AS g (user_key, place)
            CROSS JOIN LATERAL (SELECT subscription_id FROM user_key WHERE app_id = ?1 AND user_key =
            g.user_key
                ORDER BY subscription_id DESC LIMIT ?3) k
            CROSS JOIN LATERAL (SELECT * FROM subscription
                WHERE id = k.subscription_id AND user_key = g.user_key AND disabled = \(StateCode.valid)
                LIMIT 1) s\(FactSQL.joins(facts, .postgreSQL))
        """
    }
}
