internal import Glibc

/// The tables on PostgreSQL, in a schema of their own, and how a store of an earlier version becomes one of
/// this.
enum PostgreSQLSchema {
    /// That of ``TableSchema/tables``. Stores of lower ones are refused.
    private static let firstVersion = 29
    static var version: Int { firstVersion + numberedSteps.count }
    /// Added to the version while a copy is not finished. Earlier versions take it for one that they do not
    /// know.
    static let unfinishedCopy = 1_000_000
    private static let name = "pushmta"

    /// Each leads from a version to the next.
    private static var numberedSteps: [SchemaStep] { SchemaStep.all.filter { $0.addition == nil } }

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
            let needed =
                try present == 0
                ? fresh
                : numberedSteps.dropFirst(present - firstVersion).flatMap { $0.statements(.postgreSQL) }
                    + missingAdditions(db)
            try make(needed, version: version, db)
            return true
        }
    }

    /// Statements for what an earlier build of the same version has not.
    private static func missingAdditions(_ db: any Session) throws -> [String] {
        let additions = SchemaStep.all.filter { $0.addition != nil }
        if additions.isEmpty { return [] }
        let present = try db.values(
            String.self,
            sql: """
                SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                WHERE c.relnamespace = '\(name)'::regnamespace AND NOT a.attisdropped
                    AND c.relname || '.' || a.attname IN
                        (\(additions.map { "'\($0.addition ?? "")'" }.joined(separator: ", ")))
                """)
        return additions.filter { !present.contains($0.addition ?? "") }.flatMap {
            $0.statements(.postgreSQL)
        }
    }

    private static func make(_ needed: [String], version: Int, _ db: any Session) throws {
        for sql in needed { try db.execute(sql: sql) }
        try db.execute(
            sql:
                #"INSERT INTO store ("only", version) VALUES (1, ?1) ON CONFLICT ("only") DO UPDATE SET version = ?1"#,
            arguments: [version])
    }

    private static var fresh: [String] {
        ["CREATE SCHEMA IF NOT EXISTS \(name)", storeTable, parametersFunction]
            + TableSchema.postgreSQL.tables
            + SchemaStep.all.flatMap { $0.statements(.postgreSQL) }
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
        if version < firstVersion {
            throw StoreError(.formerVersion(lacks: "version \(firstVersion)"), path: place)
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
