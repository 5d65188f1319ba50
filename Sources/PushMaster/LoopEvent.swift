package import PushModel
package import PushSchedule
package import PushWire

/// What the master's other threads tell its loop.
package enum LoopEvent: Sendable {
    // From the writer.
    /// Everything of a record job is on disk.
    case committed(ChildID, [Settlement])
    /// A chunk of a delivery was prepared: there may be new parts.
    case prepared
    case finished([DeliveryID])
    /// The store could not be written or read; what was to be written is kept and tried again.
    case storeTrouble(String)
    case storeRecovered

    // From the reader, definitions always before their first use.
    case account(AccountID, AccountDefinition)
    case job(JobOrder)
    /// What a search found, and the last part that it saw.
    case parts([FoundPart], last: PartID?, hasMore: Bool)
    case partSearchFailed
    case retriesDue([AppID: AccountID])
    /// Answers a read order; `messages` may be 0.
    case filled(ReadOrder, job: UInt32, frame: [UInt8], messages: Int)
    /// A read order could not be carried out.
    case unread(GrantID)
    /// Messages of this part cannot be addressed: its app or credential is not to be had.
    case unaddressable(PartID, why: String)

    // From outside.
    case shutDown
}

/// An account with the name that an operator reads.
package struct AccountDefinition: Sendable {
    package var name: String
    /// What the gateway grants the account; nil: no limit of ours.
    package var quota: TokenBucket?
    package var order: AccountOrder
}

package struct FoundPart: Sendable {
    package var part: Part
    package var account: AccountID
}

/// How many outcomes of a grant a record job holds.
package struct Settlement: Sendable {
    package var grant: GrantID
    package var outcomes: Int
    package var putBack: Int
    package init(grant: GrantID, outcomes: Int, putBack: Int) {
        self.grant = grant
        self.outcomes = outcomes
        self.putBack = putBack
    }
}
