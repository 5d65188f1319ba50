internal import PushConnectors
package import PushModel
package import PushStore
internal import PushWire

/// Sends failed messages of a delivery again, in transactions of at most 5 000 rows. Attempts and ids are
/// kept, the delivery is reopened, and its validity starts again. Messages that an interruption leaves out
/// are still in the state `failed`; the next identical request finds them.
///
/// As in the statistics, a message counts as failed if it was refused, or if it was tried without success
/// until its validity ended. A message that was cancelled before its first attempt did not fail. A message is
/// left unchanged if its subscription was deleted, is in quarantine or is disabled. A message that was itself
/// at fault is also left unchanged, unless the request names its reason. The job is refused while a storm of
/// answers to this delivery is undecided, and if no message can be sent again.
package struct RetryFailed: Job {
    package static let name = "delivery.retry"
    package static let operation = Operation(
        .post, "/deliveries/{id}/retry-failed", .send, "Sends a delivery's failed messages again.",
        status: 202)
    package static let members: [Member<Self>] = [
        .delivery(\.id),
        .field(
            \.reason, "reason",
            """
            Send only messages that failed for this reason, as stated by the gateway or Campaign. If it \
            is absent, all failed messages are sent.
            """
        ),
    ]
    package static let example = #"{"reason": "Unregistered"}"#
    package var auditText: AuditText? { .of("\(id)" + (reason.map { ": \($0)" } ?? "")) }

    package private(set) var id = DeliveryID(rawValue: 0)
    package private(set) var reason: String?

    package init() {}
    package init(id: DeliveryID, reason: String? = nil) {
        self.id = id
        self.reason = reason
    }

    package func perform(in operations: Operations, watchedBy watch: Watch<JobProgress<RetriedFailures>>)
        throws
        -> RetriedFailures
    {
        let delivery = try checked(in: operations)
        let now = operations.clock.moment()
        let seconds = try operations.store.deliveries.delivery(id)?.order.schedule.sendingSeconds ?? 0
        let deadline = now.time.advanced(bySeconds: seconds)
        var retry = RetryOfFailed(
            delivery: id, permanentReasons: MessageReasons.words, expiresAt: deadline,
            wordOfReason: { ReasonText.word(of: $0) })
        if let reason {
            retry.word = reason
            retry.failureReason = FailureReason.allCases.first { $0.label == reason }
            // A caller that names the reason has fixed its cause, whatever it is.
            retry.permanentReasons = []
        }
        var throttle = BulkWriteThrottle(operations)
        var cursor = FailedMessages.Cursor()
        var sum = RetriedMessages()
        while let step = try operations.store.failedMessages.retry(retry, &cursor, at: now) {
            sum += step
            watch.report(
                JobProgress(
                    RetriedFailures(id, sum, until: max(deadline, delivery.expiresAt)), done: sum.found,
                    of: reason == nil ? max(sum.found, delivery.counts.failed) : nil))
            if watch.isCancelled() { operations.engine.wakeUp() }
            try watch.proceed()
            throttle.pause()
        }
        guard sum.retried > 0 else { throw OperationError.refused(try why(sum, delivery, in: operations)) }
        operations.engine.wakeUp()
        return RetriedFailures(id, sum, until: max(deadline, delivery.expiresAt))
    }

    package func check(in operations: Operations) throws { _ = try checked(in: operations) }

    private func checked(in operations: Operations) throws -> DeliverySummary {
        let delivery = try operations.requireDelivery(id)
        if let removed = delivery.removed {
            throw StoreError(.messagesRemoved(id, on: removed.dayText), path: operations.store.path)
        }
        guard !delivery.isMiscounted else {
            throw OperationError.refused(
                "counters of delivery \(id) are damaged; first recount it: \(see: RecountDelivery.self)")
        }
        guard delivery.counts.failed > 0 else {
            throw OperationError.refused(
                "delivery \(id) has no failed message; \(see: ShowDelivery(id: id)) shows its counts")
        }
        guard delivery.state != .stopped, delivery.state != .stopping else {
            throw OperationError.refused(
                "delivery \(id) was stopped, so none of its messages can be sent again; submit a new delivery"
            )
        }
        if let storm = try ShowDeliveryStorms(id: id).perform(in: operations).storms.first {
            throw OperationError.refused(
                "a storm of rejected tokens that awaits a decision includes failures of delivery \(id): "
                    + "first confirm or discard \"\(storm)\", which \(see: ShowStorms.self) shows")
        }
        return delivery
    }

    private func why(_ sum: RetriedMessages, _ delivery: DeliverySummary, in operations: Operations) throws
        -> String
    {
        if sum.found == 0, let reason {
            let reasons = try operations.store.deliveries.reasons(of: id).counts.filter {
                $0.state == .failed
            }
            let words = Set(reasons.flatMap { [$0.reason?.label ?? "", $0.text] }).subtracting([""]).sorted()
            let list = words.prefix(10).map { "\"\($0)\"" }.joined(separator: ", ")
            return
                "no message of delivery \(id) failed for \"\(reason.prefix(64))\"; the reasons are: \(list)"
        }
        let left = RetriedFailures(id, sum, until: delivery.expiresAt).left
        return "no failed message of delivery \(id) can be sent again: " + left.joined(separator: "; ")
    }
}

/// The results for failed messages that were to be sent again.
package struct RetriedFailures: View, Equatable {
    package var delivery: DeliveryID
    /// The number of messages that are sent again.
    package var retried: Int
    /// The number of messages that are not sent again because their subscription is in quarantine or
    /// disabled.
    package var excluded: Int
    /// The number of messages that are not sent again because their subscription was removed.
    package var gone: Int
    /// The number of messages that are not sent again because the gateway found fault with the message
    /// itself.
    package var hopeless: Int
    /// The moment after which no message of the delivery is sent.
    package var expiresAt: WallTime

    init(_ delivery: DeliveryID, _ sum: RetriedMessages, until expiresAt: WallTime) {
        self.delivery = delivery
        retried = sum.retried
        excluded = sum.excluded
        gone = sum.gone
        hopeless = sum.hopeless
        self.expiresAt = expiresAt
    }

    /// The reasons why messages were left unchanged, one phrase each.
    package var left: [String] {
        [
            (excluded, "to subscribers in quarantine or disabled, which must be released first"),
            (gone, "to subscribers that were removed"),
            (
                hopeless,
                "that the gateway rejected as faulty; to send these, select them by their reason"
            ),
        ].filter { $0.0 > 0 }.map { "\(Numerals.grouped($0.0)) \($0.1)" }
    }
}
