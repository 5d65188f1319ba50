internal import Glibc

/// The tables on PostgreSQL, and how a store of an earlier version becomes one of this.
///
/// They are those of ``SQLiteSchema``, column by column, which a test holds them to; what differs is what engines
/// call things. Texts are compared byte by byte, as SQLite does, whatever the database's locale is. Version
/// 10 has the tables of SQLite's tenth migration; a copy goes from the newest of one engine to the newest of
/// the other.
enum PostgreSQLSchema {
    static let version = SharedSteps.firstOnPostgreSQL + numberedSteps.count - 1
    /// Added to the version while a copy is not finished. Earlier versions take it for one that they do not
    /// know.
    static let unfinishedCopy = 1_000_000
    private static let name = "pushmta"

    /// Steps from each version to the next, for stores that are older than ``version`` and not older than the
    /// first here. A new store begins with ``tables``.
    private static let steps: [(version: Int, sql: [String])] =
        [
            (
                11,
                partialIndexes.map { "DROP INDEX \($0)" }
                    + tables(making: partialIndexes.map { "INDEX \($0) ON" })
            ),
            (
                12,
                [
                    """
                    ALTER TABLE delivery ADD COLUMN retention_days BIGINT NOT NULL DEFAULT \(DeliveryRow.retentionOfSetting),
                        ADD COLUMN removed_ms BIGINT, ADD COLUMN is_removing BIGINT NOT NULL DEFAULT 0
                    """,
                    "ALTER TABLE damaged_delivery ADD COLUMN restored BIGINT NOT NULL DEFAULT 0",
                ]
                    + tables(making: [
                        "INDEX delivery_ended ON", "INDEX delivery_removing ON",
                        "INDEX removed_subscription_time ON",
                        "INDEX quarantine_since ON", "TABLE backup (",
                    ])
            ),
            (
                13,
                [#"ALTER TABLE app ADD COLUMN parameters TEXT COLLATE "C" NOT NULL DEFAULT '[]'"#]
                    + tables(making: [
                        "TABLE device (", "INDEX device_mark ON", "TABLE hit (", "TABLE hit_tally (",
                    ])
                    + SQLiteSchema.encryptedNumbers
            ),
            (14, access),
            (15, messageColumns + messageTables),
            (16, webhooks),
            (17, ["ALTER TABLE delivery ADD COLUMN stop_ms BIGINT"]),
            (18, templateColumns + templates),
            (19, calendar),
            (20, hosts),
            (21, appLabel + icons),
            (22, leases),
            (23, tables(making: ["INDEX subscription_disabled ON"])),
            (24, hostFigures),
            (25, recipientColumns + recipients),
            (26, workChange),
            (27, undeclaredParameters + singleAttempts),
            (28, trustEvidence),
        ]
        + numberedSteps.enumerated().map { (SharedSteps.firstOnPostgreSQL + $0, $1.sql(.postgreSQL)) }

    private static let numberedSteps = SharedSteps.all.filter { $0.addition == nil }

    /// Statements of a new store that make these.
    private static func tables(making parts: [String]) -> [String] {
        tables.filter { text in parts.contains { text.contains("CREATE \($0)") } }
    }

    /// Those that version 11 made anew.
    private static let partialIndexes = [
        "part_pending", "part_waiting", "part_deadline", "quarantine_counting", "quarantine_last_error",
    ]

    static func prepare(
        _ writer: PostgreSQLWriter, for purpose: StorePurpose, patience: Double, place: String
    ) throws {
        switch purpose {
        case .use: try migrate(writer, patience: patience, place: place)
        case .copySource:
            let present = try writer.read { try found($0, place: place) }
            if present == 0 { throw StoreError(.noStore, path: place) }
            if present < version { throw StoreError(.olderVersion, path: place) }
        case .copyDestination:
            try writer.write { db in
                switch try found(db, place: place, mayBeCopy: true) {
                case 0: try make(fresh, version: unfinishedCopy + version, db)
                case version, unfinishedCopy + version: break
                default: throw StoreError(.notEmpty, path: place)
                }
            }
        }
    }

    /// In one transaction under the write lock: two processes may open a new store at once, and the slower
    /// one finds the work done. A store of an earlier version is left as it is while a master serves it,
    /// which would not know it any more.
    private static func migrate(_ writer: PostgreSQLWriter, patience: Double, place: String) throws {
        let end = ContinuousClock.now + .seconds(patience)
        while try !migrate(writer, place: place) {
            guard ContinuousClock.now < end else {
                let why = "a master of an earlier version serves it: stop that one, and start this version's"
                throw StoreError(.unreachable(why: why), path: place)
            }
            usleep(50_000)
        }
    }

    /// - Returns: false where a master is in the way.
    private static func migrate(_ writer: PostgreSQLWriter, place: String) throws -> Bool {
        // Most often there is nothing to do, and no process needs to wait.
        if try writer.read({ try found($0, place: place) == version && missingAdditions($0).isEmpty }) {
            return true
        }
        return try writer.write { db in
            let present = try found(db, place: place)
            if present > 0, present < version, try isServed(db) { return false }
            let steps = steps.filter { $0.version > present }.flatMap(\.sql)
            try make(present == 0 ? fresh : steps + missingAdditions(db), version: version, db)
            return true
        }
    }

    /// Statements for what an earlier build of the same version has not.
    private static func missingAdditions(_ db: any Session) throws -> [String] {
        let additions = SharedSteps.all.filter { $0.addition != nil }
        if additions.isEmpty { return [] }
        let present = try db.values(
            String.self,
            sql: """
                SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                WHERE c.relnamespace = '\(name)'::regnamespace AND NOT a.attisdropped
                    AND c.relname || '.' || a.attname IN
                        (\(additions.map { "'\($0.addition ?? "")'" }.joined(separator: ", ")))
                """)
        return additions.filter { !present.contains($0.addition ?? "") }.flatMap { $0.sql(.postgreSQL) }
    }

    private static func make(_ needed: [String], version: Int, _ db: any Session) throws {
        for sql in needed { try db.execute(sql: sql) }
        try db.execute(
            sql:
                #"INSERT INTO store ("only", version) VALUES (1, ?1) ON CONFLICT ("only") DO UPDATE SET version = ?1"#,
            arguments: [version])
    }

    private static var fresh: [String] {
        ["CREATE SCHEMA IF NOT EXISTS \(name)", storeTable, parametersFunction] + tables
            + SharedSteps.all.flatMap { $0.sql(.postgreSQL) }
    }

    /// 0: there is none. Refuses a copy that is not finished, unless that may be.
    private static func found(_ db: any Session, place: String, mayBeCopy: Bool = false) throws -> Int {
        // One statement, which sees one moment.
        let tables = try db.values(
            String.self, sql: "SELECT tablename FROM pg_tables WHERE schemaname = '\(name)'")
        guard tables.contains("store") else {
            if !tables.isEmpty { throw StoreError(.notAStore, path: place) }
            return 0
        }
        let isAllowed = try db.value(
            Bool.self,
            sql:
                "SELECT has_schema_privilege('\(name)', 'USAGE') AND has_table_privilege('\(name).store', 'SELECT')"
        )
        guard isAllowed == true else { throw PostgreSQLError.answer(state: PostgreSQLError.notAllowed) }
        let version = try db.value(Int.self, sql: "SELECT version FROM store") ?? 0
        if version >= unfinishedCopy {
            if mayBeCopy { return version }
            throw StoreError(.unfinishedCopy, path: place)
        }
        if version > Self.version {
            throw StoreError(.newerVersion(unknown: "version \(version)"), path: place)
        }
        return version
    }

    private static func isServed(_ db: any Session) throws -> Bool {
        try db.value(
            Bool.self,
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                    WHERE l.locktype = 'advisory' AND l.classid = \(AdvisoryLock.store)
                        AND l.objid = \(AdvisoryLock.masterNumber) AND d.datname = current_database())
                """) == true || areHostsSending(db)
    }

    /// A host that has lost its connection for a moment has no lock, and sends.
    private static func areHostsSending(_ db: any Session) throws -> Bool {
        guard try db.value(Bool.self, sql: hasHosts) == true else { return false }
        return try db.value(Bool.self, sql: "SELECT \(PostgreSQLHosts.areSending)") == true
    }

    static let hasHosts =
        "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = '\(name)' AND tablename = 'host')"

    private static let storeTable = """
        CREATE TABLE store (
            "only" BIGINT PRIMARY KEY CHECK ("only" = 1),
            version BIGINT NOT NULL
        )
        """

    /// What a subscription's parameters say; NULL where they are no JSON object, which is no reason to fail.
    private static let parametersFunction = """
        CREATE FUNCTION parameters_of(given TEXT) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        DECLARE found JSONB;
        BEGIN
            found := given::JSONB;
            RETURN CASE jsonb_typeof(found) WHEN 'object' THEN found END;
        EXCEPTION WHEN data_exception THEN RETURN NULL;
        END $$
        """
}
