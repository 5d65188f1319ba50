package import PushModel

/// Parts that were found and are not dealt with, by number; those of a delivery are forgotten at once.
package struct KnownParts {
    private var parts: [PartID: Part] = [:]
    private var ofDelivery: [DeliveryID: Set<PartID>] = [:]

    package init() {}

    package subscript(_ id: PartID) -> Part? { parts[id] }

    package mutating func insert(_ part: Part) {
        parts[part.id] = part
        ofDelivery[part.delivery, default: []].insert(part.id)
    }

    package mutating func remove(_ id: PartID) {
        guard let part = parts.removeValue(forKey: id) else { return }
        ofDelivery[part.delivery]?.remove(id)
        if ofDelivery[part.delivery]?.isEmpty == true { ofDelivery[part.delivery] = nil }
    }

    package mutating func removeAll(of delivery: DeliveryID) {
        for id in ofDelivery.removeValue(forKey: delivery) ?? [] { parts[id] = nil }
    }
}
