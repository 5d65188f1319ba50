internal import PushModel
internal import PushQueue

/// Creates events from the records of the outbox, within the caller's transaction. If the data of an event
/// was removed in the meantime or cannot be read, the event is left out and does not delay the other events.
struct EventReading {
    /// The maximum number of events in a record. A record that claims more is damaged.
    private static let maxEvents: Int64 = 1 << 20

    private let webhook: Webhook
    private let db: any Session
    private let services: AppServices
    private var tracked: [DeliveryID: Bool] = [:]
    private var causes: [DeliveryID: CauseStore] = [:]

    init(_ webhook: Webhook, _ db: any Session) throws {
        self.webhook = webhook
        self.db = db
        services = try AppServices(db)
    }

    mutating func read(into page: inout WebhookEventPage, upTo end: Int64, limit: Int, records: Int) throws {
        let rows = try db.rows(sql: HotSQL.eventsAfter, arguments: [EventRecord.host, page.end, records])
        for row in rows {
            let number: Int64 = try row["number"]
            guard page.end < end, page.events.count < limit else { return }
            let count: Int64 = try row["count"]
            // Any other number is damage, and the record contains nothing to report.
            guard (1...Self.maxEvents).contains(count), number >= count else {
                page.end = min(number, end)
                continue
            }
            let before = number - count
            guard before < end else { break }
            let first = max(page.end - before, 0)
            let share = Share(
                kind: WebhookEventKind(rawValue: try row["kind"]),
                app: AppID(rawValue: try row["app_id"]),
                delivery: (try row["delivery_id"] as Int64?).map(DeliveryID.init(rawValue:)),
                at: WallMoment(millisecondsSince1970: try row["recorded_ms"]), word: try row["word"],
                source: try row["source"],
                bytes: try row["events"], count: Int(clamping: count),
                numberBeforeFirst: before,
                wanted: Int(clamping: first)..<Int(clamping: max(min(number, end) - before, first)))
            guard let kind = share.kind, webhook.order.kinds.contains(kind),
                try services.matches(webhook.order.service, share.app)
            else {
                page.end = min(number, end)
                continue
            }
            let room = limit - page.events.count
            let taken = share.wanted.prefix(room)
            do { try append(share, kind, taken, to: &page) } catch is PartDamage {
                page.missing += taken.count
            } catch is DamagedPart {
                page.missing += taken.count
            }
            page.end = share.numberBeforeFirst + Int64(taken.upperBound)
        }
        let last: Int64 = try rows.last?["number"] ?? page.end
        page.isLast = rows.count < records && page.end >= last
    }

    /// A record and the selection of its events.
    private struct Share {
        var kind: WebhookEventKind?
        var app: AppID
        var delivery: DeliveryID?
        var at: WallMoment
        var word: String?
        var source: Int64?
        var bytes: [UInt8]
        var count: Int
        var numberBeforeFirst: Int64
        /// The positions of the selected events in the record.
        var wanted: Range<Int>

        var sourceName: String? {
            guard let source else { return nil }
            return kind == .optedOut
                ? OptOutSource(rawValue: source)?.name : QuarantineSource(rawValue: source)?.name
        }
    }

    private mutating func append(
        _ share: Share, _ kind: WebhookEventKind, _ taken: Range<Int>, to page: inout WebhookEventPage
    ) throws {
        let events =
            switch kind {
            case .sent, .failed, .excluded, .expired, .cancelled: try ended(share, kind, taken)
            case .received, .clicked: try hits(share, kind, taken)
            case .quarantined, .registered, .unregistered, .optedOut:
                try ofSubscribers(share, kind, taken)
            }
        page.events += events
        page.missing += taken.count - events.count
    }

    private mutating func ended(_ share: Share, _ kind: WebhookEventKind, _ taken: Range<Int>) throws
        -> [WebhookEvent]
    {
        let ended = try EndedMessages(decoding: share.bytes, count: share.count)
        guard let delivery = share.delivery else { return [] }
        var wanted: [(place: Int, message: MessageID, at: WallMoment, cause: CauseCode)] = []
        var place = 0
        for run in ended.runs where place < taken.upperBound {
            let first = min(max(taken.lowerBound - place, 0), run.count)
            for index in first..<min(run.count, taken.upperBound - place) {
                let message = MessageID(rawValue: run.first.rawValue + Int64(index))
                wanted.append((place + index, message, share.at, run.cause))
            }
            place += run.count
        }
        let found = try find(wanted.map(\.message), of: delivery)
        var events: [WebhookEvent] = []
        for want in wanted {
            guard let entry = found[want.message],
                var event = try event(share, kind, want.place, want.at, entry, delivery)
            else { continue }
            let cause =
                want.cause == .none
                ? nil : try causes[delivery, default: CauseStore(delivery, db)][want.cause]
            (event.failureType, event.failureReason) = (cause?.type, cause?.reason)
            event.providerReason = cause?.word
            events.append(event)
        }
        return events
    }

    private mutating func hits(_ share: Share, _ kind: WebhookEventKind, _ taken: Range<Int>) throws
        -> [WebhookEvent]
    {
        let numbers = try MarkedNumbers(decoding: share.bytes, count: share.count).entries
        guard let delivery = share.delivery else { return [] }
        let found = try find(taken.map { MessageID(rawValue: numbers[$0].number) }, of: delivery)
        var events: [WebhookEvent] = []
        for place in taken {
            guard let entry = found[MessageID(rawValue: numbers[place].number)] else { continue }
            let at = WallMoment(millisecondsSince1970: numbers[place].millisecondsSince1970)
            if let event = try event(share, kind, place, at, entry, delivery) { events.append(event) }
        }
        return events
    }

    private func ofSubscribers(_ share: Share, _ kind: WebhookEventKind, _ taken: Range<Int>) throws
        -> [WebhookEvent]
    {
        let numbers = try MarkedNumbers(decoding: share.bytes, count: share.count).entries
        guard let names = try services.names(of: share.app) else { return [] }
        let delivery = share.delivery ?? DeliveryID(rawValue: 0)
        let found = try LogWriter(delivery, db).subscribers(
            taken.map { SubscriptionID(rawValue: numbers[$0].number) })
        return zip(taken, found).map { place, subscriber in
            WebhookEvent(
                number: share.numberBeforeFirst + Int64(place) + 1, kind: kind, at: share.at,
                delivery: share.delivery, app: names.app, service: names.service,
                userKey: subscriber.userKey,
                providerReason: share.word, source: share.sourceName)
        }
    }

    private mutating func event(
        _ share: Share, _ kind: WebhookEventKind, _ place: Int, _ at: WallMoment, _ entry: MessageLogEntry,
        _ delivery: DeliveryID
    ) throws -> WebhookEvent? {
        guard let names = try services.names(of: share.app), let isTracked = try isTracked(delivery) else {
            return nil
        }
        return WebhookEvent(
            number: share.numberBeforeFirst + Int64(place) + 1, kind: kind, at: at, delivery: delivery,
            app: names.app, service: names.service, userKey: entry.userKey,
            message: WebhookEvent.Message(
                id: entry.message, ordinal: entry.ordinal, format: entry.messageIDFormat, isTracked: isTracked
            ))
    }

    private mutating func isTracked(_ delivery: DeliveryID) throws -> Bool? {
        if let known = tracked[delivery] { return known }
        let found = try db.value(
            Bool.self, sql: "SELECT tracking FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
        tracked[delivery] = found
        return found
    }

    /// Returns the entries of these messages in the delivery's log. Messages that no longer exist are left
    /// out.
    private func find(_ messages: [MessageID], of delivery: DeliveryID) throws -> [MessageID: MessageLogEntry]
    {
        let table = PartTable(db: db)
        var writer = try LogWriter(delivery, db)
        var entries: [MessageLogEntry] = []
        var sorted = ContiguousArray(Set(messages).sorted())[...]
        while let first = sorted.first {
            guard let stored = try table.part(of: first, in: delivery) else {
                sorted.removeFirst()
                continue
            }
            let indices = ContiguousArray(
                sorted.prefix { stored.index(of: $0) != nil }.compactMap(stored.index(of:)))
            try writer.write(stored, indices, try table.members(of: stored.part), to: &entries)
            sorted.removeFirst(indices.count)
        }
        return Dictionary(entries.map { ($0.message, $0) }, uniquingKeysWith: { $1 })
    }
}

extension HotSQL {
    /// ?1 host, ?2 the event after which to begin, ?3 limit.
    static let eventsAfter = """
        SELECT number, kind, app_id, delivery_id, recorded_ms, count, word, source, events FROM webhook_event
        WHERE host = ?1 AND number > ?2 ORDER BY number LIMIT ?3
        """
}
