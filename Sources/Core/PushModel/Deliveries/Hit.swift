/// The kind of a device's report about a message. Raw values are the tags of `/r/` and are stored in columns.
package enum HitKind: Int64, Sendable, CaseIterable {
    /// The message was received.
    case received = 1
    /// The message was clicked, and therefore received.
    case clicked = 2
}

/// A report from a device, as received. Whether the message exists must be looked up.
package struct TrackingHit: Equatable, Sendable {
    package enum Message: Equatable, Sendable {
        case uuid(OpaqueID)
        /// The 64 bits of an integer. If it needs more than 32 bits, iOS sends only the low 32. A negative
        /// integer arrives as two's complement of 32 or 64 bits. The ids that the engine issues need 31 bits.
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
