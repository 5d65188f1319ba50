package import PushModel

/// What one call of ``OutcomeWriter/failLost(_:of:at:)-(ClosedRange<MessageID>,_,_)`` did.
package struct LostStep: Equatable, Sendable {
    /// Messages that still waited and have failed now.
    package var failed = 0
    /// Whether the delivery ended with them.
    package var isFinished = false
    package init() {}
}

extension OutcomeWriter {
    /// What the log says of a message whose child was lost, where lost ones are not sent again.
    static let lostReason = "(child lost)"

    /// Fails as unreachable what is still pending of the messages that a lost child was granted: nobody knows whether it
    /// sent them, nor which of them it had given back. An acceptance that comes to light later is still recorded.
    /// - Parameter messages: of one part of the delivery, at most ``maximumRows``; a longer range is refused.
    package func failLost(
        _ messages: ClosedRange<MessageID>, of delivery: DeliveryID, at now: WallMoment
    ) throws(StoreError) -> LostStep {
        let (distance, isHuge) = messages.upperBound.rawValue
            .subtractingReportingOverflow(messages.lowerBound.rawValue)
        return try failLost(of: delivery, count: isHuge ? .max : Int(min(distance, .max - 1)) + 1, at: now) {
            ledger in
            try ledger.lose(messages, from: .pending, because: Self.lostReason)
        }
    }

    /// The same for retries, which are no range: what still is due of them.
    package func failLost(
        _ messages: [MessageID], of delivery: DeliveryID, at now: WallMoment
    ) throws(StoreError) -> LostStep {
        try failLost(of: delivery, count: messages.count, at: now) { ledger in
            for run in OutcomeLedger.runs(of: messages) {
                try ledger.lose(run.messages, from: .retrying, because: Self.lostReason)
            }
        }
    }

    private func failLost(
        of delivery: DeliveryID, count: Int, at now: WallMoment, _ body: (inout OutcomeLedger) throws -> Void
    ) throws(StoreError) -> LostStep {
        guard count <= Self.maximumRows else {
            let what = "one call fails at most \(Self.maximumRows) lost messages, not \(count)"
            throw StoreError(.limitReached(what: what), path: connection.path)
        }
        return try connection.write("fail lost messages", of: delivery) { db in
            var ledger = try OutcomeLedger(delivery, at: now.time, db)
            try body(&ledger)
            try ledger.writeCounters(db)
            var step = LostStep()
            step.failed = ledger.tally.failed
            if ledger.changedAnything { step.isFinished = try DeliveryEnd.finishIfDone(delivery, at: now, db) }
            return step
        }
    }
}
