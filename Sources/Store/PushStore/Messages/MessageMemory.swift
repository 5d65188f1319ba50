internal import PushModel

/// Facts about the store after the last commit, kept in memory so that the store need not be queried for each
/// message. Outdated entries are detected when they are used.
struct MessageMemory: Sendable {
    /// The identity of a content. Messages with the same key share a content.
    struct ContentKey: Hashable, Sendable {
        var delivery: DeliveryID
        var revision: AppRevisionID
        /// The end of validity, in seconds since 1970.
        var end: Int64
        var digest: [UInt8]
    }
    struct Binding: Hashable, Sendable {
        var delivery: DeliveryID
        var addressee: NewMessage.Addressee
    }

    private static let maxDeliveries = 1_000
    private static let maxContents = 2_000

    var deliveries: [OpenDeliveries.Key: DeliveryID] = [:]
    var contents: [ContentKey: MessageContentID] = [:]
    var bindings: Set<Binding> = []

    /// Adds new entries. If there would be too many, the earlier entries are removed first.
    mutating func learn(_ other: MessageMemory) {
        if deliveries.count + other.deliveries.count > Self.maxDeliveries {
            (deliveries, bindings) = ([:], [])
        }
        if contents.count + other.contents.count > Self.maxContents { contents = [:] }
        deliveries.merge(other.deliveries) { $1 }
        contents.merge(other.contents) { $1 }
        bindings.formUnion(other.bindings)
    }
}
