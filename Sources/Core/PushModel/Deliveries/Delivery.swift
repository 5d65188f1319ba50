package enum DeliveryPriority: String, Sendable, CaseIterable {
    case veryLow, low, normal, high, veryHigh

    /// From 0, the lowest.
    package var rank: Int {
        switch self {
        case .veryLow: 0
        case .low: 1
        case .normal: 2
        case .high: 3
        case .veryHigh: 4
        }
    }

    /// Above normal: part of every capacity is kept for it.
    package var isUrgent: Bool { rank > Self.normal.rank }

    /// Of any capacity, what only priorities above normal are granted.
    package static func reserve(of capacity: Int) -> Int { capacity / 8 }
}

package struct DeliverySchedule: Equatable, Sendable {
    /// Not before; nil is at once.
    package var start: WallTime?
    /// Counted from the start. Campaign's default is five days. 0 means now or never: each message has one attempt,
    /// and its gateway does not keep it for a device that is away.
    package var validitySeconds: Int64 = 5 * 86_400
    package var priority: DeliveryPriority = .normal
    /// 0 is without limit.
    package var ratePerSecond: Int = 0
    /// Days after its end that its messages are kept, 0 for ever; nil takes `nmac/@retentionDays`.
    package var retentionDays: Int?
    /// When whom of the target; nil: everybody at the start.
    package var calendar: DeliveryCalendar?
    package static let longestRetentionDays = 3_650
    package init() {}

    package var isNowOrNever: Bool { validitySeconds == 0 }
    /// How long after the start messages are sent. The one attempt of "now or never" needs its turn: the last
    /// messages of a long delivery have it minutes after the first.
    package var sendingSeconds: Int64 { isNowOrNever ? Self.nowOrNeverSeconds : validitySeconds }
    /// Ten million messages at a few thousand a second.
    package static let nowOrNeverSeconds: Int64 = 3_600
}

/// Overrides of `nmac/retry` for one delivery; nil takes the setting.
package struct RetryOverride: Equatable, Sendable {
    package var count: Int?
    package var periodSeconds: Int64?
    package init(count: Int? = nil, periodSeconds: Int64? = nil) {
        self.count = count
        self.periodSeconds = periodSeconds
    }
}

/// A delivery that passed every check but is not in the store yet.
package struct DeliveryOrder: Equatable, Sendable {
    package var label: String
    package var service: ServiceID
    package var apps: [AppID]
    package var target: Target
    package var schedule: DeliverySchedule
    package var retry: RetryOverride
    /// Whether messages carry `_mId` and `_dId`.
    package var tracking: Bool
    /// The `content` object of the delivery document as JSON: the store keeps it, a child compiles it.
    package var contentJSON: [UInt8]
    /// What the content was made of; nil: of no template.
    package var template: TemplateVersion?

    package init(
        label: String, service: ServiceID, apps: [AppID], target: Target, schedule: DeliverySchedule,
        retry: RetryOverride, tracking: Bool, contentJSON: [UInt8]
    ) {
        self.label = label
        self.service = service
        self.apps = apps
        self.target = target
        self.schedule = schedule
        self.retry = retry
        self.tracking = tracking
        self.contentJSON = contentJSON
    }
}

/// How far a delivery is. Raw values are what the API shows, and what the store keeps, but for `stopping`,
/// which is there a paused delivery with a moment at which it was stopped.
package enum DeliveryState: String, Sendable, CaseIterable {
    /// Accepted; waits for its start or for the scheduler.
    case startPending
    /// Its target is being resolved; what is prepared is already being sent.
    case preparing
    case inProgress
    case paused
    /// An operator has stopped it: nothing more of it is sent, and what waits is being cancelled.
    case stopping
    case stopped
    case finished
    /// Nothing could be sent and nothing will be.
    case failed

    /// Nothing more of it is sent.
    package var isFinal: Bool { self == .stopped || self == .finished || self == .failed }
}

/// The counts of a delivery. At every commit `targeted = pending + retrying + sent + failed + cancelled`.
package struct DeliveryCounts: Equatable, Sendable {
    package var targeted = 0
    package var excluded = 0
    package var pending = 0
    package var retrying = 0
    package var sent = 0
    package var failed = 0
    package var cancelled = 0
    package init() {}
    package var isBalanced: Bool { targeted == pending + retrying + sent + failed + cancelled }
}

/// A delivery as the store has it.
package struct Delivery: Equatable, Sendable {
    package var id: DeliveryID
    package var order: DeliveryOrder
    package var state: DeliveryState
    package var counts: DeliveryCounts
    package var createdAt: WallTime
    package var startedAt: WallTime?
    package var finishedAt: WallTime?
    /// The moment after which nothing of it is sent: the start and ``DeliverySchedule/sendingSeconds``.
    package var expiresAt: WallTime

    package init(
        id: DeliveryID, order: DeliveryOrder, state: DeliveryState, counts: DeliveryCounts,
        createdAt: WallTime,
        startedAt: WallTime?, finishedAt: WallTime?, expiresAt: WallTime
    ) {
        self.id = id
        self.order = order
        self.state = state
        self.counts = counts
        self.createdAt = createdAt
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.expiresAt = expiresAt
    }
}
