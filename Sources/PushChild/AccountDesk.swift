internal import PushConnectors
internal import PushModel
internal import PushWire

/// One account in a child: its connector and what waits for it.
final class AccountDesk {
    let order: AccountOrder
    var account: UInt32 { order.account }
    let connector: any Connector
    /// Places of grants that have unsubmitted messages, in order of arrival.
    var grants: [Int] = []
    /// Messages that the gateway did not look at, to be submitted before the others.
    var again: [UInt64] = []
    /// What the next turn goes back with instead of being submitted: the account has no connection or no standing.
    var givingBack: (verdict: Verdict, reason: String)?

    /// Nothing will come for it any more.
    var isRetired = false

    init(_ order: AccountOrder, connector: any Connector) {
        self.order = order
        self.connector = connector
    }

    var hasWork: Bool { !grants.isEmpty || !again.isEmpty }
}
