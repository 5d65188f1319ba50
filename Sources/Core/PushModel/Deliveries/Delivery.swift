package enum DeliveryPriority: String, Sendable, CaseIterable {
    case veryLow, low, normal, high, veryHigh

    /// The position in the order of priorities, from 0, which is the lowest.
    package var rank: Int {
        switch self {
        case .veryLow: 0
        case .low: 1
        case .normal: 2
        case .high: 3
        case .veryHigh: 4
        }
    }

    /// Whether the priority is above normal: a part of every capacity is reserved for such deliveries.
    package var isUrgent: Bool { rank > Self.normal.rank }

    /// Returns the part of a capacity that is granted only to priorities above normal.
    package static func reserve(of capacity: Int) -> Int { capacity / 8 }
}

package struct DeliverySchedule: Equatable, Sendable {
    /// The earliest time; `nil` means immediately.
    package var start: WallTime?
    /// The validity in seconds from the start. Campaign's default is five days. 0 means now or never: each
    /// message has one attempt, and its gateway does not keep it for a device that is unavailable.
    package var validitySeconds: Int64 = 5 * 86_400
    package var priority: DeliveryPriority = .normal
    /// The maximum number of requests that may be started per second; 0 means unlimited.
    package var ratePerSecond: Int = 0
    /// The number of days that messages are kept after the end of the delivery. 0 means forever; `nil` means
    /// that `nmac/@retentionDays` applies.
    package var retentionDays: Int?
    /// When each part of the target is sent; `nil` means that the whole target is sent at the start.
    package var calendar: DeliveryCalendar?
    package static let maxRetentionDays = 3_650
    package init() {}

    package var isNowOrNever: Bool { validitySeconds == 0 }
    /// How long after the start messages can be sent, in seconds. Even in a "now or never" delivery, the only
    /// attempt at a message may have to wait: the last messages of a long delivery are sent minutes after the
    /// first.
    package var sendingSeconds: Int64 { isNowOrNever ? Self.nowOrNeverSeconds : validitySeconds }
    /// One hour, which is enough for ten million messages at a few thousand a second.
    package static let nowOrNeverSeconds: Int64 = 3_600
}

/// Overrides of `nmac/retry` for one delivery. If a member is `nil`, the setting applies.
package struct RetryOverride: Equatable, Sendable {
    package var count: Int?
    package var periodSeconds: Int64?
    package init(count: Int? = nil, periodSeconds: Int64? = nil) {
        self.count = count
        self.periodSeconds = periodSeconds
    }
}

/// A delivery that has passed every check but is not in the store yet.
package struct DeliveryOrder: Equatable, Sendable {
    package var label: String
    package var service: ServiceID
    package var apps: [AppID]
    package var target: Target
    package var schedule: DeliverySchedule
    package var retry: RetryOverride
    /// Whether messages carry `_mId` and `_dId`.
    package var tracking: Bool
    /// The `content` object of the delivery document as JSON. The store keeps it, and a child compiles it.
    package var contentJSON: [UInt8]
    /// The template from which the content was created; `nil` if there is none.
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

/// The state of a delivery. The API shows the raw values, and the store keeps them. The only exception is
/// `stopping`: the store keeps such a delivery as paused, with the time at which it was stopped.
package enum DeliveryState: String, Sendable, CaseIterable {
    /// Accepted, and waiting for its start or for the scheduler.
    case startPending
    /// The target is being resolved. Prepared messages are already being sent.
    case preparing
    case inProgress
    case paused
    /// An operator has stopped the delivery: no more messages are sent, and waiting ones are being cancelled.
    case stopping
    case stopped
    case finished
    /// Nothing could be sent, and nothing will be sent.
    case failed

    /// Whether no more messages of the delivery are sent.
    package var isFinal: Bool { self == .stopped || self == .finished || self == .failed }
}

/// The counts of a delivery. At every commit, `targeted = pending + retrying + sent + failed + cancelled`.
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

/// A delivery as stored.
package struct Delivery: Equatable, Sendable {
    package var id: DeliveryID
    package var order: DeliveryOrder
    package var state: DeliveryState
    package var counts: DeliveryCounts
    package var createdAt: WallTime
    package var startedAt: WallTime?
    package var finishedAt: WallTime?
    /// The time after which no messages of the delivery are sent: the start plus
    /// ``DeliverySchedule/sendingSeconds``.
    package var expiresAt: WallTime
    /// The number of listed recipients that no subscriber of the delivery's apps has; `nil` if the target
    /// lists none, if the delivery is not prepared, or if they were not counted.
    package var unknownRecipients: Int?
    /// The number of subscriptions that were found by the listed recipients; `nil` if it is not known.
    package var listedDevices: Int?

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
