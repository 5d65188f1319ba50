internal import PushModel
internal import PushQueue

/// The kinds of events that webhooks need from this transaction. If there are no webhooks, as in most stores,
/// this costs one look-up per transaction.
final class WantedEvents {
    private let statement: any Statement
    private var found: WebhookEventKinds?

    /// Must be called before any other query or write in the transaction, unless the time of one network
    /// round trip does not matter.
    init(_ db: any Session) throws {
        statement = try db.statement(HotSQL.wantedEvents)
        try statement.start()
    }

    var kinds: WebhookEventKinds {
        get throws {
            if let found { return found }
            defer { statement.reset() }
            var kinds: WebhookEventKinds = []
            while try statement.next() { kinds.formUnion(WebhookEventKinds(rawValue: statement.integer(0))) }
            found = kinds
            return kinds
        }
    }
}

/// A record of the outbox: the events of one kind from one transaction. Each event has a number, and the
/// record has the number of its last event.
struct EventRecord {
    /// The only host at present.
    static let host: Int64 = 1

    var kind: WebhookEventKind
    var app: AppID
    var delivery: DeliveryID?
    var at: WallMoment
    var count: Int
    /// For quarantine events: the gateway's reason code, and the source that reported it. An opt-out also has
    /// a source (``OptOutSource``).
    var word: String?
    var source: Int64?
    /// The encoded events: ``EndedMessages`` for outcomes; for other events, the ``MarkedNumbers`` of
    /// messages or subscriptions.
    var events: [UInt8]

    /// The approximate size of a row, in bytes, without its events.
    private static let bytesOfRow = 50

    func append(_ db: any Session) throws {
        let bytes = Int64(events.count + (word?.utf8.count ?? 0) + Self.bytesOfRow)
        let insertion: any Statement
        switch db.dialect {
        case .sqlite:
            let numbers = try db.statement(HotSQL.numberEvents)
            numbers.bind(Self.host, at: 1)
            numbers.bind(Int64(count), at: 2)
            numbers.bind(bytes, at: 3)
            defer { numbers.reset() }
            guard try numbers.next() else { throw UnreadableValue() }
            insertion = try db.statement(HotSQL.appendEvents)
            insertion.bind(numbers.integer(0), at: 2)
            insertion.bind(numbers.integer(1), at: 3)
            insertion.bind(Int64(count), at: 8)
        case .postgreSQL:
            insertion = try db.statement(HotSQL.numberAndAppendEvents)
            insertion.bind(Int64(count), at: 2)
            insertion.bind(bytes, at: 3)
            insertion.bind(Int64(count), at: 8)
        }
        insertion.bind(Self.host, at: 1)
        insertion.bind(kind.rawValue, at: 4)
        insertion.bind(app.rawValue, at: 5)
        insertion.bind(delivery?.rawValue, at: 6)
        insertion.bind(at.millisecondsSince1970, at: 7)
        insertion.bind(word, at: 9)
        insertion.bind(source, at: 10)
        unsafe events.withUnsafeBytes { unsafe insertion.bind(blob: $0, at: 11) }
        try insertion.run()
    }
}

extension HotSQL {
    /// The kinds that each webhook wants. There are few webhooks.
    static let wantedEvents = "SELECT kinds FROM webhook"

    /// SQLite only: ?1 host, ?2 the number of events, ?3 the size of their record in bytes. Returns the last
    /// event's number.
    static let numberEvents = """
        INSERT INTO webhook_outbox (host, number, bytes) VALUES (?1, ?2, ?3)
        ON CONFLICT (host) DO UPDATE SET number = number + ?2, bytes = bytes + ?3 RETURNING number, bytes
        """

    /// SQLite only: ?1 host, ?2 number, ?3 total bytes up to the record's end, ?4 kind, ?5 app, ?6 delivery,
    /// ?7 milliseconds, ?8 the number of events, ?9 reason, ?10 source, ?11 events.
    static let appendEvents = """
        INSERT INTO webhook_event (host, number, bytes, kind, app_id, delivery_id, recorded_ms, count, word, \
        source,
            events)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """

    /// PostgreSQL only: numbers and appends events in one statement, without a round trip in between. ?2 the
    /// number of events, ?3 the size of their record in bytes.
    static let numberAndAppendEvents = """
        WITH n AS (
            INSERT INTO webhook_outbox AS o (host, number, bytes) VALUES (?1, ?2, ?3)
            ON CONFLICT (host) DO UPDATE SET number = o.number + ?2, bytes = o.bytes + ?3 RETURNING
            o.number, o.bytes)
        INSERT INTO webhook_event (host, number, bytes, kind, app_id, delivery_id, recorded_ms, count, word, \
        source,
            events)
        SELECT CAST(?1 AS BIGINT), n.number, n.bytes, CAST(?4 AS BIGINT), CAST(?5 AS BIGINT), CAST(?6 AS \
        BIGINT),
            CAST(?7 AS BIGINT), CAST(?8 AS BIGINT), CAST(?9 AS TEXT), CAST(?10 AS BIGINT), CAST(?11 AS BYTEA)
        FROM n
        """
}
