package import PushModel
package import PushSchedule
package import PushStore
package import PushWire

/// The events that the master's other threads send to its loop.
package enum LoopEvent: Sendable {
    // Events from the writer.
    /// Everything in a record job is on disk.
    /// - Parameter latency: The latency of the job's outcomes, measured from the first of the gateway's
    ///   answers.
    case committed(ChildID, [Settlement], latency: CommitLatency? = nil)
    /// Chunks of deliveries were prepared, in this order.
    case prepared([PreparedPart])
    case finished([DeliveryID])
    /// These messages, which were given up, have ended.
    case lostFailed([MessageID])
    /// Most answers to this app's part of an account report bad tokens. Verdicts about the part's tokens are
    /// put on hold.
    case storm(AccountKey, AccountAnswers)
    /// All storms about which no operator has decided.
    case storms(Set<AccountKey>)
    /// The result of reading a feedback service: a line for each change, and totals for the reported tokens
    /// that required no change.
    case feedbackApplied([String])
    /// Data whose retention time is over was removed. The text is a log line.
    case removed(String)
    /// The number of deliveries that are on hold because a backup was restored has changed to this value.
    case restored(Int)
    /// The store's table of message numbers was damaged, as described by the text, and was rewritten.
    case numbersRepaired(String)
    /// The store could not be written or read. The pending writes are kept and tried again.
    case storeFailure(String)
    case storeRecovered
    /// Rows of this delivery are damaged. Its messages are no longer prepared or found. May be sent
    /// repeatedly.
    case damaged(DeliveryID, why: String)
    /// An operator has paused the delivery. Its messages are no longer found. May be sent repeatedly.
    case deliveryPaused(DeliveryID)
    /// The delivery is not paused, although it may have been paused a moment ago. Its waiting messages can be
    /// found again.
    case deliveryResumed(DeliveryID)
    /// An operator has stopped the delivery. Its messages are no longer found, and its waiting messages must
    /// be ended. May be sent repeatedly.
    case deliveryStopped(DeliveryID)
    /// The delivery's validity is over, and the given number of its messages could not be read.
    case endedWithLosses(DeliveryID, lost: Int)
    /// These deliveries were repaired and are no longer on hold. Their waiting messages can be found again.
    case released([DeliveryID])
    /// Parts that had to wait until a given time are due and can be found.
    case partsDue
    /// The orders to resume accounts that have been written since the last poll, by any process including
    /// this one.
    case accountsResumed([ResumeOrder])
    /// The writer has polled the store. Another process may have written parts, whose numbers follow all
    /// known numbers.
    /// - Parameter hasChanged: Whether parts with lower numbers may have become due as well.
    case polled(hasChanged: Bool)
    /// A guarantee of this program was broken.
    case engineFault(EngineFault)
    /// Data that belongs to no delivery could not be written.
    case setAside(String)
    /// A thread of the store has returned to its mailbox, in answer to a ``StoreWriter/Job/ping``.
    case turned(StoreThread)

    // Events from the reader. Definitions always precede their first use.
    case account(AccountID, AccountDefinition)
    /// The app was changed. From now on, its messages go through the account `to`, which may be the same as
    /// `from`.
    case appChanged(AppID, from: AccountID, to: AccountID)
    /// This app now uses this account.
    case appJoined(AppID, name: String, mark: AccountKey, AccountID)
    /// The app no longer uses this account, because the app has moved to another account or was deleted.
    case appLeft(AppID, AccountID, isDeleted: Bool)
    /// No app uses this account any longer, and none will.
    case accountUnused(AccountID)
    case job(JobDefinition)
    /// This job of single messages will have no further grants, and no child has messages of the job.
    case jobUnused(JobID)
    /// The results of a search, and the last part that the search saw.
    case parts([FoundPart], last: PartID?, hasMore: Bool)
    /// The answer to a ``StoreReader/Job/address(_:)``: the parts that can be addressed. If the store could
    /// not be read, ``addressFailed`` is sent instead.
    case addressed([FoundPart])
    case addressFailed
    /// The parts that were found for an app whose parts had been left out, and the part from which more may
    /// be found.
    case partsAgain(PartLedger.PartsLeftOut, [FoundPart], next: PartID?)
    case partSearchFailed
    case retriesDue([AppID: AccountID])
    /// Whether a child may have a message that was tried before.
    case found(MessageID, isHeld: Bool)
    /// These messages of a lost child must not be sent again.
    case givenUp([MessageID], of: DeliveryID)
    /// The feedback service of this account must be read for these apps.
    case feedbackDue(AccountID, [AppID])
    /// The answer to a read order. `messages` may be 0. `limited` is a delivery whose messages were skipped
    /// because the order has no allowance for that delivery.
    case filled(ReadOrder, job: JobID?, frame: [UInt8], messages: Int, limited: DeliveryID? = nil)
    /// The messages of a read order belong to a delivery whose rate was unknown. The reader sent the job,
    /// with the rate, before this event.
    case withoutAllowance(GrantID)
    /// A read order could not be carried out.
    case unread(GrantID)
    /// The store could not be read. The reader tries again every second.
    case readFailure(String)
    /// Rows of this delivery cannot be read.
    case unreadable(DeliveryID, why: String)
    /// Messages of this part cannot be addressed, because its app or credential is not available.
    case unaddressable(PartID, why: String)

    // Events from the disk watch.
    /// The file systems to which this process writes. Sent every few seconds.
    case disks([DiskSpace])

    // Events from the keeper of this host's lease.
    /// Requests may begin until the given moment, measured by ``Clocks/boot()``.
    case leaseRenewed(until: MonotonicTime)
    /// Other hosts consider this host dead, or another process has taken its place.
    case leaseLost
    /// The hosts that have parts of deliveries with a rate, and of accounts with a quota.
    case held(PartHolders)
    /// This host must send nothing, for example because an operator ordered it. The master ends in an orderly
    /// way and starts again.
    case drained(why: String)
    /// This host leads from now on: it prepares deliveries, expires messages and removes old data for all
    /// hosts.
    case leads
    /// The number of hosts that are alive, including this one, at the given moment of the store's clock, in
    /// milliseconds. Sent each second.
    /// - Parameters:
    ///   - clockAheadSeconds: The number of seconds by which this host's clock is ahead of the store's; `nil`
    ///     if the clocks agree.
    ///   - late: Other hosts that have not renewed their leases for a while.
    case hosts(live: Int, asOf: Int64, clockAheadSeconds: Int64? = nil, late: [LateHost] = [])
    /// The writer has checked, after the given moment, which deliveries are paused and stopped.
    case lookedAround(asOf: Int64)

    // Events from outside, through ``MasterHandle``.
    /// The order to shut down.
    case shutDown
    /// The order to shut down in less time than the settings allow.
    case shutDownWithin(seconds: Int64)
    /// serverConf.xml was read again.
    case reconfigured(Reconfiguration)
    /// The store was changed.
    case wakeUp
    /// This delivery was paused or resumed.
    case pauseChanged(DeliveryID)
    /// An operator requests that this account and its refused topics are tried again immediately.
    /// - Parameter order: The number of the ``PushStore/ResumeOrder``, which is also read from the store;
    ///   `nil` if the store has none.
    case accountResumed(AccountKey, order: Int64?)
    /// This delivery was stopped in the store, and the caller waits until no request for it can begin.
    case withdraw(DeliveryID)
    /// A caller cancelled this message in the store, and waits to learn whether a child may have it.
    case find(MessageID)
    /// A caller requests that the current status be published on the ``StatusBoard``.
    case statusWanted
}

/// The master's threads other than its loop.
package enum StoreThread: String, Sendable, CaseIterable {
    case reader, writer
}

/// An account with its name for the operator.
package struct AccountDefinition: Sendable {
    package var name: String
    /// The key under which the store keeps what is known about the account: the account's name together with
    /// its credential's mark.
    package var mark: AccountKey
    package var terms: AccountLimits
    package var order: AccountOrder
    /// The storms of the account's parts that were open when the account was read.
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
    /// The app's part of the account, under which the answers to the job's messages are counted.
    package var mark: AccountKey
    package var appName: String
    /// The maximum number of messages per second whose sending may begin, in total for all jobs of the job's
    /// delivery. 0 means unlimited.
    package var ratePerSecond: Int
    /// Whether gateways are asked only to check the job's messages, without sending them to a device.
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

    /// Returns the record of a message that a gateway accepted. If the gateway only checked the message, the
    /// record states that no device receives it.
    package func accepted(_ record: MessageRecord) -> MessageRecord {
        guard validatesOnly, case .sent = record.change else { return record }
        return MessageRecord(
            message: record.message, change: .excluded(.excludedByRule, why: Self.validated),
            countsAttempt: true)
    }

    /// The text in statistics about a message that the gateway only checked.
    package static let validated = "validated only: no device gets it"
}

/// A part that has just been prepared.
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
    /// The latency of the first outcome. The later outcomes took no longer.
    package var nanoseconds: Int64
    package var outcomes: Int

    package init(nanoseconds: Int64, outcomes: Int) {
        self.nanoseconds = nanoseconds
        self.outcomes = outcomes
    }
}
