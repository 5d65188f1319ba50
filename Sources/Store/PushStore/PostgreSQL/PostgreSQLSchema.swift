internal import Glibc

/// The tables on PostgreSQL, in a separate schema, and the migration of a store from an earlier version to
/// this one.
enum PostgreSQLSchema {
    /// The version of ``TableSchema/tables``. Stores of lower versions are refused.
    private static let firstVersion = 29
    static var version: Int { firstVersion + numberedSteps.count }
    /// Added to the version while a copy is unfinished. Earlier releases refuse the sum as an unknown
    /// version.
    static let unfinishedCopy = 1_000_000
    static let name = "pushmta"

    /// The steps that each lead from one version to the next.
    private static var numberedSteps: [SchemaStep] { SchemaStep.all.filter { $0.addition == nil } }

    static func prepare(
        _ writer: PostgreSQLWriter, for purpose: StorePurpose, timeouts: Double, place: String
    ) throws {
        do { try prepareTables(writer, for: purpose, timeouts: timeouts, place: place) } catch {
            guard let grant = PostgreSQLGrant.missing(after: error, for: writer) else { throw error }
            throw StoreError(.unreachable(why: grant.why), path: place)
        }
    }

    private static func prepareTables(
        _ writer: PostgreSQLWriter, for purpose: StorePurpose, timeouts: Double, place: String
    ) throws {
        switch purpose {
        case .use: try migrate(writer, timeouts: timeouts, place: place)
        case .copySource:
            let present = try writer.read { try found($0, place: place) }
            if present == 0 { throw StoreError(.noStore, path: place) }
            if present < version { throw StoreError(.olderVersion, path: place) }
        case .copyDestination:
            try writer.write { db in
                switch try found(db, place: place, mayBeCopy: true) {
                case 0: try make(fresh(db), version: unfinishedCopy + version, db)
                case version, unfinishedCopy + version: break
                default: throw StoreError(.notEmpty, path: place)
                }
            }
        }
    }

    /// Migrates in one transaction under the write lock: two processes may open a new store at the same time,
    /// and the slower one finds the work done. A store of an earlier version is left unchanged while a master
    /// serves it, because that master does not know the new version.
    private static func migrate(_ writer: PostgreSQLWriter, timeouts: Double, place: String) throws {
        let end = ContinuousClock.now + .seconds(timeouts)
        while try !migrate(writer, place: place) {
            guard ContinuousClock.now < end else {
                let why =
                    """
                    a master of an earlier version serves it; stop that master, and start the master of \
                    this version
                    """
                throw StoreError(.unreachable(why: why), path: place)
            }
            usleep(50_000)
        }
    }

    /// - Returns: `false` if a running master prevents the migration.
    private static func migrate(_ writer: PostgreSQLWriter, place: String) throws -> Bool {
        // Usually there is nothing to do, so no process needs to wait.
        if try writer.read({ try found($0, place: place) == version && missingAdditions($0).isEmpty }) {
            return true
        }
        return try writer.write { db in
            let present = try found(db, place: place)
            if present > 0, present < version, try isServed(db) { return false }
            let needed =
                try present == 0
                ? fresh(db)
                : numberedSteps.dropFirst(present - firstVersion).flatMap { $0.statements(.postgreSQL) }
                    + missingAdditions(db)
            try make(needed, version: version, db)
            return true
        }
    }

    /// Returns the statements for the additions that the store lacks if an earlier build of the same version
    /// created it.
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
                #"""
                INSERT INTO store ("only", version) VALUES (1, ?1) ON CONFLICT ("only") DO UPDATE SET \#
                version = ?1
                """#,
            arguments: [version])
    }

    private static func fresh(_ db: any Session) throws -> [String] {
        // CREATE SCHEMA requires the right to create schemas even if the schema exists.
        let exists = try db.value(Bool.self, sql: "SELECT to_regnamespace('\(name)') IS NOT NULL") == true
        return (exists ? [] : ["CREATE SCHEMA \(name)"]) + [storeTable, parametersFunction]
            + TableSchema.postgreSQL.tables
            + SchemaStep.all.flatMap { $0.statements(.postgreSQL) }
    }

    /// Returns the version of the store; 0 if there is none. Refuses an unfinished copy unless `mayBeCopy` is
    /// `true`.
    private static func found(_ db: any Session, place: String, mayBeCopy: Bool = false) throws -> Int {
        // A single statement sees a single committed state.
        let tables = try db.values(
            String.self, sql: "SELECT tablename FROM pg_tables WHERE schemaname = '\(name)'")
        guard tables.contains("store") else {
            if !tables.isEmpty { throw StoreError(.notAStore, path: place) }
            return 0
        }
        let isAllowed = try db.value(
            Bool.self,
            sql:
                """
                SELECT has_schema_privilege('\(name)', 'USAGE') AND has_table_privilege('\(name).store', \
                'SELECT')
                """
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

    /// A host that has briefly lost its connection has no lock, but still sends.
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

    /// A function that returns a subscription's parameters, or NULL if they are not a JSON object, because
    /// such parameters must not cause a failure.
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
