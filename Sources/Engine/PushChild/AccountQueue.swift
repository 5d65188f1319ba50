internal import GatewayKit
internal import PushModel
internal import PushWire

/// One account in a child: its connector and its waiting messages.
final class AccountQueue {
    let order: AccountOrder
    var account: AccountID { order.account }
    let connector: any Connector
    /// Grants that have unsubmitted messages.
    var grants = WaitingGrants()
    /// Messages that the gateway did not process. They are submitted before all other messages except urgent
    /// messages.
    var again: [UInt64] = []
    /// If set, the next turn gives the account's messages back with this verdict and reason instead of
    /// submitting them, because the account has no connection or must currently not send.
    var givingBack: (verdict: Verdict, reason: String)?

    /// For each topic that the gateway refuses, when the master was last notified of the refusal.
    var refusedTopics: [String: MonotonicTime] = [:]

    /// The times between the commit and the first submission of the messages that were submitted since the
    /// last heartbeat.
    var waits = LatencyCounts()

    /// Whether messages that the gateway does not process are given back to the master instead of being
    /// submitted again. This applies until the next grant.
    var isRecalled = false
    /// Whether the connector has received messages since its last flush.
    var isSubmitting = false
    /// When the account last submitted a message.
    var lastUsed: MonotonicTime
    /// Whether the account keeps connections but has nothing to send and no answers to wait for.
    var isIdle: Bool { !hasWork && connector.inFlight == 0 && connector.openConnections > 0 }
    /// Whether the account was retired. No further messages arrive for it.
    var isRetired = false

    init(_ order: AccountOrder, connector: any Connector, at now: MonotonicTime) {
        self.order = order
        self.connector = connector
        lastUsed = now
    }

    /// Returns the current report, with the counts since the last report; `nil` if there is nothing to
    /// report.
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
