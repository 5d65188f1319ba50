package import PushModel

/// A device's report about an existing message.
package struct HitRecord: Equatable, Sendable {
    package var delivery: DeliveryID
    package var message: MessageID
    /// The number of the message within the delivery.
    package var number: Int64
    package var app: AppID
    package var kind: HitKind
    package var at: WallMoment

    package init(
        delivery: DeliveryID, message: MessageID, number: Int64, app: AppID, kind: HitKind, at: WallMoment
    ) {
        self.message = message
        self.delivery = delivery
        self.number = number
        self.app = app
        self.kind = kind
        self.at = at
    }
}

/// The result of a report.
package enum HitEnd: Equatable, Sendable {
    /// The report counts, because no earlier report stated the same about the message.
    case first
    /// The reported fact was known already. Such reports are only counted.
    case repeated
    /// The messages of the delivery have been removed since they were looked up.
    case removed
}
