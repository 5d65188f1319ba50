package import PushModel

/// A walk through the target of an order that has not been submitted. The walk visits subscriptions in the
/// same way as preparation does.
///
/// **Promises.** The walk only reads. It reads each page in a separate transaction, which examines at most 5
/// 000 subscriptions and blocks no other client. A subscription that changes during the walk may be counted
/// in its old or its new state.
package struct TargetWalk: Sendable {
    let connection: Connection

    /// Some of an app's subscriptions in the target.
    package struct Page: Sendable {
        package var app: AppID
        /// The number of subscriptions to which the message would be sent.
        package var targeted = 0
        /// The number of subscriptions that would be excluded.
        package var quarantined = 0
        package var disabled = 0
        package var optedOut = 0
        /// The number of subscriptions that have reached the service's frequency cap.
        package var capped = 0
        /// The number of subscriptions whose user would receive the message on another device.
        package var reachedElsewhere = 0
        /// The number of listed recipients that no subscription of any of the apps has. They are counted with
        /// the last app.
        package var unknown = 0
        /// The number of subscriptions that were found by the listed recipients.
        package var found = 0
        /// Those subscriptions to which the message would be sent and whose addresses were requested
        /// (``Wanted``).
        package var recipients: [Recipient] = []
        /// The number of messages that could be sent at each time; empty if the order has no calendar.
        package var releases: [WallTime: Int] = [:]
    }

    /// The data with which a payload is rendered.
    package struct Recipient: Sendable {
        /// The token, in UTF-8.
        package var token: [UInt8]
        /// A ``PushModel/MessageFilling``, with the device's language and the facts that were requested;
        /// empty if there is no data.
        package var parameters: [UInt8]
    }

    /// The subscriptions whose addresses are requested with a page.
    package enum Wanted: Sendable {
        case nobody, first, everybody
    }

    /// - Parameters:
    ///   - now: The assumed time of submission.
    ///   - wanted: Called before each page of an app.
    ///   - withLanguage: Whether the languages of devices are also requested.
    ///   - facts: Returns the facts about the subscribers of an app that are also requested.
    ///   - draft: The list of a target whose list is not in the store.
    ///   - body: Receives the pages, app by app, in the order of the apps in the delivery order.
    package func forEachPage(
        of order: DeliveryOrder, at now: WallTime, wanting wanted: (AppID) -> Wanted,
        withLanguage: Bool = false, facts: (AppID) -> Set<CollectedFact> = { _ in [] },
        listing draft: RecipientDraft? = nil, _ body: (Page) -> Void
    ) throws(StoreError) {
        var seen = Set<AppID>()
        let apps = order.apps.filter { seen.insert($0).inserted }
        var plan = PreparationPlan(asking: order.target, of: apps, listing: draft)
        plan.countsUnknown = true
        plan.service = order.service
        plan.calendar = order.schedule.calendar
        plan.begin = max(order.schedule.start ?? now, now)
        let counted = try count(for: plan, order.target, at: now)
        try plan.findGroups(connection)
        while plan.cursor.app < plan.apps.count {
            let app = plan.apps[plan.cursor.app]
            let (page, next, count) = try connection.read("read a target") {
                [plan, wanted = wanted(app), facts = facts(app)] db in
                // Subscriptions whose address is requested are read twice.
                let limit = wanted == .everybody ? Connection.chunkRows / 2 : Connection.chunkRows
                var selection = TargetSelection(plan, app: app, limit: limit)
                try selection.select(db)
                counted?.mark(&selection.members, of: app, plan.service)
                let columns = SubscriptionWalk.filling(facts, withLanguage: withLanguage, db.dialect)
                var page = try Self.page(of: app, selection, wanted, columns, db)
                page.releases = try Self.releases(of: plan, selection.members, at: now, db)
                return (page, selection.next, selection.members.count)
            }
            plan.cursor = next
            plan.lastOrdinal += Int64(count)
            body(page)
        }
    }

    /// - Returns: `nil` if there is no cap that the delivery respects.
    private func count(
        for plan: PreparationPlan, _ target: Target, at now: WallTime
    ) throws(StoreError) -> FrequencyCapMemory? {
        guard !target.ignoresFrequencyCap else { return nil }
        let service = try Catalogue(connection: connection).service(plan.service)
        guard let cap = service?.frequencyCap else { return nil }
        let memory = FrequencyCapMemory()
        while try !connection.read(
            "read a target", { db in try memory.count(for: plan, cap, at: now, db) })
        {}
        return memory
    }

    private static func releases(
        of plan: PreparationPlan, _ members: [TargetSelection.Member], at now: WallTime, _ db: any Session
    ) throws -> [WallTime: Int] {
        guard let calendar = plan.calendar, !members.isEmpty else { return [:] }
        var times = DueTimes(calendar, of: nil, begin: plan.begin, now: now)
        var counts: [WallTime: Int] = [:]
        for group in try times.groups(of: members, from: plan.lastOrdinal, db) {
            let count = group.members.count(where: \.isMeant)
            if count > 0 { counts[group.due ?? now, default: 0] += count }
        }
        return counts
    }

    private static func page(
        of app: AppID, _ selection: TargetSelection, _ wanted: Wanted, _ columns: String, _ db: any Session
    ) throws -> Page {
        var page = Page(app: app)
        (page.unknown, page.found) = (selection.unknown, selection.found)
        var valid: ContiguousArray<SubscriptionID> = []
        var variables: [[UInt8]] = []
        for member in selection.members {
            switch member.disabled {
            case StateCode.valid where member.isReachedElsewhere: page.reachedElsewhere += 1
            case StateCode.valid where member.isCapped: page.capped += 1
            case StateCode.valid:
                page.targeted += 1
                if wanted == .everybody || wanted == .first && valid.isEmpty {
                    valid.append(SubscriptionID(rawValue: member.subscription))
                    variables.append(member.variables(in: selection.variables))
                }
            case StateCode.quarantined: page.quarantined += 1
            case StateCode.optedOut: page.optedOut += 1
            default: page.disabled += 1
            }
        }
        guard !valid.isEmpty else { return page }
        var walk = try SubscriptionWalk(valid, db, reading: columns)
        try SubscriptionVisitor.visit(valid, by: &walk, reading: columns) {
            place, token, _, parameters in
            page.recipients.append(
                Recipient(token: copy(token), parameters: copy(parameters) + variables[place]))
        }
        return page
    }

    private static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
