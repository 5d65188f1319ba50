internal import PushModel
internal import PushStore

/// Removes a person, or a device, from all that the store says: the devices, logs of what was sent to them, also
/// to devices that were removed before, and what targets list and say of them. Of what was sent a number is left
/// that leads to nobody, so that statistics stay what they are.
package struct EraseSubscribers: ChangingOperation {
    package static let name = "subscribers.erase"
    package var lookAfterwards: String { "subscribers show" }

    package var who: SubscriberName

    package init(_ who: SubscriberName) { self.who = who }

    package func perform(in operations: Operations) throws -> ErasedSubscribers {
        let traces = operations.store.personTraces
        if case .userKey("") = who {
            throw OperationError(.usage, "an empty user key is nobody's; give one")
        }
        let found = try Self.found(who, in: operations)
        var values = Set(found.map(\.token))
        var subscriptions = Set(found.map(\.subscription))
        var remembered: [SubscriptionID] = []
        switch who {
        case .token(let token): values.insert(token)
        case .userKey(let key):
            values.insert(key)
            remembered = try traces.remembered(key)
            subscriptions.formUnion(remembered)
        }
        // What leads to a person goes last: whoever is interrupted is found again.
        let listed = try traces.eraseListed(values)
        try traces.eraseProviderIDs(of: subscriptions)
        var removed = 0
        var rest = subscriptions.sorted()[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(SubscriberRemover.subscriptionsPerCall))
            removed += try traces.erase(page, at: operations.clock.moment())
            rest = rest.dropFirst(page.count)
        }
        let done = ErasedSubscribers(removed: removed, remembered: remembered.count, listed: listed)
        guard done != ErasedSubscribers(removed: 0, remembered: 0, listed: 0) else {
            throw OperationError.nobody("nothing is known of \(who.described)")
        }
        return done
    }

    private static func found(
        _ who: SubscriberName, in operations: Operations
    ) throws -> [SubscriberFacts] {
        try operations.store.catalogue.apps().flatMap { try who.found(of: $0, in: operations) }
    }
}

package struct ErasedSubscribers: Codable, Equatable, Sendable {
    /// Devices that were there still.
    package var removed: Int
    /// Devices that were removed before, and that logs still knew.
    package var remembered: Int
    /// Places in targets.
    package var listed: Int
}
