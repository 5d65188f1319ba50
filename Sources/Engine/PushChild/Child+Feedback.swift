internal import GatewayKit
internal import PushConnectors
internal import PushModel
internal import PushSystem
internal import PushWire

/// Reads feedback services for accounts that have a feedback service.
extension Child {
    func pollFeedback(_ account: AccountID) {
        guard feedback[account] == nil else { return }
        guard let queue = queues[account] else {
            let why = unusableAccounts[account] ?? "the account is unknown to this child"
            return link.send(.feedbackEnded(account: account, failure: why))
        }
        let relay = FeedbackRelay(account, child: self)
        do {
            guard let read = ConnectorCatalogue.entry(queue.order.connector)?.readFeedback else {
                throw ConnectorError("connector \(queue.order.connector) has no feedback service")
            }
            relay.reader = try read(queue.order, loop, relay)
            feedback[account] = relay
            if isDraining { relay.reader?.finish(withinSeconds: Self.lastFeedbackSeconds) }
        } catch {
            link.send(.feedbackEnded(account: account, failure: "\(error)"))
        }
    }
}

/// Forwards the reports from one feedback service to the master, and the reason why the service stopped.
final class FeedbackRelay: FeedbackListener {
    private let account: AccountID
    private unowned let child: Child
    var reader: (any FeedbackReading)?

    init(_ account: AccountID, child: Child) {
        self.account = account
        self.child = child
    }

    func feedback(_ tuples: [FeedbackTuple]) {
        child.lastWork = child.now
        // The store may record the report much later. Because the reported time is limited to the present, a
        // device that registers in the meantime counts as registered after the report.
        let now = Clocks.wall()
        let retired = tuples.map { RetiredToken(token: $0.token, since: min($0.time, now)) }
        child.link.send(.feedback(account: account, retired))
    }

    func feedbackEnded(_ end: FeedbackEnd) {
        child.link.send(.feedbackEnded(account: account, failure: end.failure))
        child.feedback[account] = nil
    }
}
