/// A contiguous range of messages of one delivery and one app, prepared in one transaction and not yet known
/// to be dealt with.
package struct Part: Equatable, Sendable {
    package var id: PartID
    package var delivery: DeliveryID
    package var app: AppID
    /// First and last message of the range; every message between them belongs to the part.
    package var messages: ClosedRange<MessageID>
    /// The ordinal within the delivery of the first message, from 1; the others follow.
    package var firstOrdinal: Int64
    /// What its messages say.
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

    /// The message's number within its delivery.
    package func ordinal(of message: MessageID) -> Int64 {
        firstOrdinal + message.rawValue - messages.lowerBound.rawValue
    }
}
