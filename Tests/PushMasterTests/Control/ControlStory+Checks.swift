import PushMaster
import PushModel
import PushSchedule
import PushStore
import Testing

/// The conditions that must hold at the end, whatever happened.
extension ControlStory {
    mutating func check() throws {
        let store = fixture.store
        if machine.ledger.unrecorded > 0 { complain("\(machine.ledger.unrecorded) messages are out still") }
        if try store.work.openParts().count > 0 { complain("parts are open") }
        for (id, messages) in deliveries {
            let summary = try #require(try store.deliveries.summary(of: id))
            let counts = summary.counts
            if !summary.state.isFinal { complain("\(id) is \(summary.state)") }
            if try !counts.isBalanced || store.inspection.recount(id) != counts
                || !store.inspection.agrees(id)
            {
                complain("the figures of \(id) are not those of its messages")
            }
            let log = try log(of: id)
            let wasStopped = summary.state == .stopped
            if wasStopped ? log.count > messages : log.count != messages {
                complain("\(id) has \(log.count) messages, and is for \(messages)")
            }
            if !wasStopped, counts.sent + counts.failed != messages {
                complain(
                    "\(id): \(counts.sent) messages were sent and \(counts.failed) failed, not \(messages) in total"
                )
            }
            for entry in log { check(entry, wasStopped: wasStopped) }
        }
    }

    private mutating func check(_ entry: MessageLogEntry, wasStopped: Bool) {
        let message = entry.message
        switch entry.state {
        case .sent:
            if !acceptedByGateway.contains(message) { complain("\(message) is sent, and no gateway took it") }
        case .failed where !sent.contains(message): break
        case .cancelled where wasStopped && !sent.contains(message): break
        default: complain("\(message) is \(entry.state)\(sent.contains(message) ? ", and was accepted" : "")")
        }
    }

    private func log(of id: DeliveryID) throws -> [MessageLogEntry] {
        var entries: [MessageLogEntry] = []
        while case let page = try fixture.store.deliveries.log(of: id, after: entries.last?.message),
            !page.isEmpty
        { entries += page }
        return entries
    }
}
