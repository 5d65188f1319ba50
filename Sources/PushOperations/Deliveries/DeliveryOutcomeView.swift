package import PushModel
internal import PushStore

/// Why messages of a delivery were not sent, as it is shown.
package struct DeliveryOutcomeView: Codable, Equatable, Sendable {
    package struct Reason: View, Equatable {
        /// Campaign's reason; empty: none.
        package var failureReason: String
        /// The gateway's word, or ours.
        package var providerReason: String
        package var count: Int
    }

    /// The most frequent first.
    package var failures: [Reason]
    package var exclusions: [Reason]
    /// When the next of those that are retrying is due; nil: none is.
    package var nextRetryAt: WallTime?
    /// Accounts of its apps whose answers wait for a judgement.
    package var storms: [String]
    /// Verdicts about tokens that answers to it gave and that wait; of their accounts all that wait.
    package var waitingVerdicts: [WaitingVerdictsView]

    init(of delivery: DeliverySummary, in operations: Operations) throws {
        let reasons = try operations.store.deliveries.reasons(of: delivery.id)
        failures = Self.reasons(reasons, .failed)
        exclusions = Self.reasons(reasons, .excluded)
        nextRetryAt = reasons.nextRetry
        storms = try ShowDeliveryStorms(id: delivery.id).perform(in: operations).storms
        waitingVerdicts = try WaitingVerdictsView.all(of: delivery.id, in: operations)
    }

    private static func reasons(_ reasons: DeliveryReasons, _ state: MessageState) -> [Reason] {
        reasons.counts.filter { $0.state == state }.map {
            Reason(failureReason: $0.reason?.label ?? "", providerReason: $0.text, count: $0.count)
        }
    }
}
