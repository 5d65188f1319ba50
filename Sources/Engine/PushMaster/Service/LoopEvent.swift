package import PushModel
package import PushSchedule
package import PushStore
package import PushWire

/// What the master's other threads tell its loop.
package enum LoopEvent: Sendable {
    // From the writer.
    /// Everything of a record job is on disk.
    /// - Parameter latency: of its outcomes, since the first of them was answered.
    case committed(ChildID, [Settlement], latency: CommitLatency? = nil)
    /// Chunks of deliveries were prepared, in this order.
    case prepared([PreparedPart])
    case finished([DeliveryID])
    /// Messages that were given up have ended.
    case lostFailed([MessageID])
    /// Most answers of this app's part of an account call tokens bad: its verdicts are held.
    case storm(AccountKey, AccountAnswers)
    /// All storms that no operator has judged.
    case storms(Set<AccountKey>)
    /// What came of reading a feedback service: a line for each change, sums for what changed nothing.
    case feedbackApplied([String])
    /// What was kept long enough is gone: a line for the log.
    case removed(String)
    /// So many deliveries are held because a backup was restored.
    case restored(Int)
    /// The store's table of message numbers was damaged, as this says, and was written anew.
    case numbersMended(String)
    /// The store could not be written or read; what was to be written is kept and tried again.
    case storeTrouble(String)
    case storeRecovered
    /// Rows of this delivery are damaged: nothing of it is prepared or found any more. May be said again.
    case damaged(DeliveryID, why: String)
    /// An operator has paused it: nothing of it is found any more. May be said again.
    case deliveryPaused(DeliveryID)
    /// It is not paused, though it may have been a moment ago: what waits of it can be found again.
    case deliveryResumed(DeliveryID)
    /// An operator has stopped it: nothing of it is found any more, and what waits is to be ended. May be
    /// said again.
    case deliveryStopped(DeliveryID)
    /// Its validity is over, and so many of its messages could not be read.
    case endedWithLosses(DeliveryID, lost: Int)
    /// Somebody repaired these: what waits of them can be found again.
    case released([DeliveryID])
    /// The time of parts has come that were held: they can be found.
    case partsDue
    /// Orders that any process wrote since the last poll, this one too.
    case accountsResumed([ResumeOrder])
    /// The writer has polled the store. Another process may have written parts, whose numbers follow all that are
    /// known.
    /// - Parameter hasChanged: parts with lower numbers may have become due as well.
    case polled(hasChanged: Bool)
    /// A guarantee of this program was found broken.
    case engineFault(EngineFault)
    /// Something that is of no delivery could not be written.
    case setAside(String)
    /// A thread of the store is back at its mailbox, which an ``StoreWriter/Job/ping`` had asked.
    case turned(StoreThread)

    // From the reader, definitions always before their first use.
    case account(AccountID, AccountDefinition)
    /// The app was changed: its messages go through this account from now on, which may be the old one.
    case appChanged(AppID, from: AccountID, to: AccountID)
    /// This app goes through this account now.
    case appJoined(AppID, name: String, mark: AccountKey, AccountID)
    /// It does so no more, having moved to another or been deleted.
    case appLeft(AppID, AccountID, isDeleted: Bool)
    /// No app goes through this account any more, nor will.
    case accountUnused(AccountID)
    case job(JobDefinition)
    /// Nothing will be granted by it any more, and nothing of it is with a child: it is one of single messages.
    case jobUnused(JobID)
    /// What a search found, and the last part that it saw.
    case parts([FoundPart], last: PartID?, hasMore: Bool)
    /// The parts of a ``StoreReader/Job/address(_:)`` that can be addressed; or that the store could not be
    /// read for it.
    case addressed([FoundPart])
    case addressFailed
    /// What was found of an app's parts that had been left out, and the part from which others may be found.
    case partsAgain(PartLedger.PartsLeftOut, [FoundPart], next: PartID?)
    case partSearchFailed
    case retriesDue([AppID: AccountID])
    /// Whether a child may have a message that was tried before.
    case found(MessageID, isHeld: Bool)
    /// These messages of a lost child are not to be sent again.
    case givenUp([MessageID], of: DeliveryID)
    /// The feedback service of this account is to be read for these apps.
    case feedbackDue(AccountID, [AppID])
    /// Answers a read order; `messages` may be 0. `limited`: a delivery of which something was passed over
    /// because the order allows nothing of it.
    case filled(ReadOrder, job: JobID?, frame: [UInt8], messages: Int, limited: DeliveryID? = nil)
    /// The messages of a read order are of a delivery with a rate that nobody knew: the job was told before.
    case withoutAllowance(GrantID)
    /// A read order could not be carried out.
    case unread(GrantID)
    /// The store could not be read; asked again every second.
    case readTrouble(String)
    /// Rows of this delivery cannot be read.
    case unreadable(DeliveryID, why: String)
    /// Messages of this part cannot be addressed: its app or credential is not to be had.
    case unaddressable(PartID, why: String)

    // From whoever keeps this host's lease.
    /// Requests may begin until then, by ``Clocks/boot()``.
    case leaseRenewed(until: MonotonicTime)
    /// This host was taken for dead, or another process has its place.
    case leaseLost
    /// Which hosts have parts of what has a rate or a quota.
    case held(PartHolders)
    /// This host is to send nothing: it ends in order, and begins anew.
    case drained(why: String)
    /// This host leads from now on: it prepares, expires and removes for all.
    case leads
    /// So many hosts live, this one included, as of this moment of the store's clock in milliseconds. Said
    /// each second.
    /// - Parameters:
    ///   - clockAheadSeconds: of the store's; nil: the two agree.
    ///   - late: other hosts that have not renewed their leases for a while.
    case hosts(live: Int, asOf: Int64, clockAheadSeconds: Int64? = nil, late: [LateHost] = [])
    /// The writer has looked, after that moment, which deliveries are paused and stopped.
    case lookedAround(asOf: Int64)

    // From outside, by way of ``MasterHandle``.
    case shutDown
    /// The same, in less time than the settings give.
    case shutDownWithin(seconds: Int64)
    /// serverConf.xml was read anew.
    case reconfigured(Reconfiguration)
    /// Somebody changed the store.
    case nudge
    /// Somebody paused this delivery, or lets it go on.
    case pauseChanged(DeliveryID)
    /// An operator ends the wait of this account and of its refused topics.
    /// - Parameter order: the number of the ``PushStore/ResumeOrder``, which is read from the store as well;
    ///   nil: the store has none.
    case accountResumed(AccountKey, order: Int64?)
    /// Somebody stopped this delivery in the store, and waits until no request of it can begin.
    case withdraw(DeliveryID)
    /// A caller cancelled this message in the store, and waits to know whether a child may have it.
    case find(MessageID)
    /// Somebody asks what the loop is busy with: to be published on the ``StatusBoard``.
    case statusWanted
}

/// The master's threads beside its loop.
package enum StoreThread: String, Sendable, CaseIterable {
    case reader, writer
}

/// An account with the name that an operator reads.
package struct AccountDefinition: Sendable {
    package var name: String
    /// Its name with its credential's, under which the store keeps what it knows of it.
    package var mark: AccountKey
    package var terms: AccountTerms
    package var order: AccountOrder
    /// Storms of its parts that were open when it was read.
    package var storms: Set<AccountKey>

    package init(
        name: String, mark: AccountKey, terms: AccountTerms, order: AccountOrder, storms: Set<AccountKey> = []
    ) {
        self.name = name
        self.mark = mark
        self.terms = terms
        self.storms = storms
        self.order = order
    }
}

/// A job with what the master alone needs to know of it.
package struct JobDefinition: Sendable {
    package var order: JobOrder
    package var retry: RetryOverride
    /// The app's part of the account: what its answers are counted under.
    package var mark: AccountKey
    package var appName: String
    /// Messages of its delivery that may begin a second, of all its jobs together; 0: as many as can be.
    package var ratePerSecond: Int
    /// Whether gateways are asked to check its messages and to give them to no device.
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

    /// What becomes of a message that a gateway accepted: no device gets one that was only checked.
    package func accepted(_ record: MessageRecord) -> MessageRecord {
        guard validatesOnly, case .sent = record.change else { return record }
        return MessageRecord(
            message: record.message, change: .excluded(.excludedByRule, why: Self.validated),
            countsAttempt: true)
    }

    /// What statistics say of such a message.
    package static let validated = "validated only: no device gets it"
}

/// A part that was prepared a moment ago.
package struct PreparedPart: Sendable {
    package var part: Part
    /// Its delivery's.
    package var priority: DeliveryPriority
    package var committed: MonotonicTime?

    package init(part: Part, priority: DeliveryPriority, committed: MonotonicTime? = nil) {
        self.part = part
        self.priority = priority
        self.committed = committed
    }
}

/// How many outcomes of a grant a record job holds.
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

/// How long outcomes took from their gateway's answers to their commit.
package struct CommitLatency: Sendable {
    /// Of the first of them: those that followed took no longer.
    package var nanoseconds: Int64
    package var outcomes: Int

    package init(nanoseconds: Int64, outcomes: Int) {
        self.nanoseconds = nanoseconds
        self.outcomes = outcomes
    }
}
