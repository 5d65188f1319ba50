package import PushModel

/// Parts that were found and are not completed, keyed by number. The parts of one delivery are forgotten
/// together.
package struct KnownParts {
    private var parts: [PartID: Part] = [:]
    private var ofDelivery: [DeliveryID: Set<PartID>] = [:]
    /// The parts that this host has taken, if several hosts share the store. No other host can have these
    /// parts.
    private var own: Set<PartID> = []

    package init() {}

    package var deliveries: some Collection<DeliveryID> { ofDelivery.keys }

    package subscript(_ id: PartID) -> Part? { parts[id] }

    package mutating func insert(_ part: Part) {
        parts[part.id] = part
        ofDelivery[part.delivery, default: []].insert(part.id)
    }

    package mutating func remove(_ id: PartID) {
        own.remove(id)
        guard let part = parts.removeValue(forKey: id) else { return }
        ofDelivery[part.delivery]?.remove(id)
        if ofDelivery[part.delivery]?.isEmpty == true { ofDelivery[part.delivery] = nil }
    }

    package mutating func removeAll(of delivery: DeliveryID) {
        for id in ofDelivery.removeValue(forKey: delivery) ?? [] {
            parts[id] = nil
            own.remove(id)
        }
    }

    // MARK: Among several hosts

    package func isOwn(_ id: PartID) -> Bool { own.contains(id) }

    /// Returns the given part and the parts that should be taken together with it: the next parts of the same
    /// delivery. One query then serves many small parts.
    package func next(from part: Part, messages most: Int, parts maxParts: Int) -> [PartID] {
        var taken = [part.id]
        var messages = Self.count(part)
        guard messages < most else { return taken }
        for id in (ofDelivery[part.delivery] ?? []).sorted() where id > part.id && !own.contains(id) {
            guard messages < most, taken.count < maxParts, let next = parts[id] else { break }
            taken.append(id)
            messages += Self.count(next)
        }
        return taken
    }

    /// - Parameter own: The requested parts that this host now has. The other requested parts belong to
    ///   another host.
    package mutating func took(_ own: Set<PartID>, of asked: [PartID]) {
        self.own.formUnion(own)
        for id in asked where !own.contains(id) { remove(id) }
    }

    /// Gives up the parts of the apps. The parts remain known, and any host may take them.
    package mutating func disown(_ apps: Set<AppID>) {
        own = own.filter { id in parts[id].map { !apps.contains($0.app) } ?? false }
    }

    private static func count(_ part: Part) -> Int {
        Int(part.messages.upperBound.rawValue - part.messages.lowerBound.rawValue) + 1
    }
}
