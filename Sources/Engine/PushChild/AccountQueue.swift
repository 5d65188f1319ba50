internal import GatewayKit
internal import PushModel
internal import PushWire

/// One account in a child: its connector and what waits for it.
final class AccountQueue {
    let order: AccountOrder
    var account: AccountID { order.account }
    let connector: any Connector
    /// Grants that have unsubmitted messages.
    var grants = WaitingGrants()
    /// Messages that the gateway did not look at, to be submitted before all others but urgent ones.
    var again: [UInt64] = []
    /// What the next turn goes back with instead of being submitted: the account has no connection or no
    /// standing.
    var givingBack: (verdict: Verdict, reason: String)?

    /// When the master last heard that the gateway refuses these topics.
    var refusedTopics: [String: MonotonicTime] = [:]

    /// How long messages had waited since their commit when they were first submitted, since the last beat.
    var waits = LatencyCounts()

    /// What comes back from its gateway goes back to the master, until the next grant.
    var isRecalled = false
    /// It was handed messages since its connector was last flushed.
    var isSubmitting = false
    /// When it last had a message to submit.
    var lastUsed: MonotonicTime
    /// It keeps connections, and has nothing to send and nothing to wait for.
    var isIdle: Bool { !hasWork && connector.inFlight == 0 && connector.openConnections > 0 }
    /// Nothing will come for it any more.
    var isRetired = false

    init(_ order: AccountOrder, connector: any Connector, at now: MonotonicTime) {
        self.order = order
        self.connector = connector
        lastUsed = now
    }

    /// What there is to tell now, with what was counted since it was told last; nil: nothing.
    func takeBeat() -> AccountBeat? {
        let (inFlight, connections) = (connector.inFlight, connector.openConnections)
        let (waits, answers) = (waits.take(), connector.takeAnswerTimes())
        guard inFlight > 0 || connections > 0 || hasWork || !waits.isEmpty || !answers.isEmpty else {
            return nil
        }
        return AccountBeat(
            account: account, inFlight: UInt32(clamping: inFlight),
            window: UInt32(clamping: connector.window),
            openConnections: UInt32(clamping: connections), waits: waits, answers: answers)
    }

    var hasWork: Bool { !grants.isEmpty || !again.isEmpty }
}
