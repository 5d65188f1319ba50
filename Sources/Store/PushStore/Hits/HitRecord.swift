package import PushModel

/// A device's report of a message that there is.
package struct HitRecord: Equatable, Sendable {
    package var delivery: DeliveryID
    package var message: MessageID
    /// The message's, within the delivery.
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

/// What became of a report.
package enum HitEnd: Equatable, Sendable {
    /// It counts: nobody had said so of this message.
    case first
    /// It was known; how often it was said is kept.
    case repeated
    /// The messages of the delivery have been removed since they were looked up.
    case removed
}
