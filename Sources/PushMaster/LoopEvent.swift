internal import PushModel
internal import PushSchedule
internal import PushWire

/// What the master's other threads tell its loop.
enum LoopEvent: Sendable {
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
    case parts([FoundPart], hasMore: Bool)
    case retriesDue([AppID: AccountID])
    /// Answers a read order; `messages` may be 0.
    case filled(ReadOrder, job: UInt32, frame: [UInt8], messages: Int)
    /// Messages of this part cannot be addressed: its app or credential is not to be had.
    case unaddressable(PartID, why: String)

    // From outside.
    case shutDown
}

/// An account with the name that an operator reads.
struct AccountDefinition: Sendable {
    var name: String
    var order: AccountOrder
}

struct FoundPart: Sendable {
    var part: Part
    var account: AccountID
}

/// How many outcomes of a grant a record job holds.
struct Settlement: Sendable {
    var grant: GrantID
    var outcomes: Int
    var putBack: Int
}
