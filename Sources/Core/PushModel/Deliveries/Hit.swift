/// What a device reports of a message. Raw values are the tags of `/r/`, and stand in columns.
package enum HitKind: Int64, Sendable, CaseIterable {
    /// The message was received.
    case received = 1
    /// It was clicked, and so it was received.
    case clicked = 2
}

/// One report of a device, as it came: whether there is such a message must be looked up.
package struct TrackingHit: Equatable, Sendable {
    package enum Message: Equatable, Sendable {
        case uuid(OpaqueID)
        /// The 64 bits of an integer. Of one that needs more than 32, iOS sends the low 32 alone; a negative
        /// one comes as two's complement of 32 bits, or of 64. The ids that we give need 31.
        case integer(UInt64)
    }
    package var message: Message
    package var delivery: DeliveryID
    package var kind: HitKind

    package init(message: Message, delivery: DeliveryID, kind: HitKind) {
        self.message = message
        self.delivery = delivery
        self.kind = kind
    }
}
