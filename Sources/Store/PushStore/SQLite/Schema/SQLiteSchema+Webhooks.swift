extension SQLiteSchema {
    /// What the fifteenth migration adds: receivers of events, and what they are to be told.
    ///
    /// A record of `webhook_event` is what one transaction has to tell of one kind: its number is that of its
    /// last event, and `number` of `webhook_outbox` that of the last one of all, of a host each: there is one
    /// host at present, 1. `bytes` adds up what all records before took, so that two of them say how much lies
    /// between. A cursor is the number of the last event that a receiver took of a host, and `batch_end` that
    /// of the last one of the batch that it was sent next, so that this one is the same when it is sent again.
    static let webhooks = """
        CREATE TABLE webhook (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            url TEXT NOT NULL,
            authorities TEXT,
            kinds INTEGER NOT NULL,
            service_id INTEGER,
            sealed BLOB NOT NULL,
            old_sealed BLOB,
            old_until_ms INTEGER,
            mark TEXT NOT NULL,
            disabled TEXT,
            created_ms INTEGER NOT NULL,
            failures INTEGER NOT NULL DEFAULT 0,
            next_ms INTEGER,
            answer TEXT,
            answered_ms INTEGER,
            taken INTEGER NOT NULL DEFAULT 0,
            refused INTEGER NOT NULL DEFAULT 0,
            told INTEGER NOT NULL DEFAULT 0,
            dropped INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE UNIQUE INDEX webhook_name ON webhook (name);
        CREATE TABLE webhook_cursor (
            webhook_id INTEGER NOT NULL REFERENCES webhook (id),
            host INTEGER NOT NULL,
            number INTEGER NOT NULL,
            batch_end INTEGER,
            PRIMARY KEY (webhook_id, host)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE webhook_outbox (
            host INTEGER PRIMARY KEY,
            number INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE webhook_event (
            host INTEGER NOT NULL,
            number INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            app_id INTEGER NOT NULL,
            delivery_id INTEGER,
            recorded_ms INTEGER NOT NULL,
            count INTEGER NOT NULL,
            word TEXT,
            source INTEGER,
            events BLOB NOT NULL,
            PRIMARY KEY (host, number)
        ) STRICT, WITHOUT ROWID;
        """
}
