internal import PushModel
package import PushStore
internal import PushWire

/// Removes a person, or a device, from all that the store says: the devices, logs of what was sent to them, also
/// to devices that were removed before, and what targets list and say of them. Of what was sent a number is left
/// that leads to nobody, so that statistics stay what they are. Searches all lists of targets, and all deliveries of
/// the apps that the person had. It pauses for the master only after steps that wrote something.
package struct EraseSubscribers: LongOperation, Audited {
    package static let name = "subscribers.erase"
    package var auditText: AuditText? { .of(who.described) }

    package var who: SubscriberName

    package init(_ who: SubscriberName) { self.who = who }

    package func perform(
        in operations: Operations, watchedBy watch: Watch<ErasedSubscribers>
    ) throws -> ErasedSubscribers {
        if case .userKey("") = who {
            throw OperationError(.usage, "an empty user key is nobody's; give one")
        }
        var erasure = try Erasure(of: who, in: operations, watch)
        // What leads to a person goes last: whoever is interrupted is found again.
        try erasure.eraseLists()
        try erasure.eraseNamesOfMessages()
        try erasure.eraseSubscriptions()
        guard erasure.hasFoundAny else {
            throw OperationError.noMatch("nothing is known of \(who.described)")
        }
        return erasure.done
    }
}

package struct ErasedSubscribers: Codable, Equatable, Sendable {
    /// Devices that were there still.
    package var removed = 0
    /// Devices that were removed before, and that logs still knew.
    package var remembered = 0
    /// Places in targets.
    package var listed = 0
    /// Parts of deliveries that cannot be read, and may keep something of the person.
    package var unreadableParts = 0

    package init() {}
}

/// One person's, step by step.
private struct Erasure {
    private let operations: Operations
    private let watch: Watch<ErasedSubscribers>
    private var throttle: BulkWriteThrottle
    /// User keys and tokens.
    private var values: Set<ExactText>
    private var subscriptions: Set<SubscriptionID>
    private var unreadable: Set<PartID> = []
    private(set) var done = ErasedSubscribers()

    init(of who: SubscriberName, in operations: Operations, _ watch: Watch<ErasedSubscribers>) throws {
        (self.operations, self.watch) = (operations, watch)
        throttle = BulkWriteThrottle(operations)
        let apps = try operations.store.catalogue.appsOfAllTimes()
        let found = try who.all(of: apps, in: operations)
        values = Set(found.map { ExactText($0.token) })
        subscriptions = Set(found.map(\.subscription))
        switch who {
        case .token(let token):
            values.insert(ExactText(token))
            // As targets of iOS list it.
            values.insert(ExactText(DeviceToken.spelledForIOS(token)))
        case .userKey(let key):
            values.insert(ExactText(key))
            let remembered = try operations.store.personTraces.remembered(key)
            done.remembered = remembered.count
            subscriptions.formUnion(remembered)
        }
    }

    var hasFoundAny: Bool { done.removed + done.remembered + done.listed > 0 }

    /// - Parameter wrote: whether the step wrote something. Reading holds up no writer, so it needs no pause: most
    ///   steps find nothing of the person.
    private mutating func stepIsDone(wrote: Bool) throws {
        watch.report(done)
        try watch.proceed()
        if wrote { throttle.pause() }
    }

    mutating func eraseLists() throws {
        var place: PersonTraces.ListedPage? = .first
        while let next = place {
            let step = try operations.store.personTraces.eraseListed(values, after: next)
            done.listed += step.erased
            place = step.next
            try stepIsDone(wrote: step.erased > 0)
        }
    }

    mutating func eraseNamesOfMessages() throws {
        let traces = operations.store.personTraces
        let deliveries = try traces.deliveries(to: subscriptions)
        var place: PersonTraces.MessagePlace? = .first
        while let next = place {
            let step = try traces.eraseProviderIDs(of: subscriptions, in: deliveries, from: next)
            unreadable.formUnion(step.unreadable)
            place = step.next
            try stepIsDone(wrote: step.erased > 0)
        }
        done.unreadableParts = unreadable.count
    }

    mutating func eraseSubscriptions() throws {
        for page in subscriptions.sorted().pages(of: SubscriberRemover.subscriptionsPerCall) {
            let step = try operations.store.subscriberRemover.erase(page, at: operations.clock.moment())
            done.removed += step.removed
            unreadable.formUnion(step.unreadable)
            done.unreadableParts = unreadable.count
            try stepIsDone(wrote: true)
        }
    }
}
