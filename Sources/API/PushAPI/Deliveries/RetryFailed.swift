internal import PushConnectors
package import PushModel
package import PushStore
internal import PushWire

/// Sends failed messages of a delivery again, in transactions of at most 5 000 rows: attempts and ids are
/// kept, the delivery is open again, and its validity begins anew. What an interruption leaves has failed
/// still; the same again finds it.
///
/// Messages count as failed as the statistics have them: refused, or tried in vain until their validity
/// ended. What was cancelled untried did not fail. Left as they are: those whose subscription has gone, is in
/// quarantine or disabled, and those that were themselves at fault, unless their reason is named. Refused
/// while a storm of this delivery's answers is undecided, and where nothing can be sent again.
package struct RetryFailed: Job {
    package static let name = "delivery.retry"
    package static let operation = Operation(
        .post, "/deliveries/{id}/retry-failed", .send, "Sends failed messages of a delivery again.",
        status: 202)
    package static let members: [Member<Self>] = [
        .delivery(\.id),
        .field(
            \.reason, "reason",
            "Only messages that failed for this reason, in the gateway's words or Campaign's. Absent: all."),
    ]
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
            delivery: id, hopelessWords: MessageReasons.words, expiresAt: deadline,
            wordOfReason: { GatewayWords.word(of: $0) })
        if let reason {
            retry.word = reason
            retry.failureReason = FailureReason.allCases.first { $0.label == reason }
            // Who names the reason has mended it, whatever it is.
            retry.hopelessWords = []
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
            if watch.isCancelled() { operations.engine.nudge() }
            try watch.proceed()
            throttle.pause()
        }
        guard sum.retried > 0 else { throw OperationError.refused(try why(sum, delivery, in: operations)) }
        operations.engine.nudge()
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
                "figures of delivery \(id) are damaged: first count again: \(see: RecountDelivery.self)")
        }
        guard delivery.counts.failed > 0 else {
            throw OperationError.refused(
                "delivery \(id) has no failed message; \(see: ShowDelivery(id: id)) has its counts")
        }
        guard delivery.state != .stopped, delivery.state != .stopping else {
            throw OperationError.refused(
                "delivery \(id) was stopped, and nothing of it is sent again; submit what is to be sent as a new one"
            )
        }
        if let storm = try ShowDeliveryStorms(id: id).perform(in: operations).storms.first {
            throw OperationError.refused(
                "a storm of bad tokens waits for a decision, and failures of delivery \(id) are among them: "
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
            return "no message of delivery \(id) failed for \"\(reason.prefix(64))\"; there are: \(list)"
        }
        let left = RetriedFailures(id, sum, until: delivery.expiresAt).left
        return "nothing that failed of delivery \(id) can be sent again: " + left.joined(separator: "; ")
    }
}

/// What became of failed messages that were to be sent again.
package struct RetriedFailures: View, Equatable {
    package var delivery: DeliveryID
    /// Sent again.
    package var retried: Int
    /// Of those that are not: subscriptions in quarantine or disabled.
    package var excluded: Int
    /// Of those that are not: subscriptions that were removed.
    package var gone: Int
    /// Of those that are not: the gateway found fault with the message itself.
    package var hopeless: Int
    /// The moment after which nothing of the delivery is sent.
    package var expiresAt: WallTime

    init(_ delivery: DeliveryID, _ sum: RetriedMessages, until expiresAt: WallTime) {
        self.delivery = delivery
        retried = sum.retried
        excluded = sum.excluded
        gone = sum.gone
        hopeless = sum.hopeless
        self.expiresAt = expiresAt
    }

    /// Why messages were left as they are, a phrase each.
    package var left: [String] {
        [
            (excluded, "of subscribers in quarantine or disabled, which a release ends"),
            (gone, "of subscribers that were removed"),
            (hopeless, "with which the gateway found fault itself; with a reason they are sent again"),
        ].filter { $0.0 > 0 }.map { "\(Numerals.grouped($0.0)) \($0.1)" }
    }
}
