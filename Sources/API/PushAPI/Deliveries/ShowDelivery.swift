internal import PushConfig
package import PushModel
internal import PushStore

/// Shows one delivery: its state, counts and rate, and the accounts for which its messages wait.
package struct ShowDelivery: ShortOperation, UseCase {
    package static let name = "delivery.show"
    package static let operation = Operation(
        .get, "/deliveries/{id}", .read,
        "Returns a delivery's settings, counts and reasons, and what it is waiting for.", asksMaster: true)
    package static let members: [Member<Self>] = [
        .delivery(\.id),
        .query(
            \.countsDuplicates, "duplicates", "Count messages that may have been sent twice.",
            default: false),
        .inner(\.looksForHolds, "looksForHolds", default: true),
        .inner(\.looksFurther, "looksFurther", default: true),
    ]

    package private(set) var id = DeliveryID(rawValue: 0)
    package private(set) var countsDuplicates = false
    /// Whether to determine what holds up the delivery. This is more expensive than reading its counts.
    package private(set) var looksForHolds = true
    /// Whether to include the order, and the reasons why messages were not sent.
    package private(set) var looksFurther = true

    package init() {}
    package init(
        id: DeliveryID, countsDuplicates: Bool = false, looksForHolds: Bool = true, looksFurther: Bool = true
    ) {
        self.id = id
        self.looksFurther = looksFurther
        self.countsDuplicates = countsDuplicates
        self.looksForHolds = looksForHolds
    }

    package func perform(in operations: Operations) throws -> DeliveryDetails {
        let delivery = try operations.requireDelivery(id)
        let held = try operations.store.repair.hold(of: id)
        let now = operations.clock.moment()
        var view = DeliveryView(
            delivery, of: try operations.store.deliveries.environments(of: [id])[id], at: now, held: held,
            hits: try operations.store.statistics.hits(of: [id])[id] ?? [:])
        // If the master does not answer, the rest of the requested data is still shown.
        let master = looksForHolds && !delivery.state.isFinal ? try? operations.engine.status() : nil
        try PresentLimits(of: [delivery], master, in: operations)?.add(to: &view, of: delivery, at: now)
        return DeliveryDetails(
            delivery: view,
            verifyMode: operations.settings.mta.verifyMode,
            order: looksFurther ? try DeliveryOrderView(of: delivery, in: operations) : nil,
            outcome: looksFurther ? try DeliveryOutcomeView(of: delivery, in: operations) : nil,
            possibleDuplicates: countsDuplicates && delivery.removed == nil
                ? try PossibleDuplicates.count(of: id, in: operations.store.deliveries) : nil,
            waitsFor: looksForHolds ? try HeldDelivery(delivery, master, in: operations).holds : [],
            releases: looksFurther ? try releases(in: operations) : [])
    }

    private func releases(in operations: Operations) throws -> [DeliveryRelease] {
        try operations.store.held.waiting(of: id, limit: DeliveryRelease.longestList)
            .map { DeliveryRelease(at: $0.due, count: $0.messages) }
    }
}

/// A delivery and the findings about it, as one object.
package struct DeliveryDetails: View, Equatable {
    package static let about = [
        "verifyMode": "whether this is a rehearsal: every message counts as sent, but none is sent",
        "listedRecipients": "user keys or tokens that the target lists; null if it lists none",
        "unknownRecipients":
            """
        listed user keys or tokens that no subscriber of the delivery's apps had when it was prepared; null \
        if unknown
        """,
        "list": "how many subscribers match the list in the target; null if it has no list",
        "template": "the template that the content is based on",
        "waitingVerdicts": "waiting verdicts about tokens",
        "releases": "the release times for which messages wait, earliest first",
    ]

    package var delivery: DeliveryView
    package var verifyMode: Bool
    /// The order; `nil` if it was not requested, in which case its keys are omitted.
    package var order: DeliveryOrderView?
    /// The reasons why messages were not sent; `nil` if they were not requested, in which case their keys are
    /// omitted.
    package var outcome: DeliveryOutcomeView?
    /// The number of possible duplicates; `nil` if they were not counted, in which case the key is omitted.
    package var possibleDuplicates: Int?
    /// The accounts and topics for which the delivery's messages wait. The key is omitted if there are none.
    package var waitsFor: [AccountHold]
    /// The release times for which messages wait, the earliest first. The key is omitted if there are none.
    package var releases: [DeliveryRelease]

    private enum Key: CodingKey { case verifyMode, possibleDuplicates, waitsFor, releases, service, failures }

    init(
        delivery: DeliveryView, verifyMode: Bool, order: DeliveryOrderView?, outcome: DeliveryOutcomeView?,
        possibleDuplicates: Int?, waitsFor: [AccountHold], releases: [DeliveryRelease] = []
    ) {
        self.delivery = delivery
        self.verifyMode = verifyMode
        self.order = order
        self.outcome = outcome
        self.possibleDuplicates = possibleDuplicates
        self.waitsFor = waitsFor
        self.releases = releases
    }

    package init(from decoder: any Decoder) throws {
        delivery = try DeliveryView(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        verifyMode = try container.decode(Bool.self, forKey: .verifyMode)
        order = container.contains(.service) ? try DeliveryOrderView(from: decoder) : nil
        outcome = container.contains(.failures) ? try DeliveryOutcomeView(from: decoder) : nil
        possibleDuplicates = try container.decodeIfPresent(Int.self, forKey: .possibleDuplicates)
        waitsFor = try container.decodeIfPresent([AccountHold].self, forKey: .waitsFor) ?? []
        releases = try container.decodeIfPresent([DeliveryRelease].self, forKey: .releases) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        try delivery.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(verifyMode, forKey: .verifyMode)
        try order?.encode(to: encoder)
        try outcome?.encode(to: encoder)
        if let possibleDuplicates { try container.encode(possibleDuplicates, forKey: .possibleDuplicates) }
        if !waitsFor.isEmpty { try container.encode(waitsFor, forKey: .waitsFor) }
        if !releases.isEmpty { try container.encode(releases, forKey: .releases) }
    }
}

/// Lists deliveries, newest first.
package struct ListDeliveries: FilteredList {
    package typealias Item = DeliveryView
    package static let name = "delivery.list"
    package static let limits = 1...5_000
    package static let operation = Operation(
        .get, SubmitDelivery.path, .read,
        "Lists deliveries, newest first. Messages that were sent one by one belong to separate deliveries, "
            + "one for each service, priority and day.", reach: .services)
    package static let members: [Member<Self>] = [
        .query(\.service, "service", "Return only deliveries of this service."),
        .query(\.state, "state", "Return only deliveries in this state."),
        .query(\.label, "label", "Return only deliveries whose label begins with this text."),
        .query(\.since, "since", "Return only deliveries that were submitted at this time or later."),
        .query(\.until, "until", "Return only deliveries that were submitted before this time."),
        .query(\.limit, "limit", "The maximum number of deliveries.", in: limits, default: 100),
        .cursor(\.cursor),
    ]

    private var service: String?
    private var state: DeliveryState?
    private var label: String?
    private var since: WallTime?
    private var until: WallTime?
    package private(set) var limit = 100
    /// Only deliveries with smaller ids than this one are listed.
    package var cursor: Int64?

    package init() {}

    package init(limit: Int = 100, before: DeliveryID? = nil) {
        self.limit = limit
        cursor = before?.rawValue
    }

    /// For each page, a limited number of deliveries is read. With filters, a page may therefore contain few
    /// deliveries or none even if more pages follow.
    package func perform(in operations: Operations) throws -> Page<DeliveryView> {
        let filter = DeliveryFilter(
            service: try service.map { try operations.requireService(named: $0).id }, state: state,
            label: label, since: since, until: until)
        let page = try operations.store.deliveries.page(
            before: cursor.map(DeliveryID.init(rawValue:)), limit: limit, only: filter)
        let items = try operations.views(of: page.deliveries)
        return Page(items, next: page.next?.rawValue, of: self)
    }
}

extension Operations {
    /// Returns the views of deliveries for a list.
    fileprivate func views(of deliveries: [DeliverySummary]) throws -> [DeliveryView] {
        let now = clock.moment()
        let held = Dictionary(
            try store.repair.held().map { ($0.delivery, $0) }, uniquingKeysWith: { first, _ in first })
        let ids = deliveries.map(\.id)
        let hits = try store.statistics.hits(of: ids)
        let environments = try store.deliveries.environments(of: ids)
        return deliveries.map { delivery in
            DeliveryView(
                delivery, of: environments[delivery.id], at: now, held: held[delivery.id],
                hits: hits[delivery.id] ?? [:])
        }
    }
}

/// Returns what is running, what is scheduled and what waits for a decision, however old it is, and the
/// newest deliveries that have ended. The console's first page shows them.
package struct ShowOverview: ShortOperation {
    package static let name = "overview.show"
    /// The maximum number of deliveries that are searched for ended ones.
    private static let deliveriesLookedAt = 100

    /// The maximum number of deliveries of each kind.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }

    package func perform(in operations: Operations) throws -> Overview {
        let live = try operations.store.deliveries.live(limit: limit)
        let newest = try operations.store.deliveries.list(limit: Self.deliveriesLookedAt)
        let ended = newest.filter { $0.finished != nil && $0.state.isFinal }.prefix(limit)
        let held = try operations.store.repair.held().prefix(Self.deliveriesLookedAt)
            .compactMap { try operations.store.deliveries.summary(of: $0.delivery) }.prefix(limit)
        return Overview(
            running: try operations.views(of: live.running), runningCount: live.runningCount,
            scheduled: try operations.views(of: live.scheduled), scheduledCount: live.scheduledCount,
            starts: live.starts, ended: try operations.views(of: Array(ended)),
            waiting: try operations.views(of: Array(held)))
    }
}

/// See ``ShowOverview``.
package struct Overview: Sendable {
    /// Those that have begun, the newest first.
    package var running: [DeliveryView]
    package var runningCount: Int
    /// Those that have not begun, the next one first.
    package var scheduled: [DeliveryView]
    package var scheduledCount: Int
    /// The start of each scheduled delivery that waits for its start.
    package var starts: [DeliveryID: WallTime]
    /// The newest first.
    package var ended: [DeliveryView]
    /// Those that wait for a decision, such as a release after a restored backup.
    package var waiting: [DeliveryView]
}

/// A delivery as it is shown.
package struct DeliveryView: View, Equatable {
    package struct Counts: View, Equatable {
        package var targeted: Int
        package var excluded: Int
        package var pending: Int
        package var sent: Int
        package var retrying: Int
        package var failed: Int
        package var cancelled: Int
        /// The numbers of messages that devices reported as received and as clicked.
        package var received: Int
        package var clicked: Int

        init(_ counts: DeliveryCounts, hits: [HitKind: Int] = [:]) {
            targeted = counts.targeted
            excluded = counts.excluded
            pending = counts.pending
            sent = counts.sent
            retrying = counts.retrying
            failed = counts.failed
            cancelled = counts.cancelled
            received = hits[.received] ?? 0
            clicked = hits[.clicked] ?? 0
        }
    }

    package static let about = [
        "environments": "the environments of the delivery's apps; empty if the delivery has no apps yet",
        "limitedBy": "what limits the delivery at present; absent if it has ended or no master answers",
        "secondsLeft": "the time that the remaining messages take at the measured rate; absent if unknown",
        "held": "why the delivery waits to be released although none of its data is damaged",
    ]

    package var id: DeliveryID
    package var label: String
    package var state: DeliveryState
    package var environments: [PushEnvironment]
    package var counts: Counts
    /// The time of submission.
    package var createdAt: WallMoment
    package var startedAt: WallMoment?
    package var finishedAt: WallMoment?
    /// The number of messages per second that reached their final result, with at most three decimals; `nil`
    /// before the delivery starts.
    package var messagesPerSecond: Double?
    /// The reason why the delivery is on hold because of damage, or a statement that its counts are
    /// inconsistent. If neither applies, this is `nil`, and the key is omitted.
    package var damage: String?
    /// The reason why the delivery waits for 'delivery release' although nothing is damaged. If the delivery
    /// does not wait, this is `nil`, and the key is omitted.
    package var held: String?
    /// The end of the validity if the delivery is paused. Messages that still wait at that time are no longer
    /// sent. If the delivery is not paused, this is `nil`, and the key is omitted.
    package var pausedUntil: WallTime?
    /// What limits the delivery at present. If the delivery has ended, if no master answers, or if the
    /// delivery is shown in a list, this is `nil`, and the key is omitted.
    package var limitedBy: SendingLimit?
    /// The number of seconds that the remaining messages will take at the measured rate. If the number is
    /// unknown, this is `nil`, and the key is omitted.
    package var secondsLeft: Int?

    /// - Parameter held: `nil` if the delivery is not on hold.
    init(
        _ delivery: DeliverySummary, of environments: Set<PushEnvironment>?, at now: WallMoment,
        held: DamagedDelivery? = nil,
        hits: [HitKind: Int] = [:]
    ) {
        id = delivery.id
        label = delivery.label
        state = delivery.state
        self.environments = PushEnvironment.allCases.filter { environments?.contains($0) == true }
        counts = Counts(delivery.counts, hits: hits)
        createdAt = delivery.created
        startedAt = delivery.started
        finishedAt = delivery.finished
        messagesPerSecond = delivery.messagesPerSecond(at: now).map { ($0 * 1_000).rounded() / 1_000 }
        self.held = held.flatMap { $0.isRestored ? $0.why : nil }
        pausedUntil = delivery.state == .paused ? delivery.expiresAt : nil
        damage =
            held.flatMap { $0.isRestored ? nil : $0.why }
            ?? (delivery.isMiscounted ? "some of its counters are inconsistent and are omitted" : nil)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(label, forKey: .label)
        try container.encode(state, forKey: .state)
        try container.encode(environments, forKey: .environments)
        try container.encode(counts, forKey: .counts)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encodeIfPresent(startedAt, forKey: .startedAt)
        try container.encodeIfPresent(finishedAt, forKey: .finishedAt)
        try container.encodeIfPresent(messagesPerSecond, forKey: .messagesPerSecond)
        if let damage { try container.encode(damage, forKey: .damage) }
        if let held { try container.encode(held, forKey: .held) }
        if let pausedUntil { try container.encode(pausedUntil, forKey: .pausedUntil) }
        if let limitedBy { try container.encode(limitedBy, forKey: .limitedBy) }
        if let secondsLeft { try container.encode(secondsLeft, forKey: .secondsLeft) }
    }
}

/// The reasons why messages of a delivery were not sent, as they are shown.
package struct DeliveryOutcomeView: Codable, Equatable, Sendable {
    package struct Reason: View, Equatable {
        /// Campaign's reason; `nil` if there is none.
        package var failureReason: String?
        /// The gateway's reason, or PushMTA's own.
        package var providerReason: String
        package var count: Int
    }

    /// The most frequent reason first.
    package var failures: [Reason]
    package var exclusions: [Reason]
    /// The time at which the next retry is due; `nil` if there is none.
    package var nextRetryAt: WallTime?
    /// The accounts with storms that include answers to the delivery and await a decision.
    package var storms: [String]
    /// The waiting verdicts about tokens of each account for which answers to the delivery caused such
    /// verdicts. All waiting verdicts of these accounts are included, not only those that the delivery
    /// caused.
    package var waitingVerdicts: [WaitingVerdictsView]

    init(of delivery: DeliverySummary, in operations: Operations) throws {
        let reasons = try operations.store.deliveries.reasons(of: delivery.id)
        failures = Self.reasons(reasons, .failed)
        exclusions = Self.reasons(reasons, .excluded)
        nextRetryAt = reasons.nextRetry
        storms = try ShowDeliveryStorms(id: delivery.id).perform(in: operations).storms
        waitingVerdicts = try WaitingVerdictsView.all(of: delivery.id, in: operations)
    }

    private static func reasons(_ reasons: DeliveryReasons, _ state: MessageState) -> [Reason] {
        reasons.counts.filter { $0.state == state }.map {
            Reason(failureReason: $0.reason?.label, providerReason: $0.text, count: $0.count)
        }
    }
}
