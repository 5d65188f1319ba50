internal import PushModel
internal import PushStore

/// Messages of a delivery that may have arrived more than once, at most.
///
/// A gateway that closes without an answer leaves it open what arrived. The store keeps how often each message was
/// tried, not how each attempt ended: so those that were sent after more than one attempt are an upper bound.
enum PossibleDuplicates {
    /// Reads the whole log, page by page.
    static func count(of delivery: DeliveryID, in deliveries: DeliveryReader) throws(StoreError) -> Int {
        var count = 0
        var last: MessageID?
        while true {
            let page = try deliveries.log(of: delivery, after: last)
            guard let end = page.last else { return count }
            count += page.count { $0.state == .sent && $0.attempts > 1 }
            last = end.message
        }
    }
}
