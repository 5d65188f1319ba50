internal import PushModel
internal import PushStore

/// Messages of a delivery that were sent again, so that they may have arrived more than once.
///
/// A gateway that closes without an answer leaves it open what arrived. The store keeps how often each message was
/// tried, not how each attempt ended: so of those that were sent after more than one attempt, most were refused before.
/// **Not counted** is what was in the hands of a child or a master that died: it made no attempt that is on disk. A
/// child's death is in the log with that number (`messages without an outcome`); a master's leaves at most what `status`
/// last called unrecorded.
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
