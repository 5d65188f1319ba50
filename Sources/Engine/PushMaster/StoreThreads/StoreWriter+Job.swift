package import PushModel
package import PushStore
internal import PushSystem

extension StoreWriter {
    package enum Job: Sendable {
        case record(RecordJob)
        /// The gateway knows the device of this message under another token.
        case rename(MessageID, String)
        /// Rows of the delivery cannot be read. No further messages from it may be found.
        case hold(DeliveryID, why: String)
        /// The delivery was put on hold in the store, and the loop was notified. The release must also be
        /// reported, however soon it happens.
        case held(DeliveryID)
        /// Messages that a lost child had and that must not be sent again.
        case failRange(PartID, DeliveryID, ClosedRange<MessageID>)
        case failMessages([MessageID], DeliveryID)
        /// Answers from settled spans that are not written together with a record.
        case count([AccountAnswers])
        /// The account has nothing more to send for now, so no further evidence about it will arrive.
        case rests(AccountKey)
        /// The report of a feedback service about these apps' devices.
        case feedback([AppID], [RetiredToken])
        /// The end of a feedback service's report, and whether the report was complete.
        case feedbackEnded([AppID], isWhole: Bool)
        /// The wall clock jumped. No message may expire before the given moment.
        case postponeExpiry(until: MonotonicTime)
        /// The judgements from the transactions that record answers.
        case judged([AccountJudgement])
        /// The result of a unit of preparation.
        case prepared(PreparationEnd, of: Int)
        /// Use these settings from now on.
        case reconfigure(MasterSettings)
        /// This delivery was paused or resumed. Report its state to the loop.
        case lookAtPause(DeliveryID)
        /// This delivery was stopped, and no child has messages of it. End its waiting messages.
        case cancelStopped(DeliveryID)
        /// Several hosts share the store. Report the paused and stopped deliveries to the loop, and report
        /// that they were checked after this moment of the store's clock.
        case lookAround(asOf: Int64)
        /// The store was changed. Look for work now.
        case look
        /// Answer with ``LoopEvent/turned(_:)``.
        case ping
        /// Make no attempt to write after this moment. Sent when the shutdown begins, and again if its
        /// deadline becomes earlier.
        case lastTry(by: MonotonicTime)
        /// Finish the queued work, then end.
        case stop
        /// End immediately and write nothing more, because the store's files are no longer the files that
        /// were opened.
        case abandon
    }

    /// Outcomes from one child that must be committed before its credit returns.
    package struct RecordJob: Sendable {
        package var child: ChildID
        package var batches: [OutcomeBatch]
        package var settlements: [Settlement]
        /// The time from which the due times of retries were calculated.
        package let decided: WallTime
        /// The entries for the delivery log; empty if there is no delivery log.
        let attempts: [AttemptGroup]
        /// When the child received the first of the outcomes; `nil` if the child did not report this moment.
        package let answered: MonotonicTime?
        package init(
            child: ChildID, batches: [OutcomeBatch], settlements: [Settlement],
            decided: WallTime = Clocks.wall(), attempts: [AttemptGroup] = [],
            answered: MonotonicTime? = nil
        ) {
            self.child = child
            self.batches = batches
            self.settlements = settlements
            self.decided = decided
            self.attempts = attempts
            self.answered = answered
        }
    }

    package enum PreparationEnd: Sendable {
        /// There may be more to prepare.
        case more
        case nothing
        /// The unit could not be written. The error was reported.
        case failed
    }
}
