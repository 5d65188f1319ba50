internal import PushModel
internal import PushStore

/// Messages of a delivery that were sent again, so that they may have arrived more than once.
///
/// A gateway that closes without an answer leaves it open what arrived. The store keeps how often each
/// message was tried, not how each attempt ended: so of those that were sent after more than one attempt,
/// most were refused before.
/// **Not counted** is what was in the hands of a child or a master that died: it made no attempt that is on
/// disk. A child's death is in the log with that number (`messages without an outcome`); a master's leaves at
/// most what `status` last called unrecorded.
enum PossibleDuplicates {
    /// Costs what there is of messages that were tried more than once, not of messages.
    static func count(of delivery: DeliveryID, in deliveries: DeliveryReader) throws(StoreError) -> Int {
        try deliveries.sentAfterSeveralAttempts(delivery)
    }
}
