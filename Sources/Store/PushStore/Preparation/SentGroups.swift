internal import PushModel
internal import PushQueue
internal import Synchronization

/// The members of groups of earlier deliveries: one bit for each group and subscription. A target that
/// combines such a group with other sets looks up its subscriptions here, because the messages of a delivery
/// cannot be found by subscription.
///
/// The members are found in steps, part by part, before the first chunk of the target.
struct SentGroups: Sendable {
    struct Key: Hashable, Sendable {
        let group: SentGroup
        let delivery: DeliveryID
    }

    private let keys: [Key]
    private let apps: Set<AppID>
    /// The index of the group whose members are being found, and the last part that was examined.
    private var next = 0
    private var lastPart: Int64 = 0
    /// The bits of each group, by app, indexed by sequence number (``SubscriptionRange``).
    private var bits: [Key: [AppID: [UInt64]]] = [:]
    /// Whether all deliveries have their messages. If messages were removed, it is no longer known which
    /// subscriptions belong to the group, and the target must select no subscription.
    private(set) var areKnown = true
    /// The time of the last use.
    fileprivate var lastUse = ContinuousClock.now

    /// The maximum cost of one step. A part costs one, and one more for a number of messages that depends on
    /// whether reports about them are read.
    private static let costPerStep = 2_000
    private static let messagesPerCost = 200
    private static let messagesPerCostWithReports = 5
    private static let partsPerPage = 100
    /// A maximum number of subscriptions that no app reaches, so that the content of a damaged row cannot
    /// fill the memory.
    private static let maxSubscriptions: Int64 = 1 << 28

    init(_ keys: [Key], of apps: [AppID]) {
        self.keys = keys
        self.apps = Set(apps)
    }

    var isComplete: Bool { next >= keys.count || !areKnown }

    /// Performs one more step.
    mutating func proceed(_ db: any Session) throws {
        var left = Self.costPerStep
        while left > 0, !isComplete {
            let key = keys[next]
            areKnown = try SourceDelivery.hasMessages(key.delivery, db)
            guard areKnown else { return bits.removeAll() }
            let parts = try SentMessages.parts(
                of: key.delivery, after: lastPart, atMost: Self.partsPerPage, db)
            for part in parts {
                guard left > 0 else { return }
                if apps.contains(part.app) { left -= try examine(part.id, of: part.app, key, db) }
                left -= 1
                lastPart = part.id.rawValue
            }
            if parts.count < Self.partsPerPage { (next, lastPart) = (next + 1, 0) }
        }
    }

    /// - Returns: The cost, without that of the part itself.
    private mutating func examine(_ id: PartID, of app: AppID, _ key: Key, _ db: any Session) throws -> Int {
        let stored = try SentMessages.read(id, db)
        let members = try SentMessages(of: key.delivery, to: app, key.group)
            .subscriptions(0..<stored.count, of: stored, db)
        var words = bits[key]?.removeValue(forKey: app) ?? []
        for member in members {
            guard let place = Self.place(of: member.rawValue, in: app) else { continue }
            if place / 64 >= words.count {
                words.append(contentsOf: repeatElement(0, count: place / 64 + 1 - words.count))
            }
            words[place / 64] |= 1 << UInt64(place % 64)
        }
        bits[key, default: [:]][app] = words
        return stored.count
            / (key.group.asksDevices ? Self.messagesPerCostWithReports : Self.messagesPerCost)
    }

    private static func place(of subscription: Int64, in app: AppID) -> Int? {
        let sequence = subscription - SubscriptionRange(app).beforeFirst
        return (1...maxSubscriptions).contains(sequence) ? Int(sequence) : nil
    }

    /// The members of one group among the subscriptions of one app.
    struct Members {
        fileprivate let app: AppID
        fileprivate let words: [UInt64]

        func contains(_ subscription: Int64) -> Bool {
            guard let place = SentGroups.place(of: subscription, in: app), place / 64 < words.count else {
                return false
            }
            return words[place / 64] >> UInt64(place % 64) & 1 == 1
        }
    }

    func members(_ key: Key, of app: AppID) -> Members { Members(app: app, words: bits[key]?[app] ?? []) }
}

/// The groups of deliveries that are being prepared, kept from one chunk to the next. After an interruption,
/// they are found again. Only a few are kept at once, because each may use many megabytes.
final class SentGroupMemory: Sendable {
    private static let maxDeliveries = 16
    /// The time after which groups that were not used may be dropped, because their delivery was stopped or
    /// paused. Groups in use are not dropped, because otherwise none would ever be complete.
    private static let maxRest: Duration = .seconds(60)

    private let kept = Mutex<[DeliveryID: SentGroups]>([:])

    /// Performs one step for a delivery, if one is needed.
    /// - Returns: The groups if they are complete.
    func step(for plan: PreparationPlan, _ db: any Session) throws -> SentGroups? {
        try kept.withLock { kept in
            if kept[plan.delivery] == nil {
                let now = ContinuousClock.now
                if kept.count >= Self.maxDeliveries {
                    kept = kept.filter { $0.value.lastUse.duration(to: now) <= Self.maxRest }
                }
                guard kept.count < Self.maxDeliveries else { return nil }
                kept[plan.delivery] = SentGroups(plan.groupKeys, of: plan.apps)
            }
            // The groups are removed while they change, so that they are not copied.
            guard var groups = kept.removeValue(forKey: plan.delivery) else { return nil }
            if !groups.isComplete { try groups.proceed(db) }
            groups.lastUse = .now
            kept[plan.delivery] = groups
            return groups.isComplete ? groups : nil
        }
    }

    /// Drops the groups of a delivery that is prepared.
    func forget(_ delivery: DeliveryID) {
        kept.withLock { $0[delivery] = nil }
    }
}

extension PreparationPlan {
    /// The set that leads the search for the subscriptions of a combination. The cursor is a position in this
    /// set, so that the choice must remain the same for deliveries whose preparation has begun.
    enum Driver: Equatable {
        case everybody
        case list(RecipientList.Kind, TargetDetails.ListPages)
        case sent(SentGroup, of: DeliveryID)
    }

    /// `nil` if the target's base is not a combination.
    ///
    /// A list is short, and an earlier delivery has at most as many subscriptions as there are. If a user is
    /// reached once, other subscriptions of the user are looked up in all groups.
    var driver: Driver? {
        guard let set = details?.set else { return nil }
        let parts = TargetDetails.conjuncts(of: set)
        for part in parts {
            if case .userKeys(let pages) = part { return .list(.userKeys, pages) }
            if case .tokens(let pages) = part { return .list(.tokens, pages) }
        }
        guard details?.isOncePerUser != true else { return .everybody }
        for case .sent(let group, let delivery) in parts { return .sent(group, of: delivery) }
        return .everybody
    }

    /// The sets that apply to the subscriptions of the ``driver``: those that contain each recipient, and
    /// those that contain none.
    var filters: (included: [TargetDetails.StoredSet], excluded: [TargetDetails.StoredSet]) {
        let excluded = details?.excludedSets ?? []
        guard let set = details?.set else { return ([], excluded) }
        guard case .sent(let group, let delivery)? = driver else { return ([set], excluded) }
        let rest = TargetDetails.conjuncts(of: set).filter { $0 != .sent(group, of: delivery) }
        return (rest, excluded)
    }

    /// The groups that ``filters`` look up, each once.
    var groupKeys: [SentGroups.Key] {
        var keys: [SentGroups.Key] = []
        let (included, excluded) = filters
        for chooser in (included + excluded).flatMap(\.choosers) {
            guard case .sent(let group, let delivery) = chooser else { continue }
            let key = SentGroups.Key(group: group, delivery: delivery)
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// Finds the groups that the target of a delivery that is not in the store needs. Each step is a separate
    /// transaction.
    mutating func findGroups(_ connection: Connection) throws(StoreError) {
        let keys = groupKeys
        guard !keys.isEmpty else { return }
        var found = SentGroups(keys, of: apps)
        while !found.isComplete {
            let before = found
            found = try connection.read("look for a target") { db in
                var groups = before
                try groups.proceed(db)
                return groups
            }
        }
        groups = found
    }
}

extension TargetDetails {
    /// The sets that all recipients are in.
    fileprivate static func conjuncts(of set: StoredSet) -> [StoredSet] {
        if case .and(let parts) = set { parts } else { [set] }
    }
}
