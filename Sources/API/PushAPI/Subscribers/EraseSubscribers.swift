internal import PushModel
package import PushStore
internal import PushWire

/// Removes all data about a person or a device from the store: the devices, the logs of messages to these
/// devices and to devices of the person that were removed earlier, and the entries and variables in targets
/// that concern the person or the devices. For messages that were sent, only a number that identifies no
/// person remains, so that statistics do not change. The operation searches all lists of targets, and all
/// deliveries of the apps that the person had. It pauses for the master only after steps that wrote
/// something.
package struct EraseSubscribers: Job {
    package static let name = "subscribers.erase"
    package static let operation = Operation(
        .post, ShowSubscribers.path + "/erase", .admin,
        "Removes a person or a device from the store, including from logs and targets.", status: 202,
        reach: .instance)
    package static let members: [Member<Self>] = [
        .field(\.who.token, "token", SubscriberName.tokenHelp).secret,
        .field(\.who.userKey, "userKey", SubscriberName.userKeyHelp).secret,
    ]
    package static let example = #"{"userKey": "anna"}"#
    package static let alternatives = SubscriberName.alternatives
    package var auditText: AuditText? { .of(who.described) }

    package private(set) var who = SubscriberName.token("")

    package init() {}
    package init(_ who: SubscriberName) { self.who = who }

    package func check(in operations: Operations) throws {
        guard case .userKey("") = who else { return }
        throw OperationError(.usage, "an empty user key does not identify a person; give a user key")
    }

    package func perform(
        in operations: Operations, watchedBy watch: Watch<JobProgress<ErasedSubscribers>>
    ) throws -> ErasedSubscribers {
        try check(in: operations)
        var erasure = try Erasure(of: who, in: operations, watch)
        // The data by which a person is found is deleted last, so that a repetition after an interruption
        // finds the person again.
        try erasure.eraseLists()
        try erasure.eraseNamesOfMessages()
        try erasure.eraseOptOuts()
        try erasure.eraseSubscriptions()
        return erasure.done
    }
}

package struct ErasedSubscribers: View, Equatable {
    package static let about = [
        "removed": "devices that were subscribers",
        "remembered": "devices that had been removed earlier and that logs still contained",
        "listed": "erased entries in targets",
        "unreadableParts": "damaged parts of deliveries, which may still contain the person's data",
    ]

    package var removed = 0
    package var remembered = 0
    package var listed = 0
    package var unreadableParts = 0

    package init() {}

    package var hasFoundAny: Bool { removed + remembered + listed > 0 }
}

/// The erasure of one person, step by step.
private struct Erasure {
    private let operations: Operations
    private let watch: Watch<JobProgress<ErasedSubscribers>>
    private let who: SubscriberName
    private var throttle: BulkWriteThrottle
    /// The user keys and tokens that are erased from targets.
    private var values: Set<ExactText>
    private var subscriptions: Set<SubscriptionID>
    private var unreadable: Set<PartID> = []
    private(set) var done = ErasedSubscribers()
    /// The number of deliveries that have been searched, and the total number to search.
    private var searched = (done: 0, total: Int?.none)

    init(
        of who: SubscriberName, in operations: Operations, _ watch: Watch<JobProgress<ErasedSubscribers>>
    ) throws {
        (self.operations, self.watch, self.who) = (operations, watch, who)
        throttle = BulkWriteThrottle(operations)
        let apps = try operations.store.catalogue.appsOfAllTimes().map(Catalogue.AppName.init)
        let found = try who.all(of: apps, in: operations)
        values = Set(found.map { ExactText($0.token) })
        subscriptions = Set(found.map(\.subscription))
        switch who {
        case .token(let token):
            values.insert(ExactText(token))
            // The spelling of the token in targets for iOS.
            values.insert(ExactText(DeviceToken.spelledInHex(token)))
        case .userKey(let key):
            values.insert(ExactText(key))
            let remembered = try operations.store.personTraces.remembered(key)
            done.remembered = remembered.count
            subscriptions.formUnion(remembered)
        }
    }

    /// - Parameter wrote: Whether the step wrote something. Reading blocks no writer and needs no pause, and
    ///   most steps find nothing about the person.
    private mutating func stepIsDone(wrote: Bool) throws {
        watch.report(JobProgress(done, done: searched.done, of: searched.total))
        try watch.proceed()
        if wrote { throttle.pause() }
    }

    mutating func eraseLists() throws {
        var place: PersonData.ListedPage? = .first
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
        var place: PersonData.MessagePlace? = .first
        while let next = place {
            let step = try traces.eraseProviderIDs(of: subscriptions, in: deliveries, from: next)
            unreadable.formUnion(step.unreadable)
            place = step.next
            searched = (place?.delivery ?? deliveries.count, deliveries.count)
            try stepIsDone(wrote: step.erased > 0)
        }
        done.unreadableParts = unreadable.count
    }

    /// Erases opt-outs on devices that were removed, or that other people use now.
    mutating func eraseOptOuts() throws {
        guard case .userKey(let key) = who else { return }
        while try operations.store.personTraces.eraseOptOuts(of: key) { try stepIsDone(wrote: true) }
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
