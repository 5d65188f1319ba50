internal import PushModel
internal import PushQueue

/// What webhooks are to be told by this transaction, as far as any wants it. Where there is none, which is
/// most stores, this costs one look-up a transaction.
final class WantedEvents {
    private let statement: any Statement
    private var found: WebhookEventKinds?

    /// Before anything else is asked or written in the transaction, or where that is a journey's time no
    /// matter.
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

/// A record of the outbox: what one transaction has to tell of one kind. Each event has a number, and the
/// record that of its last.
struct EventRecord {
    /// There is one at present.
    static let host: Int64 = 1

    var kind: WebhookEventKind
    var app: AppID
    var delivery: DeliveryID?
    var at: WallMoment
    var count: Int
    /// Of quarantine: the gateway's word, and who said it.
    var word: String?
    var source: Int64?
    /// Of outcomes ``EndedMessages``, of others ``MarkedNumbers``: messages, or subscriptions.
    var events: [UInt8]

    /// What a row takes beside its events, roughly.
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
    /// What each webhook wants; there are few.
    static let wantedEvents = "SELECT kinds FROM webhook"

    /// Of SQLite: ?1 host, ?2 how many events, ?3 the bytes of their record. Gives the last one's number.
    static let numberEvents = """
        INSERT INTO webhook_outbox (host, number, bytes) VALUES (?1, ?2, ?3)
        ON CONFLICT (host) DO UPDATE SET number = number + ?2, bytes = bytes + ?3 RETURNING number, bytes
        """

    /// Of SQLite: ?1 host, ?2 number, ?3 bytes up to its end, ?4 kind, ?5 app, ?6 delivery, ?7 milliseconds,
    /// ?8 how many events, ?9 word, ?10 source, ?11 events.
    static let appendEvents = """
        INSERT INTO webhook_event (host, number, bytes, kind, app_id, delivery_id, recorded_ms, count, word, source,
            events)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """

    /// Of PostgreSQL: both at once, without a journey. ?2 how many events, ?3 the bytes of their record.
    static let numberAndAppendEvents = """
        WITH n AS (
            INSERT INTO webhook_outbox AS o (host, number, bytes) VALUES (?1, ?2, ?3)
            ON CONFLICT (host) DO UPDATE SET number = o.number + ?2, bytes = o.bytes + ?3 RETURNING o.number, o.bytes)
        INSERT INTO webhook_event (host, number, bytes, kind, app_id, delivery_id, recorded_ms, count, word, source,
            events)
        SELECT CAST(?1 AS BIGINT), n.number, n.bytes, CAST(?4 AS BIGINT), CAST(?5 AS BIGINT), CAST(?6 AS BIGINT),
            CAST(?7 AS BIGINT), CAST(?8 AS BIGINT), CAST(?9 AS TEXT), CAST(?10 AS BIGINT), CAST(?11 AS BYTEA)
        FROM n
        """
}
