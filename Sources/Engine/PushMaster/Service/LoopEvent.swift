package import PushModel
package import PushSchedule
package import PushStore
package import PushWire

/// The events that the master's other threads send to its loop.
package enum LoopEvent: Sendable {
    // From the writer.
    /// Everything in a record job is on disk.
    /// - Parameter latency: The latency of its outcomes, since the first of them was answered.
    case committed(ChildID, [Settlement], latency: CommitLatency? = nil)
    /// Chunks of deliveries were prepared, in this order.
    case prepared([PreparedPart])
    case finished([DeliveryID])
    /// Messages that were given up have ended.
    case lostFailed([MessageID])
    /// Most answers to this app's part of an account report bad tokens. Its verdicts are held.
    case storm(AccountKey, AccountAnswers)
    /// All storms about which no operator has decided.
    case storms(Set<AccountKey>)
    /// The result of reading a feedback service: a line for each change, and totals for tokens that changed
    /// nothing.
    case feedbackApplied([String])
    /// Data that was kept long enough was removed. The text is a log line.
    case removed(String)
    /// The number of deliveries that are held because a backup was restored has changed to this value.
    case restored(Int)
    /// The store's table of message numbers was damaged, as described by the text, and was rewritten.
    case numbersMended(String)
    /// The store could not be written or read. The pending writes are kept and tried again.
    case storeTrouble(String)
    case storeRecovered
    /// Rows of this delivery are damaged. Its messages are no longer prepared or found. May be sent
    /// repeatedly.
    case damaged(DeliveryID, why: String)
    /// An operator has paused the delivery. Its messages are no longer found. May be sent repeatedly.
    case deliveryPaused(DeliveryID)
    /// The delivery is not paused, although it may have been a moment ago. Its waiting messages can be found
    /// again.
    case deliveryResumed(DeliveryID)
    /// An operator has stopped the delivery. Its messages are no longer found, and the waiting ones must be
    /// ended. May be sent repeatedly.
    case deliveryStopped(DeliveryID)
    /// The delivery's validity is over, and the given number of its messages could not be read.
    case endedWithLosses(DeliveryID, lost: Int)
    /// These deliveries were repaired. Their waiting messages can be found again.
    case released([DeliveryID])
    /// Parts that were held until a given time are due and can be found.
    case partsDue
    /// The orders that any process, including this one, wrote since the last poll.
    case accountsResumed([ResumeOrder])
    /// The writer has polled the store. Another process may have written parts, whose numbers follow all
    /// known ones.
    /// - Parameter hasChanged: Whether parts with lower numbers may have become due as well.
    case polled(hasChanged: Bool)
    /// A guarantee of this program was broken.
    case engineFault(EngineFault)
    /// Data that belongs to no delivery could not be written.
    case setAside(String)
    /// A thread of the store has returned to its mailbox, in answer to a ``StoreWriter/Job/ping``.
    case turned(StoreThread)

    // From the reader. Definitions always precede their first use.
    case account(AccountID, AccountDefinition)
    /// The app was changed. Its messages go through this account from now on, which may be the old one.
    case appChanged(AppID, from: AccountID, to: AccountID)
    /// This app now uses this account.
    case appJoined(AppID, name: String, mark: AccountKey, AccountID)
    /// The app no longer uses this account, because it has moved to another one or was deleted.
    case appLeft(AppID, AccountID, isDeleted: Bool)
    /// No app uses this account any longer, and none will.
    case accountUnused(AccountID)
    case job(JobDefinition)
    /// No further grants of this job will be made, and no child has messages of it. It is a job of single
    /// messages.
    case jobUnused(JobID)
    /// The results of a search, and the last part that it saw.
    case parts([FoundPart], last: PartID?, hasMore: Bool)
    /// The parts of a ``StoreReader/Job/address(_:)`` that can be addressed; or the store could not be read
    /// for it.
    case addressed([FoundPart])
    case addressFailed
    /// The parts found of an app whose parts had been left out, and the part from which others may be found.
    case partsAgain(PartLedger.PartsLeftOut, [FoundPart], next: PartID?)
    case partSearchFailed
    case retriesDue([AppID: AccountID])
    /// Whether a child may have a message that was tried before.
    case found(MessageID, isHeld: Bool)
    /// These messages of a lost child must not be sent again.
    case givenUp([MessageID], of: DeliveryID)
    /// The feedback service of this account must be read for these apps.
    case feedbackDue(AccountID, [AppID])
    /// The answer to a read order; `messages` may be 0. `limited`: a delivery whose messages were skipped
    /// because the order has no allowance for it.
    case filled(ReadOrder, job: JobID?, frame: [UInt8], messages: Int, limited: DeliveryID? = nil)
    /// The messages of a read order belong to a delivery whose rate was unknown. The job was sent before.
    case withoutAllowance(GrantID)
    /// A read order could not be carried out.
    case unread(GrantID)
    /// The store could not be read. The read is tried again every second.
    case readTrouble(String)
    /// Rows of this delivery cannot be read.
    case unreadable(DeliveryID, why: String)
    /// Messages of this part cannot be addressed, because its app or credential is not available.
    case unaddressable(PartID, why: String)

    // From the disk watch.
    /// The file systems to which this process writes. Sent every few seconds.
    case disks([DiskSpace])

    // From the keeper of this host's lease.
    /// Requests may begin until the given moment, by ``Clocks/boot()``.
    case leaseRenewed(until: MonotonicTime)
    /// Other hosts consider this host dead, or another process has its place.
    case leaseLost
    /// Which hosts have parts of deliveries with a rate and of accounts with a quota.
    case held(PartHolders)
    /// This host must send nothing. It ends in an orderly way and starts again.
    case drained(why: String)
    /// This host leads from now on: it prepares, expires and removes for all hosts.
    case leads
    /// The number of hosts that are alive, including this one, at this moment of the store's clock in
    /// milliseconds. Sent each second.
    /// - Parameters:
    ///   - clockAheadSeconds: By how much this host's clock is ahead of the store's; `nil` if the two agree.
    ///   - late: Other hosts that have not renewed their leases for a while.
    case hosts(live: Int, asOf: Int64, clockAheadSeconds: Int64? = nil, late: [LateHost] = [])
    /// After that moment, the writer has checked which deliveries are paused and stopped.
    case lookedAround(asOf: Int64)

    // From outside, through ``MasterHandle``.
    case shutDown
    /// The same, in less time than the settings allow.
    case shutDownWithin(seconds: Int64)
    /// serverConf.xml was read again.
    case reconfigured(Reconfiguration)
    /// The store was changed.
    case nudge
    /// This delivery was paused or resumed.
    case pauseChanged(DeliveryID)
    /// An operator ends the wait of this account and of its refused topics.
    /// - Parameter order: The number of the ``PushStore/ResumeOrder``, which is also read from the store;
    ///   `nil` if the store has none.
    case accountResumed(AccountKey, order: Int64?)
    /// This delivery was stopped in the store, and the caller waits until no request of it can begin.
    case withdraw(DeliveryID)
    /// A caller cancelled this message in the store, and waits for the information whether a child may have
    /// it.
    case find(MessageID)
    /// A caller requests the current activity of the loop, to be published on the ``StatusBoard``.
    case statusWanted
}

/// The master's threads other than its loop.
package enum StoreThread: String, Sendable, CaseIterable {
    case reader, writer
}

/// An account with its name for the operator.
package struct AccountDefinition: Sendable {
    package var name: String
    /// The account's name together with its credential's mark, under which the store keeps its knowledge
    /// about the account.
    package var mark: AccountKey
    package var terms: AccountLimits
    package var order: AccountOrder
    /// The storms of its parts that were open when it was read.
    package var storms: Set<AccountKey>

    package init(
        name: String, mark: AccountKey, terms: AccountLimits, order: AccountOrder,
        storms: Set<AccountKey> = []
    ) {
        self.name = name
        self.mark = mark
        self.terms = terms
        self.storms = storms
        self.order = order
    }
}

/// A job with the facts that only the master needs.
package struct JobDefinition: Sendable {
    package var order: JobOrder
    package var retry: RetryOverride
    /// The app's part of the account, under which its answers are counted.
    package var mark: AccountKey
    package var appName: String
    /// The number of messages of its delivery that may begin per second, for all jobs of the delivery
    /// together. 0 means unlimited.
    package var ratePerSecond: Int
    /// Whether gateways are asked only to check its messages, without sending them to a device.
    package let validatesOnly: Bool

    package init(
        order: JobOrder, retry: RetryOverride, mark: AccountKey, appName: String = "", ratePerSecond: Int = 0,
        validatesOnly: Bool = false
    ) {
        self.ratePerSecond = ratePerSecond
        self.order = order
        self.retry = retry
        self.mark = mark
        self.appName = appName
        self.validatesOnly = validatesOnly
    }

    /// Returns the record of a message that a gateway accepted. A message that was only checked reaches no
    /// device.
    package func accepted(_ record: MessageRecord) -> MessageRecord {
        guard validatesOnly, case .sent = record.change else { return record }
        return MessageRecord(
            message: record.message, change: .excluded(.excludedByRule, why: Self.validated),
            countsAttempt: true)
    }

    /// The text about such a message in statistics.
    package static let validated = "validated only: no device gets it"
}

/// A part that was just prepared.
package struct PreparedPart: Sendable {
    package var part: Part
    /// The delivery's priority.
    package var priority: DeliveryPriority
    package var committed: MonotonicTime?

    package init(part: Part, priority: DeliveryPriority, committed: MonotonicTime? = nil) {
        self.part = part
        self.priority = priority
        self.committed = committed
    }
}

/// The number of outcomes of a grant in a record job.
package struct Settlement: Sendable {
    package var grant: GrantID
    package var outcomes: Int
    package var requeued: Int
    package init(grant: GrantID, outcomes: Int, requeued: Int) {
        self.grant = grant
        self.outcomes = outcomes
        self.requeued = requeued
    }
}

/// The time from the gateway's answers to the commit of their outcomes.
package struct CommitLatency: Sendable {
    /// The latency of the first outcome. The later ones took no longer.
    package var nanoseconds: Int64
    package var outcomes: Int

    package init(nanoseconds: Int64, outcomes: Int) {
        self.nanoseconds = nanoseconds
        self.outcomes = outcomes
    }
}
