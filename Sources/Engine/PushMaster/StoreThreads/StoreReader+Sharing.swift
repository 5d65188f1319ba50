package import PushModel
internal import PushSchedule
internal import PushStore

/// Where several hosts share the store: parts are taken before they are read, and given back.
extension StoreReader {
    private static let partsTakenAtOnce = 200
    /// What is due again later than that may be another host's until then.
    private static let giveBackSeconds: Int64 = 60
    /// Deliveries that another host may have ended are looked at each so many seconds.
    private static let looksBetweenEnds = 5

    /// After this it is this host's, or forgotten.
    mutating func takeIfShared(_ id: PartID) throws {
        guard let leases, let part = parts[id], !parts.isOwn(id) else { return }
        let isSick = sharing.sick.contains(part.app)
        let wanted = parts.next(
            from: part, messages: isSick ? 1 : sharing.messagesAtOnce, parts: Self.partsTakenAtOnce)
        parts.took(try leases.take(wanted), of: wanted)
    }

    /// What is not sent from here another host may send. Parts of which something is with a child stay.
    mutating func share(_ order: SharingOrder) throws {
        sharing = order
        guard let leases, !order.idle.isEmpty else { return }
        try leases.giveBack(of: order.idle.sorted())
        parts.disown(order.idle)
    }

    /// Who has parts of what has a rate or a quota.
    private func heldParts(_ leases: any PartLeases) throws -> PartHolders {
        var held = PartHolders()
        for (delivery, holders) in try leases.holders(ofDeliveries: sharing.deliveries) {
            held.deliveries[delivery] = PartHolders.Holders(
                hosts: holders.count, includesThis: holders.contains(leases.ownTerm))
        }
        let ofApps = try leases.holders(ofApps: sharing.apps.values.flatMap(\.self))
        for (account, apps) in sharing.apps {
            let holders = apps.reduce(into: Set<Int64>()) { $0.formUnion(ofApps[$1] ?? []) }
            held.accounts[account] = PartHolders.Holders(
                hosts: holders.count, includesThis: holders.contains(leases.ownTerm))
        }
        return held
    }

    /// Once a second.
    mutating func shareParts(at now: WallTime) throws {
        guard let leases else { return }
        try leases.giveBack(unlessDueBy: now.advanced(bySeconds: Self.giveBackSeconds))
        // Without a part there is nothing to ask a gateway with, and it would never work again.
        try leases.takeDue(
            by: now, except: sharing.sick.subtracting(sharing.asking).sorted(), oneOf: sharing.asking.sorted()
        )
        loop.send(.held(try heldParts(leases)))
        looks += 1
        guard looks % Self.looksBetweenEnds == 0 else { return }
        let ended = try leases.ended(among: Array(Set(directory.knownDeliveries).union(parts.deliveries)))
        if !ended.isEmpty { loop.send(.finished(ended)) }
    }
}

/// What the loop knows, and the reader needs, to share with other hosts.
package struct SharingOrder: Equatable, Sendable {
    /// Apps of accounts that do not work at this host.
    package var sick: Set<AppID> = []
    /// Those of them whose gateway may be asked with a message now.
    package var asking: Set<AppID> = []
    /// The others, where nothing of them is with a child.
    package var idle: Set<AppID> = []
    /// Deliveries with a rate.
    package var deliveries: [DeliveryID] = []
    /// Accounts with a quota, and their apps.
    package var apps: [AccountID: [AppID]] = [:]

    /// Parts are taken until they have so many messages. A host that has more than this of a delivery keeps it from
    /// another that has nothing to do; one that is alone asks seldom.
    package var messagesAtOnce = 2_000

    package init() {}
}
