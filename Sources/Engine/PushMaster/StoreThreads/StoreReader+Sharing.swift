package import PushModel
internal import PushSchedule
internal import PushStore

/// Sharing the store with other hosts: this host takes a part before it reads the part, and may give it back.
extension StoreReader {
    private static let partsTakenAtOnce = 200
    /// This host gives back a part if none of the part's messages is due again within this time, in seconds.
    /// Another host may take the part in the meantime.
    private static let giveBackSeconds: Int64 = 60
    /// The number of seconds between checks for deliveries that another host may have ended.
    private static let looksBetweenEnds = 5

    /// Takes the part. Afterwards the part belongs to this host or, if another host has it, is forgotten.
    mutating func takeIfShared(_ id: PartID) throws {
        guard let leases, let part = parts[id], !parts.isOwn(id) else { return }
        let isSick = sharing.sick.contains(part.app)
        let wanted = parts.next(
            from: part, messages: isSick ? 1 : sharing.messagesAtOnce, parts: Self.partsTakenAtOnce)
        parts.took(try leases.take(wanted), of: wanted)
    }

    /// Gives back parts that this host does not send, so that another host can send them. Parts of apps for
    /// which a child has messages are kept.
    mutating func share(_ order: SharingOrder) throws {
        sharing = order
        guard let leases, !order.idle.isEmpty else { return }
        try leases.giveBack(of: order.idle.sorted())
        parts.disown(order.idle)
    }

    /// Returns the hosts that have parts of deliveries with a rate, and of accounts with a quota.
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

    /// Called once a second.
    mutating func shareParts(at now: WallTime) throws {
        guard let leases else { return }
        try leases.giveBack(unlessDueBy: now.advanced(bySeconds: Self.giveBackSeconds))
        // Parts are also taken for apps whose gateway may be probed. Without a part there would be no message
        // with which to probe the gateway, and the account would never work again.
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

/// The loop's information that the reader needs for sharing with other hosts.
package struct SharingOrder: Equatable, Sendable {
    /// The apps whose accounts are stopped, waiting or probing on this host.
    package var sick: Set<AppID> = []
    /// The apps in `sick` whose gateway may now be probed with a message.
    package var asking: Set<AppID> = []
    /// The other apps in `sick` for which no child has messages.
    package var idle: Set<AppID> = []
    /// Deliveries with a rate.
    package var deliveries: [DeliveryID] = []
    /// Accounts with a quota, and their apps.
    package var apps: [AccountID: [AppID]] = [:]

    /// This host takes further parts in the same query until they contain this number of messages. The number
    /// is limited because parts that one host has taken are not available to another host that has nothing to
    /// do. A host that is alone takes more, so that it queries rarely.
    package var messagesAtOnce = 2_000

    package init() {}
}
