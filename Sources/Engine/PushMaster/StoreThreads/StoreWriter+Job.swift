package import PushModel
package import PushStore
internal import PushSystem

extension StoreWriter {
    package enum Job: Sendable {
        case record(RecordJob)
        /// The gateway knows the device of this message by another token.
        case rename(MessageID, String)
        /// Its rows cannot be read: nothing more of it is to be found.
        case hold(DeliveryID, why: String)
        /// That is written, and the loop knows: its release is to be told, however soon it comes.
        case held(DeliveryID)
        /// Messages that a lost child had and that are not to be sent again.
        case failRange(PartID, DeliveryID, ClosedRange<MessageID>)
        case failMessages([MessageID], DeliveryID)
        /// Answers of settled spans that no record takes along.
        case count([AccountAnswers])
        /// The account has nothing more to send for now: what its answers say is all there is.
        case rests(AccountKey)
        /// What a feedback service said of these apps' devices.
        case feedback([AppID], [RetiredToken])
        /// It said nothing more; whether that was all it had.
        case feedbackEnded([AppID], isWhole: Bool)
        /// The wall clock jumped: end no validity before then.
        case postponeExpiry(until: MonotonicTime)
        /// What was judged in the transactions that record answers.
        case judged([AccountJudgement])
        /// What became of a unit of preparation.
        case prepared(PreparationEnd, of: Int)
        /// Go by these settings from now on.
        case reconfigure(MasterSettings)
        /// This delivery was paused, or goes on: tell the loop which.
        case lookAtPause(DeliveryID)
        /// This delivery was stopped, and nothing of it is with a child: end what waits of it.
        case cancelStopped(DeliveryID)
        /// Hosts share the store: tell the loop what was paused and stopped, and that it was looked for after
        /// this moment of the store's clock.
        case lookAround(asOf: Int64)
        /// Somebody changed the store: look for work now.
        case look
        /// Answer ``LoopEvent/turned(_:)``.
        case ping
        /// When the order to stop comes, or has come: no try after this moment.
        case lastTry(by: MonotonicTime)
        /// Finish what is queued, then end.
        case stop
        /// End at once and write nothing more: the store's files are not those that were opened.
        case abandon
    }

    /// Outcomes of one child that are to be committed before its credit returns.
    package struct RecordJob: Sendable {
        package var child: ChildID
        package var batches: [OutcomeBatch]
        package var settlements: [Settlement]
        /// What retries' due times were reckoned from.
        package let decided: WallTime
        /// For the delivery log; empty where there is none.
        let attempts: [AttemptGroup]
        /// When the child knew the first of them; nil: it did not say.
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
        /// There may be more.
        case more
        case nothing
        /// It could not be written; somebody was told.
        case failed
    }
}
