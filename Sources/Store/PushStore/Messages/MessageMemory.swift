internal import PushModel

/// What was true of the store after the last commit, so that it need not be asked for each message. What is not
/// true any more is found out where it is used.
struct MessageMemory: Sendable {
    /// Which content it is: what the same of it share.
    struct ContentKey: Hashable, Sendable {
        var delivery: DeliveryID
        var revision: AppRevisionID
        /// In seconds since 1970.
        var end: Int64
        var digest: [UInt8]
    }
    struct Binding: Hashable, Sendable {
        var delivery: DeliveryID
        var addressee: NewMessage.Addressee
    }

    private static let mostDeliveries = 1_000
    private static let mostContents = 2_000

    var deliveries: [OpenDeliveries.Key: DeliveryID] = [:]
    var contents: [ContentKey: MessageContentID] = [:]
    var bindings: Set<Binding> = []

    /// Begins anew rather than to grow without end.
    mutating func learn(_ other: MessageMemory) {
        if deliveries.count + other.deliveries.count > Self.mostDeliveries {
            (deliveries, bindings) = ([:], [])
        }
        if contents.count + other.contents.count > Self.mostContents { contents = [:] }
        deliveries.merge(other.deliveries) { $1 }
        contents.merge(other.contents) { $1 }
        bindings.formUnion(other.bindings)
    }
}
