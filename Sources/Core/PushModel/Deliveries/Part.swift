/// A contiguous range of messages of one delivery and one app, prepared in one transaction and not yet known
/// to be finished.
package struct Part: Equatable, Sendable {
    package var id: PartID
    package var delivery: DeliveryID
    package var app: AppID
    /// The first and last message of the range. Every message between them belongs to the part.
    package var messages: ClosedRange<MessageID>
    /// The first message's ordinal within the delivery, from 1. The other messages have the ordinals that
    /// follow it.
    package var firstOrdinal: Int64
    /// The content of the part's messages.
    package var content: MessageContentID

    package init(
        id: PartID, delivery: DeliveryID, app: AppID, messages: ClosedRange<MessageID>, firstOrdinal: Int64,
        content: MessageContentID = .ofDelivery
    ) {
        self.id = id
        self.delivery = delivery
        self.app = app
        self.messages = messages
        self.firstOrdinal = firstOrdinal
        self.content = content
    }

    /// Returns the message's number within its delivery.
    package func ordinal(of message: MessageID) -> Int64 {
        firstOrdinal + message.rawValue - messages.lowerBound.rawValue
    }
}
