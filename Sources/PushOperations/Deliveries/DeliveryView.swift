package import PushModel
internal import PushStore

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
        /// Messages that devices reported as received, and as clicked.
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

    package static let about = ["environments": "those of its apps; empty if it has none yet"]

    package var id: DeliveryID
    package var label: String
    package var state: DeliveryState
    package var environments: [PushEnvironment]
    package var counts: Counts
    package var startedAt: WallMoment?
    package var finishedAt: WallMoment?
    /// Messages that were tried to their end, with at most three decimals; nil before the start.
    package var messagesPerSecond: Double?
    /// Why it is held as damaged, or that its counts cannot be right; nil, and no key, where neither is so.
    package var damage: String?
    /// Why it waits for 'delivery release', though nothing is damaged; nil, and no key, where it does not.
    package var held: String?
    /// Where it is paused, the end of its validity: what waits of it then is not sent any more. nil, and no
    /// key, where it is not paused.
    package var pausedUntil: WallTime?

    /// - Parameter held: nil: it is not.
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
        startedAt = delivery.started
        finishedAt = delivery.finished
        messagesPerSecond = delivery.messagesPerSecond(at: now).map { ($0 * 1_000).rounded() / 1_000 }
        self.held = held.flatMap { $0.isRestored ? $0.why : nil }
        pausedUntil = delivery.state == .paused ? delivery.expiresAt : nil
        damage =
            held.flatMap { $0.isRestored ? nil : $0.why }
            ?? (delivery.isMiscounted ? "figures of its tally cannot be right and are left out" : nil)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(label, forKey: .label)
        try container.encode(state, forKey: .state)
        try container.encode(environments, forKey: .environments)
        try container.encode(counts, forKey: .counts)
        try container.encodeIfPresent(startedAt, forKey: .startedAt)
        try container.encodeIfPresent(finishedAt, forKey: .finishedAt)
        try container.encodeIfPresent(messagesPerSecond, forKey: .messagesPerSecond)
        if let damage { try container.encode(damage, forKey: .damage) }
        if let held { try container.encode(held, forKey: .held) }
        if let pausedUntil { try container.encode(pausedUntil, forKey: .pausedUntil) }
    }
}
