internal import PushModel
internal import PushQueue

/// Messages of one delivery that ended within a transaction, for webhooks that subscribe to such events.
final class EndedEvents {
    private struct Key: Hashable {
        var app: AppID
        var kind: WebhookEventKind
    }

    private let wanted: WantedEvents
    private var ended: [(key: Key, messages: EndedMessages)] = []

    init(_ wanted: WantedEvents) { self.wanted = wanted }

    /// Records the results of a part's messages. A message that has failed and is sent after all is reported
    /// again; a sent message is reported only once.
    func note(_ change: PartChange, of stored: StoredPart) throws {
        guard change.isChanged else { return }
        let kinds = try wanted.kinds
        guard kinds.contains(.sent) || kinds.contains(.failed) else { return }
        let part = stored.part
        change.progress.states.forEachChange(from: stored.progress.states) { range, old, new in
            let kind: WebhookEventKind
            switch new.state {
            case .sent where old.state != .sent: kind = .sent
            case .failed where old.state != .failed: kind = .failed
            default: return
            }
            guard kinds.contains(kind) else { return }
            add(
                EndedMessages.Run(
                    first: part.message(at: range.lowerBound), count: range.count, cause: new.cause),
                Key(app: part.app, kind: kind))
        }
    }

    private func add(_ run: EndedMessages.Run, _ key: Key) {
        // There are few apps, and most runs belong to the same app as the previous run.
        let place = ended.lastIndex { $0.key == key }
        if place == nil { ended.append((key, EndedMessages())) }
        ended[place ?? ended.count - 1].messages.append(run)
    }

    func write(of delivery: DeliveryID, at now: WallMoment, _ db: any Session) throws {
        for (key, messages) in ended {
            let record = EventRecord(
                kind: key.kind, app: key.app, delivery: delivery, at: now, count: messages.count,
                events: messages.encoded)
            try record.append(db)
        }
        ended = []
    }
}
