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
        guard kinds.contains(anyOf: Self.kinds) else { return }
        change.progress.states.forEachChange(from: stored.progress.states) { range, old, new in
            guard new.state != old.state, let kind = Self.kind(of: new), kinds.contains(kind) else { return }
            add(range, of: stored.part, kind, new.cause)
        }
    }

    /// Records the messages of a new part that are not sent to their devices.
    func note(excludedIn states: PartStates, of part: Part) throws {
        guard try wanted.kinds.contains(.excluded) else { return }
        states.forEachRun(in: 0..<states.count) { range, status in
            if status.state == .excluded { add(range, of: part, .excluded, status.cause) }
        }
    }

    private static let kinds = WebhookEventKinds([.sent, .failed, .excluded, .expired, .cancelled])

    /// Returns the event that reports a status; `nil` if the message still waits.
    private static func kind(of status: MessageStatus) -> WebhookEventKind? {
        switch status.state {
        case .sent: .sent
        case .failed: .failed
        case .excluded: .excluded
        case .cancelled: status.cause == .expired ? .expired : .cancelled
        case .pending, .retrying: nil
        }
    }

    private func add(_ range: Range<Int>, of part: Part, _ kind: WebhookEventKind, _ cause: CauseCode) {
        add(
            EndedMessages.Run(first: part.message(at: range.lowerBound), count: range.count, cause: cause),
            Key(app: part.app, kind: kind))
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
